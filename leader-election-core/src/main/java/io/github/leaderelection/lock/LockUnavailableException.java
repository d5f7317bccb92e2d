package io.github.leaderelection.lock;

import io.github.leaderelection.LeaderElectionException;

/**
 * A lock could not be acquired in time: somebody else holds it, or it could not be found
 * out whether anybody does.
 */
@SuppressWarnings("serial")
public class LockUnavailableException extends LeaderElectionException {

	/**
	 * Create an exception.
	 * @param message what was waited for, how long, and why in vain
	 */
	public LockUnavailableException(String message) {
		super(message, null);
	}

}
