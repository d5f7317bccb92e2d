package io.github.leaderelection.engine;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes one thread that waits for something to do. Raised once or many times before the
 * thread waits, it is the same: the thread looks again.
 */
public final class Signal {

	private final Semaphore raised = new Semaphore(0);

	/**
	 * Wake the thread that waits, or have the next wait end at once.
	 */
	public void raise() {
		this.raised.release();
	}

	/**
	 * Wait until raised, at most for the given time; no time at all is fine too. To be
	 * interrupted is to be woken.
	 * @param nanos how long to wait at most
	 */
	public void await(long nanos) {
		try {
			boolean unused = this.raised.tryAcquire(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// Whoever interrupts wants it to look.
		}
		// What is raised from now on is not seen by the look that follows: it wakes
		// again.
		this.raised.drainPermits();
	}

}
