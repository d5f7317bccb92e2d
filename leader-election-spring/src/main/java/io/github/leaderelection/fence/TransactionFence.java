package io.github.leaderelection.fence;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * Guards the transactions of each {@code MongoTransactionManager},
 * {@code DataSourceTransactionManager} and {@code JpaTransactionManager} with a fence in
 * their own database. A relational database needs a table for that:
 *
 * <pre>
 * CREATE TABLE leader_election_fence (id VARCHAR(1024) PRIMARY KEY, term BIGINT NOT NULL)
 * </pre>
 */
public final class TransactionFence implements LeaderFence {

	/**
	 * The default name of the table for fences.
	 */
	public static final String TABLE = "leader_election_fence";

	private static final Pattern TABLE_NAME = Pattern.compile("(\\w+\\.)?\\w+");

	private final CopyOnWriteArrayList<TransactionGuard> guards = new CopyOnWriteArrayList<>();

	private final Supplier<? extends Stream<? extends PlatformTransactionManager>> managers;

	private final String table;

	/**
	 * Create a fence.
	 * @param managers supplies the managers to guard when the fence is required to be
	 * usable; managers that are created later can be {@linkplain #guard added}
	 */
	public TransactionFence(Supplier<? extends Stream<? extends PlatformTransactionManager>> managers) {
		this(managers, TABLE);
	}

	/**
	 * Create a fence whose table has another name.
	 * @param managers supplies the managers to guard when the fence is required to be
	 * usable; managers that are created later can be {@linkplain #guard added}
	 * @param table the name of the table for fences in a relational database, optionally
	 * preceded by a schema and a dot
	 * @throws IllegalArgumentException if it is not a plain name
	 */
	public TransactionFence(Supplier<? extends Stream<? extends PlatformTransactionManager>> managers, String table) {
		if (!TABLE_NAME.matcher(table).matches()) {
			throw new IllegalArgumentException(
					"'%s' is not a valid name for the table of fences. Use letters, digits and underscores, optionally after a schema and a dot"
						.formatted(table));
		}
		this.managers = managers;
		this.table = table;
	}

	/**
	 * Guard the transactions of a manager that begin in a scope of this fence, or in
	 * which a scope is opened. Does nothing if they are already guarded, or can't be.
	 * @param manager the manager
	 */
	public void guard(PlatformTransactionManager manager) {
		guardOf(manager);
	}

	/**
	 * Guard the transactions of a manager, and require that they can be guarded. May call
	 * the database, for a short time.
	 * @param manager the manager
	 * @throws UnusableFenceException if they can't
	 */
	void requireUsable(PlatformTransactionManager manager) {
		TransactionGuard guard = guardOf(manager);
		if (guard == null) {
			throw new UnusableFenceException(manager.getClass().getName() + " is not supported",
					"Use a MongoTransactionManager, DataSourceTransactionManager or JpaTransactionManager");
		}
		guard.requireUsable(true);
	}

	private @Nullable TransactionGuard guardOf(PlatformTransactionManager manager) {
		TransactionGuard guard = TransactionGuard.of(manager, this.table);
		if (guard != null) {
			this.guards.addIfAbsent(guard);
		}
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
			throw new UnusableFenceException("there is no supported transaction manager",
					"For a relational database, add spring-boot-starter-jdbc or spring-boot-starter-data-jpa; for MongoDB, "
							+ "spring-boot-starter-data-mongodb, and declare a bean: new MongoTransactionManager(databaseFactory)");
		}
		this.guards.forEach((guard) -> guard.requireUsable(this.guards.size() == 1));
	}

}
