package io.github.leaderelection.engine;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes one thread that waits for something to do. Raised once or many times before the
 * thread waits, it is the same: the thread looks again.
 */
final class Signal {

	private final Semaphore permits = new Semaphore(0);

	void raise() {
		if (this.permits.availablePermits() == 0) {
			this.permits.release();
		}
	}

	/** Wait until raised, at most for the given time; no time at all is fine too. */
	void await(long nanos) throws InterruptedException {
		this.permits.tryAcquire(nanos, TimeUnit.NANOSECONDS);
		this.permits.drainPermits();
	}

}
