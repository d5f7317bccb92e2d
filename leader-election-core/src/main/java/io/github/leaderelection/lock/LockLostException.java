package io.github.leaderelection.lock;

import io.github.leaderelection.LeaderElectionException;
import io.github.leaderelection.LossReason;

/**
 * A lock was required that is not held any more.
 */
@SuppressWarnings("serial")
public class LockLostException extends LeaderElectionException {

	/**
	 * Create an exception.
	 * @param lock the lock
	 */
	public LockLostException(HeldLock lock) {
		super("Lock '%s', acquired in term %d, is not held any more: %s".formatted(lock.name(), lock.term(),
				lock.lossReason().map(LossReason::name).orElse("it has expired")), null);
	}

}
