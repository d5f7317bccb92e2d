package io.github.leaderelection.fence;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.Leadership;

import org.springframework.data.mongodb.MongoTransactionManager;

/**
 * Guards the transactions of each {@link MongoTransactionManager} with a fence in its
 * database.
 */
public final class MongoTransactionFence implements LeaderFence {

	private final List<TransactionGuard> guards = new CopyOnWriteArrayList<>();

	/**
	 * Guard the transactions of a manager, as far as they are begun in a scope of this
	 * fence, or a scope is opened in them.
	 * @param manager the manager
	 */
	public void guard(MongoTransactionManager manager) {
		TransactionGuard guard = new TransactionGuard(manager);
		this.guards.add(guard);
		manager.addListener(guard);
	}

	@Override
	public Scope open(Leadership leadership) {
		this.guards.forEach((guard) -> guard.join(leadership));
		return FencedScope.enter(leadership);
	}

	@Override
	public void requireUsable() {
		if (this.guards.isEmpty()) {
			throw new UnusableFenceException("there is no transaction manager for MongoDB",
					"Declare a bean of type MongoTransactionManager: new MongoTransactionManager(databaseFactory)");
		}
		this.guards.forEach(TransactionGuard::requireUsable);
	}

}
