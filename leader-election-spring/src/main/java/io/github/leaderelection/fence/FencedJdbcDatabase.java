package io.github.leaderelection.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Fences in a relational database: a table with a row for each election, which shows the
 * term of the latest leader that has written.
 * <ol>
 * <li>To raise the fence is to write the term, unless it is less, on a connection of its
 * own. That waits for a transaction that has passed the row, and not ended.</li>
 * <li>To pass it is to lock the row, inside the transaction, and to see the own
 * term.</li>
 * </ol>
 * The lock changes nothing, so that transactions of one leader that see each other's
 * changes as conflicts, as at {@code SERIALIZABLE}, are in none by the fence.
 */
class FencedJdbcDatabase implements FencedDatabase {

	private static final EngineLog log = EngineLog.of(FencedJdbcDatabase.class);

	/** How long to wait for a transaction that has passed, and does not end. */
	private static final int PATIENCE_SECONDS = 60;

	/**
	 * Those that keep a row that is selected for update locked until the end, and the
	 * type that an id has there.
	 */
	private static final Map<String, String> PRODUCTS = Map.of("H2", "VARCHAR(1024)", "PostgreSQL",
			"VARCHAR(1024) COLLATE \"C\"", "MariaDB", "VARCHAR(768) COLLATE utf8mb4_nopad_bin");

	/**
	 * The numbers that MariaDB gives to conflicts that have no SQL state of their own.
	 */
	private static final Set<Integer> CONFLICTS = Set.of(1020, 1205);

	private static final String UNLOCKED = "";

	private static final String LOCKED = " FOR UPDATE";

	private final Supplier<@Nullable DataSource> dataSource;

	private final String table;

	/**
	 * What each candidate has raised, by table and lease, whichever manager was first.
	 */
	private static final Map<DataSource, Map<String, Raised>> RAISED = Collections.synchronizedMap(new WeakHashMap<>());

	/** The terms that were told to be refused, by lease. */
	private final Map<String, Long> told = new ConcurrentHashMap<>();

	FencedJdbcDatabase(Supplier<@Nullable DataSource> dataSource, String table) {
		this.dataSource = dataSource;
		this.table = table;
	}

	private DataSource dataSource() {
		DataSource present = this.dataSource.get();
		if (present == null) {
			throw new UnusableFenceException(
					"the transaction manager has no DataSource, or does not expose its connections",
					"Call its setDataSource(dataSource). An EntityManagerFactory needs a JpaVendorAdapter, such as "
							+ "HibernateJpaVendorAdapter");
		}
		return present;
	}

	@Override
	public @Nullable Object resource() {
		DataSource present = this.dataSource.get();
		return (present != null) ? TransactionSynchronizationManager.getResource(present) : null;
	}

	@Override
	public boolean inTransaction() {
		DataSource present = this.dataSource.get();
		// One that was only used is bound to the thread, too, and commits by itself.
		return present != null && TransactionSynchronizationManager.hasResource(present)
				&& !sql(present).execute((ConnectionCallback<Boolean>) Connection::getAutoCommit);
	}

	@Override
	public void raise(Leadership leadership) {
		Raised last = raised().get(key(leadership));
		if (last == null || last.term() < leadership.term()) {
			apart((sql) -> raise(sql, leadership));
			raised().merge(key(leadership), new Raised(leadership.term(), System.nanoTime()),
					(present, added) -> (present.term() < added.term()) ? added : present);
		}
	}

	private Map<String, Raised> raised() {
		return RAISED.computeIfAbsent(dataSource(), (first) -> new ConcurrentHashMap<>());
	}

	private String key(Leadership leadership) {
		return this.table + ' ' + leadership.candidateId() + ' ' + leadership.leaseId();
	}

	/** What it has read before may have been changed by an earlier leader since. */
	@Override
	public void requireRaisedBefore(Leadership leadership, long begunAt) {
		Raised last = raised().get(key(leadership));
		if (last == null || last.at() - begunAt > 0) {
			throw new ConcurrencyFailureException(
					"The transaction began before the fence was raised to term %d in table %s: run it again"
						.formatted(leadership.term(), this.table));
		}
	}

	private boolean raise(JdbcTemplate sql, Leadership leadership) {
		String unused = idType(product(sql));
		if (shown(sql, leadership, UNLOCKED) == null) {
			insert(sql, leadership);
		}
		sql.update("UPDATE %s SET term = ? WHERE id = ? AND term < ?".formatted(this.table), leadership.term(),
				leadership.leaseId(), leadership.term());
		return isLatest(leadership, shown(sql, leadership, UNLOCKED));
	}

	/** Somebody else may do the same. */
	private void insert(JdbcTemplate sql, Leadership leadership) {
		try {
			sql.update("INSERT INTO %s (id, term) VALUES (?, 0)".formatted(this.table), leadership.leaseId());
		}
		catch (DataAccessException ex) {
			if (shown(sql, leadership, UNLOCKED) == null) {
				throw ex;
			}
		}
	}

	@Override
	public Passage open(Leadership leadership) {
		return () -> pass(leadership);
	}

