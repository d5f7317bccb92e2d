package io.github.leaderelection.lock;

import io.github.leaderelection.LeaderElectionException;

/**
 * Thrown when a lock could not be acquired in time: another holder has it, or it could
 * not be found out whether it is free. In a Spring Boot web application, the client
 * receives status 503 and may try again, unless the application handles the exception
 * itself.
 */
@SuppressWarnings("serial")
public class LockUnavailableException extends LeaderElectionException {

	/**
	 * Create an exception.
	 * @param message which lock was requested, how long the caller waited, and why it was
	 * not acquired
	 */
	public LockUnavailableException(String message) {
		super(message, null);
	}

}
