package io.github.leaderelection.lock;

import java.util.concurrent.CompletableFuture;

/**
 * Somebody who stands in line for a lock. Completed once: with the lock, or by whoever
 * does not want it any more.
 */
final class Waiter extends CompletableFuture<HeldLock> {

	private final boolean patient;

	/**
	 * Create a waiter.
	 * @param patient whether it waits while somebody else holds the lock
	 */
	Waiter(boolean patient) {
		this.patient = patient;
	}

	boolean isPatient() {
		return this.patient;
	}

}
