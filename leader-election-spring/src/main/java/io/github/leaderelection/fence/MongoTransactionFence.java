package io.github.leaderelection.fence;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;

import org.springframework.data.mongodb.MongoTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Guards the transactions of each {@link MongoTransactionManager} with a fence in its
 * database.
 */
public final class MongoTransactionFence implements LeaderFence {

	private final CopyOnWriteArrayList<TransactionGuard> guards = new CopyOnWriteArrayList<>();

	private final Supplier<? extends Stream<MongoTransactionManager>> managers;

	/**
	 * Create a fence.
	 * @param managers supplies the managers to guard when the fence is required to be
	 * usable; others that are made later can be {@linkplain #guard added}
	 */
	public MongoTransactionFence(Supplier<? extends Stream<MongoTransactionManager>> managers) {
		this.managers = managers;
	}

	/**
	 * Guard the transactions of a manager, as far as they are begun in a scope of this
	 * fence, or a scope is opened in them. Does nothing if they are guarded already.
	 * @param manager the manager
	 * @throws UnusableFenceException if it is not one for MongoDB
	 */
	public void guard(PlatformTransactionManager manager) {
		guardOf(manager);
	}

	/**
	 * Guard the transactions of a manager, and require that it can make some. May call
	 * the database, for a short time.
	 * @param manager the manager
	 * @throws UnusableFenceException if it can't
	 */
	void requireUsable(PlatformTransactionManager manager) {
		guardOf(manager).requireUsable();
	}

	private TransactionGuard guardOf(PlatformTransactionManager manager) {
		if (!(manager instanceof MongoTransactionManager mongo)) {
			throw new UnusableFenceException(
					"transactions of a " + manager.getClass().getName() + " are none of MongoDB's",
					"Use a MongoTransactionManager");
		}
		TransactionGuard guard = TransactionGuard.of(mongo);
		this.guards.addIfAbsent(guard);
		return guard;
	}

	@Override
	public Scope open(Leadership leadership) {
		boolean joined = false;
		for (TransactionGuard guard : this.guards) {
			joined |= guard.join(leadership);
		}
		return FencedScope.enter(leadership, joined);
	}

	@Override
	public void requireUsable() {
		this.managers.get().forEach(this::guard);
		if (this.guards.isEmpty()) {
			throw new UnusableFenceException("there is no transaction manager for MongoDB",
					"Declare a bean of type MongoTransactionManager: new MongoTransactionManager(databaseFactory)");
		}
		this.guards.forEach(TransactionGuard::requireUsable);
	}

}
