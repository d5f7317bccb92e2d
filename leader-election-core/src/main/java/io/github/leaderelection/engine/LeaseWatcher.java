package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Supplier;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.LeaseStore.LeaseChange;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a watch on all leases open, and passes on the changes that it shows. Changes are
 * only hints: without a watch the leases are read more often.
 */
final class LeaseWatcher {

	private static final EngineLog log = EngineLog.of(LeaseWatcher.class);

	private static final long RETRY_NANOS = 1_000_000_000L;

	/**
	 * Longer than any call of a watch takes, which can wait for changes for 30 seconds.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(45);

	private final EngineContext context;

	private final Answers answers;

	private final Watchdog watchdog = new Watchdog();

	private final Duration retryUnsupported;

	private final EngineThread thread = new EngineThread("leader-election-watch", this::turn);

	/** Why changes are not pushed, {@code null} if they are or nothing is known yet. */
	private volatile @Nullable String obstacle;

	/** Whether it was logged why changes are not pushed. */
	private boolean reported;

	/**
	 * Create a watcher.
	 * @param retryUnsupported when to try again after the store has said that it can't
	 * watch: a missing privilege may be granted later
	 */
	LeaseWatcher(EngineContext context, Answers answers, Duration retryUnsupported) {
		this.context = context;
		this.answers = answers;
		this.retryUnsupported = retryUnsupported;
	}

	@Nullable String obstacle() {
		return this.obstacle;
	}

	/** Interrupt a store call that does not return. */
	void check(Moment now) {
		this.watchdog.check(now);
	}

	private <T extends @Nullable Object> T guard(Supplier<T> call) {
		return this.watchdog.guard(PATIENCE, this.context.now(), call);
	}

	void start() {
		this.thread.start();
	}

	void stop() {
		this.thread.stop();
	}

	/** Watch until the watch breaks; return how long to wait before the next attempt. */
	private long turn() {
		if (this.answers.isPushed()) {
			// First: leases are read rarely while changes are believed to be pushed.
			this.answers.setPushed(false);
		}
		try {
			watch();
		}
		catch (UnsupportedOperationException ex) {
			report(StoredText.printable(EngineLog.messageOf(ex)));
			return this.retryUnsupported.toNanos();
		}
		catch (LeaseStoreException ex) {
			this.obstacle = EngineLog.messageOf(ex);
			log.tell(ex, (logger, cause) -> logger.debug("The watch of leases broke off; polling until it is reopened",
					cause));
		}
		catch (Throwable ex) {
			// Catch everything: without this thread nothing would be pushed any more.
			report(ex);
		}
		return RETRY_NANOS;
	}

	private void report(String reason) {
		this.obstacle = reason;
		if (!this.reported) {
			this.reported = true;
			log.tell((logger) -> logger.info("Changes of leases{} are not pushed; polling instead: {}",
					this.context.ofWhat(), reason));
		}
	}

	private void report(Throwable failure) {
		this.obstacle = EngineLog.messageOf(failure);
		if (!this.thread.isStopped() && !this.reported) {
			this.reported = true;
			log.tell(failure, (logger, cause) -> logger
				.warn("The watch of leases{} failed; polling until it is reopened", this.context.ofWhat(), cause));
		}
	}

	private void watch() {
		RecordWatch watch = guard(this.context.store()::watch);
		try {
			if (this.reported) {
				this.reported = false;
				log.tell((logger) -> logger.info("Changes of leases{} are now pushed", this.context.ofWhat()));
			}
			this.obstacle = null;
			// The watch shows no earlier changes: read all leases once.
			this.answers.setPushed(true);
			while (!this.thread.isStopped()) {
				RecordChange shown = guard(watch::next);
				LeaseChange change = (shown != null) ? this.context.store().leaseChange(shown) : null;
				if (change != null && change.lease() != null) {
					this.answers.pushed(change.lease());
				}
				else if (change != null && change.removed() != null) {
					this.answers.pushedRemoval(change.removed());
				}
				else if (change != null) {
					this.answers.pushedUnclear();
				}
			}
		}
		finally {
			try {
				// First: leases are read rarely while changes are believed to be pushed.
				this.answers.setPushed(false);
			}
			finally {
				close(watch);
			}
		}
	}

	private void close(RecordWatch watch) {
		try {
			guard(() -> {
				watch.close();
				return watch;
			});
		}
		catch (Throwable ex) {
			// Debug level only: the reason why the watch is being closed says more.
			log.tell(ex, (logger, cause) -> logger.debug("A watch of leases could not be closed", cause));
		}
	}

}
