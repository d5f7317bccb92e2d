package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a watch on all leases open, and passes on what it shows. A hint only: while there
 * is none the leases are read more often.
 */
final class LeaseWatcher implements Runnable {

	private static final EngineLog log = EngineLog.of(LeaseWatcher.class);

	private static final long RETRY_NANOS = 1_000_000_000L;

	private final LeaseStore store;

	private final ElectionRegistry registry;

	private final LeasesOf whose;

	private final Duration retryUnsupported;

	private final Signal stop = new Signal();

	private volatile boolean stopped;

	/** Why nothing is pushed. */
	private volatile @Nullable String obstacle;

	/** For how long to wait before the next attempt. */
	private long pause;

	/** Whether the reason why nothing can be pushed has been logged. */
	private boolean reported;

	/**
	 * Create a watcher.
	 * @param whose what the leases are for
	 * @param retryUnsupported when to try again after the store has said that nothing can
	 * be watched: a privilege may be granted meanwhile
	 */
	LeaseWatcher(LeaseStore store, ElectionRegistry registry, LeasesOf whose, Duration retryUnsupported) {
		this.store = store;
		this.registry = registry;
		this.whose = whose;
		this.retryUnsupported = retryUnsupported;
	}

	@Nullable String obstacle() {
		return this.obstacle;
	}

	void stop() {
		this.stopped = true;
		this.stop.raise();
	}

	@Override
	public void run() {
		new EngineThread(this::turn, () -> this.stopped).run();
	}

	private boolean turn() {
		if (this.registry.isPushed()) {
			// Before anything else: as long as it is believed, leases are read rarely.
			this.registry.setPushed(false);
		}
		if (this.pause > 0) {
			long nanos = this.pause;
			this.pause = 0;
			this.stop.await(nanos);
		}
		if (this.stopped) {
			return false;
		}
		this.pause = RETRY_NANOS;
		try {
			watch();
		}
		catch (UnsupportedOperationException ex) {
			this.pause = this.retryUnsupported.toNanos();
			report(StoredText.printable(EngineLog.messageOf(ex)));
		}
		catch (LeaseStoreException ex) {
			this.obstacle = EngineLog.messageOf(ex);
			log.tell(ex, (logger, cause) -> logger.debug("The watch of leases broke; polling until it is open again",
					cause));
		}
		catch (Throwable ex) {
			// Whatever it is, without this thread nothing would be pushed any more.
			report(ex);
		}
		return true;
	}

	private void report(String reason) {
		this.obstacle = reason;
		if (!this.reported) {
			this.reported = true;
			log.tell((logger) -> logger.info("Changes of leases{} are not pushed, they are polled for: {}", this.whose,
					reason));
		}
	}

	private void report(Throwable failure) {
		if (!this.stopped && !this.reported) {
			this.reported = true;
			log.tell(failure, (logger, cause) -> logger
				.warn("The watch of leases{} failed; polling until it is open again", this.whose, cause));
		}
	}

	private void watch() {
		try (LeaseWatch watch = this.store.watch()) {
			if (this.reported) {
				this.reported = false;
				log.tell((logger) -> logger.info("Changes of leases{} are pushed from now on", this.whose));
			}
			this.obstacle = null;
			// Changes from before the watch was open are not shown: look once.
			this.registry.setPushed(true);
			while (!this.stopped) {
				LeaseChange change = watch.next();
				if (change != null && change.lease() != null) {
					this.registry.pushed(change.lease());
				}
				else if (change != null && change.removed() != null) {
					this.registry.pushedRemoval(change.removed());
				}
				else if (change != null) {
					this.registry.pushedUnclear();
				}
			}
		}
	}

}
