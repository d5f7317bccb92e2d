package io.github.leaderelection.engine;

import io.github.leaderelection.Candidate;

/**
 * A candidate that wants to know when there is no use in waiting for now.
 */
public interface ContendingCandidate extends Candidate {

	/**
	 * Called once, on a thread for callbacks, when this process has found that another
	 * one holds the lease and lives, or that nobody can tell who holds it: it is elected
	 * when that changes. Not called if it is elected before. Must not throw.
	 */
	void onBlocked();

}
