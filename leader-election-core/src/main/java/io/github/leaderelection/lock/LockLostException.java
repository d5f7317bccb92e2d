package io.github.leaderelection.lock;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LossReason;

/**
 * Thrown when a lock is required that is not held any more. It is a
 * {@link LeadershipLostException}, since a {@link HeldLock} can be used as a
 * {@link Leadership}. In a Spring Boot web application, the client receives status 503,
 * unless the application handles the exception itself.
 */
@SuppressWarnings("serial")
public class LockLostException extends LeadershipLostException {

	/**
	 * Create an exception.
	 * @param lock the lock
	 */
	public LockLostException(Leadership lock) {
		super(lock, "Lock '%s', acquired in term %d, is no longer held: %s".formatted(lock.election(), lock.term(),
				lock.lossReason().map(LossReason::name).orElse("it has expired")));
	}

}
