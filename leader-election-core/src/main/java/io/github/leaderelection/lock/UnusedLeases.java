package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.ReadableDuration;

/**
 * The leases of locks that nobody has wanted for a long time. Each process that uses
 * locks removes them now and then, whoever made them.
 */
final class UnusedLeases {

	/** How many to remove in one call. */
	static final int MOST = 1_000;

	private final LeaseStore store;

	private final Duration unusedFor;

	private final Duration timeout;

	private final EngineLog log;

	/** When to remove some again; monotonic time. */
	private final AtomicLong next;

	UnusedLeases(LeaseStore store, Duration unusedFor, Duration timeout, EngineLog log) {
		this.store = store;
		this.unusedFor = unusedFor;
		this.timeout = timeout;
		this.log = log;
		// Processes that were started together need not do so together.
		this.next = new AtomicLong(System.nanoTime() + ThreadLocalRandom.current().nextLong(unusedFor.toNanos()));
	}

	/** Remove what is unused if it is time to. Does not block. */
	void removeIfDue(Executor threads) {
		long now = System.nanoTime();
		long due = this.next.get();
		if (now - due >= 0 && this.next.compareAndSet(due, now + this.unusedFor.toNanos())) {
			threads.execute(this::remove);
		}
	}

	private void remove() {
		try {
			int removed;
			do {
				removed = this.store.removeUnused(this.unusedFor, MOST, this.timeout);
			}
			while (removed >= MOST);
		}
		catch (Throwable ex) {
			this.log.tell(ex, (logger, cause) -> logger.warn(
					"Leases of locks that were not used for {} could not be removed; they stay, and it is tried again then",
					ReadableDuration.exact(this.unusedFor), cause));
		}
	}

}
