package io.github.leaderelection.fence;

import java.util.ArrayList;
import java.util.List;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Acts on the thread of a transaction that has just been committed: once after the commit
 * and once after its completion.
 */
final class AfterCommit implements TransactionSynchronization {

	private final List<Throwable> failures = new ArrayList<>();

	private final Runnable action;

	private AfterCommit(Runnable action) {
		this.action = action;
	}

	/** Act twice, and return all exceptions, which Spring does not do. */
	static List<Throwable> failuresOf(PlatformTransactionManager manager, Runnable action) {
		AfterCommit after = new AfterCommit(action);
		new TransactionTemplate(manager)
			.executeWithoutResult((status) -> TransactionSynchronizationManager.registerSynchronization(after));
		return after.failures;
	}

	@Override
	public void afterCommit() {
		act();
	}

	@Override
	public void afterCompletion(int status) {
		act();
	}

	private void act() {
		try {
			this.action.run();
		}
		catch (Throwable ex) {
			this.failures.add(ex);
		}
	}

}