	private void pass(Leadership leadership) {
		leadership.requireHeld();
		JdbcTemplate sql = sql(dataSource());
		if (!inTransaction()) {
			throw new UnusableFenceException("the transaction manager does not expose its connection",
					"Give it, or its EntityManagerFactory, a JpaDialect that does");
		}
		try {
			// What the database does not let write needs no fence.
			if (!sql.execute((ConnectionCallback<Boolean>) Connection::isReadOnly)
					&& !isLatest(leadership, shown(sql, leadership, LOCKED))) {
				raised().remove(key(leadership));
				throw new ConcurrencyFailureException(
						"The fence is missing in table %s: run the transaction again".formatted(this.table));
			}
		}
		catch (DataAccessException ex) {
			requireNotLost(leadership, ex);
			throw (ex.getRootCause() instanceof SQLException cause && CONFLICTS.contains(cause.getErrorCode()))
					? new ConcurrencyFailureException("The transaction is in conflict with another: run it again", ex)
					: ex;
		}
	}

	/** What has raised the fence may be the cause of a conflict. */
	private void requireNotLost(Leadership leadership, DataAccessException conflict) {
		try {
			apart((sql) -> isLatest(leadership, shown(sql, leadership, UNLOCKED)));
		}
		catch (LeadershipLostException | DataAccessException ex) {
			ex.addSuppressed(conflict);
			throw ex;
		}
	}

	/**
	 * Return whether the fence shows the term.
	 * @throws LeadershipLostException if it shows a later one
	 */
	private boolean isLatest(Leadership leadership, @Nullable Long shown) {
		if (shown != null && shown > leadership.term()) {
			tell(leadership, shown);
			throw leadership.lostException();
		}
		return shown != null && shown == leadership.term();
	}

	/**
	 * Who leads by its own account, and is refused, is refused until somebody mends it.
	 */
	private void tell(Leadership leadership, long shown) {
		if (leadership.isHeld()
				&& !Objects.equals(this.told.put(leadership.leaseId(), leadership.term()), leadership.term())) {
			log.tell((logger) -> logger
				.warn("Table {} has term {} for {}, but this process leads it in term {}: fenced transactions are "
						+ "rejected. If leases were moved or restored, terms have started over: stop all instances, and "
						+ "delete the rows of the table", this.table, shown, leadership.leaseId(), leadership.term()));
		}
	}

	private @Nullable Long shown(JdbcTemplate sql, Leadership leadership, String locking) {
		return DataAccessUtils
			.singleResult(sql.query("SELECT term FROM %s WHERE id = ?".formatted(this.table) + locking,
					(row, number) -> row.getLong(1), leadership.leaseId()));
	}

	/**
	 * Work on a connection of its own, each of whose statements commits by itself. Where
	 * the thread has a transaction, Spring keeps it in mind until that ends, but can't
	 * close it.
	 */
	private void apart(Consumer<JdbcTemplate> work) {
		try (Connection connection = dataSource().getConnection()) {
			boolean committing = connection.getAutoCommit();
			try {
				connection.setAutoCommit(true);
				work.accept(sql(new SingleConnectionDataSource(connection, true)));
			}
			finally {
				connection.setAutoCommit(committing);
			}
		}
		catch (SQLException ex) {
			throw new CannotGetJdbcConnectionException("The database that keeps the fence can't be reached", ex);
		}
	}

	private static JdbcTemplate sql(DataSource dataSource) {
		return new JdbcTemplate(dataSource) {

			/** A transaction that has more time must not wait longer. */
			@Override
			protected void applyStatementSettings(Statement statement) throws SQLException {
				super.applyStatementSettings(statement);
				int left = statement.getQueryTimeout();
				statement.setQueryTimeout((left > 0) ? Math.min(left, PATIENCE_SECONDS) : PATIENCE_SECONDS);
			}

		};
	}

	@Override
	public void requireUsable(boolean alone) {
		try {
			apart((sql) -> {
				String product = product(sql);
				if (alone || PRODUCTS.containsKey(product)) {
					requireTable(sql, idType(product));
				}
			});
		}
		catch (DataAccessException ex) {
			// Who can't reach the database writes nothing there, either.
		}
	}

	private void requireTable(JdbcTemplate sql, String idType) {
		try {
			sql.queryForList("SELECT id, term FROM %s WHERE id = ''".formatted(this.table));
		}
		catch (BadSqlGrammarException ex) {
			throw new UnusableFenceException(
					"the database has no table %s that this application may read".formatted(this.table),
					"Create it: CREATE TABLE %s (id %s PRIMARY KEY, term BIGINT NOT NULL). Where leases are kept in that database, leader-election.jdbc.initialize-schema=always creates all tables"
						.formatted(this.table, idType));
		}
	}

	private static String product(JdbcTemplate sql) {
		return sql.execute((ConnectionCallback<String>) (lent) -> lent.getMetaData().getDatabaseProductName());
	}

	/** Return the type of an id in this product, whose locks must be known to last. */
	private static String idType(String product) {
		String type = PRODUCTS.get(product);
		if (type == null) {
			throw new UnusableFenceException("%s is not known to lock rows as fences require".formatted(product),
					"Use PostgreSQL, H2 or MariaDB with its own driver, or compare the term in each statement that writes");
		}
		return type;
	}

	/**
	 * The fence was raised.
	 *
	 * @param at when that was done, by {@link System#nanoTime()}
	 */
	private record Raised(long term, long at) {

	}

}
