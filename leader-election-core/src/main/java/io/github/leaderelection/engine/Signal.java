package io.github.leaderelection.engine;

import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Wakes one thread that waits for something to do. Raised once or many times before the
 * thread waits, it is the same: the thread looks again. Allocates nothing and throws
 * nothing, so that threads can wait for better times by it.
 */
public final class Signal {

	private volatile boolean raised;

	private volatile @Nullable Thread waiting;

	/**
	 * Wake the thread that waits, or have the next wait end at once.
	 */
	public void raise() {
		this.raised = true;
		LockSupport.unpark(this.waiting);
	}

	/**
	 * Wait until raised, at most for the given time; no time at all is fine too. To be
	 * interrupted is to be woken.
	 * @param nanos how long to wait at most
	 */
	public void await(long nanos) {
		this.waiting = Thread.currentThread();
		long since = System.nanoTime();
		long left = nanos;
		while (!this.raised && left > 0 && !Thread.interrupted()) {
			LockSupport.parkNanos(this, left);
			left = nanos - (System.nanoTime() - since);
		}
		// What is raised from now on is not seen by the look that follows: it wakes
		// again.
		this.raised = false;
	}

}
