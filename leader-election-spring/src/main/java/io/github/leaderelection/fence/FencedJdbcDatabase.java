package io.github.leaderelection.fence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
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
final class FencedJdbcDatabase implements FencedDatabase {

	private static final Logger logger = LoggerFactory.getLogger(FencedJdbcDatabase.class);

	/** How long to wait for a transaction that has passed, and does not end. */
	private static final int PATIENCE_SECONDS = 60;

	private static final String UNLOCKED = "";

	private static final String LOCKED = " FOR UPDATE";

	private final Supplier<@Nullable DataSource> dataSource;

	private final String table;

	private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

	/** The highest terms for which this process has raised the fence, by lease. */
	private final Map<String, Long> raised = new ConcurrentHashMap<>();

	/** The terms that were told to be refused, by lease. */
	private final Map<String, Long> told = new ConcurrentHashMap<>();

	FencedJdbcDatabase(Supplier<@Nullable DataSource> dataSource, String table) {
		this.dataSource = dataSource;
		this.table = table;
	}

	private DataSource dataSource() {
		DataSource present = this.dataSource.get();
		if (present == null) {
			throw new UnusableFenceException("the transaction manager knows no DataSource",
					"Give it one: setDataSource(dataSource)");
		}
		return present;
	}

	@Override
	public boolean inTransaction() {
		DataSource present = this.dataSource.get();
		if (present == null
				|| !(TransactionSynchronizationManager.getResource(present) instanceof ConnectionHolder holder)) {
			return false;
		}
		try {
			// One that was only used is bound to the thread, too, and commits by itself.
			return !holder.getConnection().getAutoCommit();
		}
		catch (SQLException ex) {
			throw translated("look for a transaction", ex);
		}
	}

	@Override
	public void raise(Leadership leadership) {
		if (this.raised.getOrDefault(leadership.leaseId(), 0L) < leadership.term()) {
			apart("raise the fence", (connection) -> raised(connection, leadership));
			this.raised.merge(leadership.leaseId(), leadership.term(), Math::max);
		}
	}

	private boolean raised(Connection connection, Leadership leadership) throws SQLException {
		if (shown(connection, leadership, UNLOCKED) == null) {
			insert(connection, leadership);
		}
		try (PreparedStatement statement = prepare(connection, "UPDATE %s SET term = ? WHERE id = ? AND term < ?")) {
			statement.setLong(1, leadership.term());
			statement.setString(2, leadership.leaseId());
			statement.setLong(3, leadership.term());
			statement.executeUpdate();
		}
		return isLatest(leadership, shown(connection, leadership, UNLOCKED));
	}

	/** Somebody else may do the same. */
	private void insert(Connection connection, Leadership leadership) throws SQLException {
		try (PreparedStatement statement = prepare(connection, "INSERT INTO %s (id, term) VALUES (?, 0)")) {
			statement.setString(1, leadership.leaseId());
			statement.executeUpdate();
		}
		catch (SQLException ex) {
			if (shown(connection, leadership, UNLOCKED) == null) {
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
		try {
			passInTransaction(leadership);
		}
		catch (ConcurrencyFailureException ex) {
			requireNotLost(leadership, ex);
			throw ex;
		}
	}

	private void passInTransaction(Leadership leadership) {
		DataSource present = dataSource();
		Connection connection = DataSourceUtils.getConnection(present);
		try {
			// What the database does not let write needs no fence.
			if (!connection.isReadOnly() && !isLatest(leadership, shown(connection, leadership, LOCKED))) {
				this.raised.remove(leadership.leaseId());
				throw new ConcurrencyFailureException(
						"The fence is missing in table %s: run the transaction again".formatted(this.table));
			}
		}
		catch (SQLException ex) {
			throw translated("pass the fence", ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, present);
		}
	}

	/** What has raised the fence may be the cause of a conflict. */
	private void requireNotLost(Leadership leadership, ConcurrencyFailureException conflict) {
		try {
			apart("look at the fence", (connection) -> isLatest(leadership, shown(connection, leadership, UNLOCKED)));
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
			LeadershipLostException lost = leadership.lostException();
			try {
				tell(leadership, shown);
			}
			catch (RuntimeException | Error ex) {
				lost.addSuppressed(ex);
			}
			throw lost;
		}
		return shown != null && shown == leadership.term();
	}

	/**
	 * Who leads by its own account, and is refused, is refused until somebody mends it.
	 */
	private void tell(Leadership leadership, long shown) {
		if (leadership.isHeld()
				&& !Objects.equals(this.told.put(leadership.leaseId(), leadership.term()), leadership.term())) {
			logger
				.warn("Table {} shows term {} for {}, which this process leads under term {}: fenced transactions are "
						+ "refused. If its leases were moved or restored, terms have begun anew: stop all instances, and "
						+ "delete the rows of the table", this.table, shown, leadership.leaseId(), leadership.term());
		}
	}

	private @Nullable Long shown(Connection connection, Leadership leadership, String locking) throws SQLException {
		try (PreparedStatement statement = prepare(connection, "SELECT term FROM %s WHERE id = ?" + locking)) {
			statement.setString(1, leadership.leaseId());
			try (ResultSet row = statement.executeQuery()) {
				return row.next() ? row.getLong(1) : null;
			}
		}
	}

	private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		PreparedStatement statement = connection.prepareStatement(sql.formatted(this.table));
		statement.setQueryTimeout(PATIENCE_SECONDS);
		return statement;
	}

	/** Work on a connection of its own, each of whose statements commits by itself. */
	private <T extends @Nullable Object> T apart(String task, Work<T> work) {
		try (Connection connection = dataSource().getConnection()) {
			boolean committing = connection.getAutoCommit();
			try {
				connection.setAutoCommit(true);
				return work.perform(connection);
			}
			finally {
				connection.setAutoCommit(committing);
			}
		}
		catch (SQLException ex) {
			throw translated(task, ex);
		}
	}

	/** Return what {@code JdbcTemplate} would throw. */
	private DataAccessException translated(String task, SQLException failure) {
		DataAccessException translated = this.translator.translate(task, null, failure);
		return (translated != null) ? translated : new UncategorizedSQLException(task, null, failure);
	}

	@Override
	public void requireUsable() {
		try {
			apart("look for the table of fences", (connection) -> {
				try (PreparedStatement statement = prepare(connection, "SELECT id, term FROM %s WHERE id = ''")) {
					return statement.execute();
				}
			});
		}
		catch (BadSqlGrammarException ex) {
			throw new UnusableFenceException(
					"the database has no table %s that this application may read".formatted(this.table),
					"Create it: CREATE TABLE %s (id VARCHAR(1024) PRIMARY KEY, term BIGINT NOT NULL); on MariaDB with id VARCHAR(768) COLLATE utf8mb4_nopad_bin"
						.formatted(this.table));
		}
		catch (DataAccessException ex) {
			// Who can't reach the database writes nothing there, either.
		}
	}

	private interface Work<T extends @Nullable Object> {

		T perform(Connection connection) throws SQLException;

	}

}
