package io.github.leaderelection.engine;

import io.github.leaderelection.Candidate;

/**
 * A candidate that wants to know when there is no use in waiting for now.
 */
public interface ContendingCandidate extends Candidate {

	/**
	 * Called at most once, on a callback thread, when this process finds that another
	 * process holds the lease and is alive, or that nobody can tell who holds it. This
	 * candidate may still be elected later, when that changes. Not called while this
	 * process has a term of the election. Must not throw.
	 */
	void onBlocked();

}
