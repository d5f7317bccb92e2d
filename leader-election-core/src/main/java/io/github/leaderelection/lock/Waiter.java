package io.github.leaderelection.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Somebody who stands in line for a lock. Completed once: with the lock, or by whoever
 * does not want it any more.
 */
final class Waiter extends CompletableFuture<HeldLock> {

	private final Executor executor;

	// Guarded by this

	private boolean patient;

	/** Whether it is known that others come first. */
	private boolean behindOthers;

	/**
	 * Create a waiter.
	 * @param patient whether it waits while somebody else holds the lock
	 * @param executor runs what follows from the lock, or from a refusal
	 */
	Waiter(boolean patient, Executor executor) {
		this.patient = patient;
		this.executor = executor;
	}

	/**
	 * Note that others come first.
	 * @return whether it waits for them
	 */
	synchronized boolean waitsForOthers() {
		this.behindOthers = true;
		return this.patient;
	}

	/**
	 * Wait for nobody from now on.
	 * @return whether it still has to be found out if anybody comes first
	 */
	synchronized boolean losePatience() {
		this.patient = false;
		return !this.behindOthers;
	}

	/** Give it the lock, or give the lock back if it is not wanted any more. */
	void grant(HeldLock lock) {
		this.executor.execute(() -> {
			if (!complete(lock)) {
				lock.close();
			}
		});
	}

	/** Let it know that it does not get the lock. Throws nothing. */
	void refuse(Throwable reason) {
		try {
			this.executor.execute(() -> completeExceptionally(reason));
		}
		catch (Throwable ex) {
			// Without a thread for it somebody must tell it all the same.
			completeExceptionally(reason);
		}
	}

}
