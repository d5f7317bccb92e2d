package io.github.leaderelection.lock;

import io.github.leaderelection.LeaderElectionException;

/**
 * A lock could not be acquired in time: somebody else holds it, or it could not be found
 * out whether anybody does. In a web application on Spring Boot the client is answered
 * with status 503 and may try again, unless the application handles the exception itself.
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
