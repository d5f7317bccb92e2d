package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseWatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a watch on all leases open, and passes on what it shows. A hint only: while there
 * is none the leases are read more often.
 */
final class LeaseWatcher implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(LeaseWatcher.class);

	private static final long RETRY_NANOS = 1_000_000_000L;

	private final LeaseStore store;

	private final Elections elections;

	private final Duration retryUnsupported;

	private final Signal stop = new Signal();

	private volatile boolean stopped;

	/** Why nothing is pushed. */
	private volatile @Nullable String obstacle;

	/** Whether the reason why nothing can be pushed has been logged. */
	private boolean reported;

	/**
	 * Create a watcher.
	 * @param retryUnsupported when to try again after the store has said that nothing can
	 * be watched: a privilege may be granted meanwhile
	 */
	LeaseWatcher(LeaseStore store, Elections elections, Duration retryUnsupported) {
		this.store = store;
		this.elections = elections;
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
		while (!this.stopped) {
			long pause = RETRY_NANOS;
			try {
				watch();
			}
			catch (UnsupportedOperationException ex) {
				pause = this.retryUnsupported.toNanos();
				this.obstacle = ex.getMessage();
				if (!this.reported) {
					this.reported = true;
					logger.info("Changes of leases are not pushed, they are polled for: {}", ex.getMessage());
				}
			}
			catch (LeaseStoreException ex) {
				this.obstacle = ex.getMessage();
				logger.debug("The watch of leases broke; polling until it is open again", ex);
			}
			catch (Throwable ex) {
				// Whatever it is, without this thread nothing would be pushed any more.
				if (!this.stopped && !this.reported) {
					this.reported = true;
					logger.warn("The watch of leases failed; polling until it is open again", ex);
				}
			}
			if (this.elections.isPushed()) {
				this.elections.setPushed(false);
			}
			pause(pause);
		}
	}

	private void watch() {
		try (LeaseWatch watch = this.store.watch()) {
			if (this.reported) {
				this.reported = false;
				logger.info("Changes of leases are pushed from now on");
			}
			this.obstacle = null;
			// Changes from before the watch was open are not shown: look once.
			this.elections.setPushed(true);
			while (!this.stopped) {
				LeaseChange change = watch.next();
				if (change != null && change.lease() != null) {
					this.elections.noticed(change.lease());
				}
				else if (change != null) {
					this.elections.lookAgain();
				}
			}
		}
	}

	private void pause(long nanos) {
		if (this.stopped) {
			return;
		}
		try {
			this.stop.await(nanos);
		}
		catch (InterruptedException ex) {
			// Only stop() ends this thread.
			logger.trace("Interrupted while pausing", ex);
		}
	}

}
