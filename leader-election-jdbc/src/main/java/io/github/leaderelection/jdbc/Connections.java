package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Map;

import javax.sql.DataSource;

import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.ReadableDuration;
import io.github.leaderelection.store.RecordRefusedException;
import org.jspecify.annotations.Nullable;

/**
 * Lends a connection in auto-commit mode for each call, and tells what a failure means:
 * that the outcome is unknown or, if the database says so itself, that nothing was
 * changed.
 */
final class Connections {

	private static final Fault SCHEMA = new Fault("A leader election table is missing or older than this version",
			"run schema-postgresql.sql, schema-mariadb.sql or schema-h2.sql of leader-election-jdbc, or, with "
					+ "Spring Boot, set leader-election.jdbc.initialize-schema=always");

	private static final Fault PRIVILEGE = new Fault("The database user has no access to a leader election table",
			"grant SELECT, INSERT, UPDATE and DELETE on it");

	private static final Fault READ_ONLY = new Fault("The database is read-only, like a replica",
			"connect the DataSource to the primary, for PostgreSQL with targetServerType=primary");

	/**
	 * Faults that people can fix, by SQL state or by MariaDB's error number. Missing
	 * tables and columns have several.
	 */
	private static final Map<String, Fault> FAULTS = Map.ofEntries(Map.entry("42P01", SCHEMA),
			Map.entry("42703", SCHEMA), Map.entry("42S02", SCHEMA), Map.entry("42S04", SCHEMA),
			Map.entry("42S22", SCHEMA), Map.entry("42501", PRIVILEGE), Map.entry("90096", PRIVILEGE),
			Map.entry("1142", PRIVILEGE), Map.entry("1143", PRIVILEGE), Map.entry("25006", READ_ONLY),
			Map.entry("1290", READ_ONLY));

	/** Why there is no connection, by the class of the SQL state. */
	private static final Map<String, String> OBSTACLES = Map.of("08", ", it can't be reached", "28",
			", the user or the password is refused", "3D", ", there is no such database");

	private static final int DUPLICATE_IN_MARIADB = 1062;

	private final DataSource dataSource;

	private final DurabilityCheck durability = new DurabilityCheck(
			(timeout) -> read(timeout, (lent) -> lent.dialect().weaknesses(lent)));

	private volatile @Nullable Dialect dialect;

	Connections(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Make a call that changes nothing. The timeout covers all its statements together,
	 * including everything the driver waits for.
	 * @throws LeaseStoreException if there is no answer
	 */
	<T> T read(Duration timeout, Work<T> work) {
		return call(timeout, (lent) -> {
			lent.cancelInTime();
			return work.perform(lent);
		});
	}

	/**
	 * Make a call that changes nothing, about a value that the database may be unable to
	 * express.
	 * @param refused the result in that case
	 * @throws LeaseStoreException if there is no answer
	 */
	<T> T read(Duration timeout, T refused, Work<T> work) {
		try {
			return read(timeout, work);
		}
		catch (RecordRefusedException ex) {
			return refused;
		}
	}

	/**
	 * Make a call that may change something, within the timeout.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	<T> T call(Duration timeout, Work<T> work) {
		long end = System.nanoTime() + timeout.toNanos();
		try (Lent lent = lend(end)) {
			requireTimeLeft(timeout, end);
			T result = work.perform(lent);
			this.durability.runIfDue();
			return result;
		}
		catch (SQLException ex) {
			throw translated(ex);
		}
	}

	/**
	 * Lend a connection.
	 * @param end when the caller must be done with it, by {@link System#nanoTime()}
	 */
	Lent lend(long end) {
		try {
			Connection connection = this.dataSource.getConnection();
			try {
				return new Lent(connection, dialect(connection), end);
			}
			catch (SQLException | RuntimeException | Error ex) {
				connection.close();
				throw ex;
			}
		}
		catch (SQLException ex) {
			throw unreachable(ex);
		}
		catch (LeaseStoreException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			// From a pool that can't start, or from a DataSource that routes to others.
			throw (ex.getCause() instanceof SQLException cause) ? unreachable(cause)
					: new LeaseStoreException("No connection to the database: " + ex.getClass().getSimpleName(), null);
		}
	}

	/** Fail early: without time left, the database would seem to be to blame. */
	private static void requireTimeLeft(Duration timeout, long end) {
		Duration left = Duration.ofNanos(end - System.nanoTime());
		if (left.multipliedBy(10).compareTo(timeout) < 0) {
			throw new LeaseStoreException(
					"No database connection in time: the pool took %s of the %s for the call (give it more connections, or a connection timeout shorter than operation-timeout)"
						.formatted(ReadableDuration.of(timeout.minus(left)), ReadableDuration.of(timeout)),
					"busy", null);
		}
	}

	private Dialect dialect(Connection connection) throws SQLException {
		Dialect known = this.dialect;
		if (known == null) {
			known = Dialect.of(connection);
			this.dialect = known;
		}
		return known;
	}

	/** Return whether the database says that the record already exists. */
	static boolean isDuplicate(SQLException failure) {
		return "23505".equals(failure.getSQLState()) || failure.getErrorCode() == DUPLICATE_IN_MARIADB;
	}

	/** Return whether the database refuses a record: a duplicate, or invalid data. */
	static boolean isRefusal(SQLException failure) {
		return isDuplicate(failure) || String.valueOf(failure.getSQLState()).startsWith("22");
	}

	/** Data exceptions are refusals; any other failure leaves the outcome unknown. */
	static LeaseStoreException translated(SQLException failure) {
		String state = String.valueOf(failure.getSQLState());
		if (state.startsWith("22")) {
			return new RecordRefusedException("The database rejected a record: " + failure.getMessage(), failure);
		}
		Fault fault = FAULTS.getOrDefault(state, FAULTS.get(String.valueOf(failure.getErrorCode())));
		if (fault != null) {
			return new LeaseStoreException(
					"%s: %s (%s)".formatted(fault.description(), reason(failure), fault.remedy()), fault.description(),
					failure);
		}
		return new LeaseStoreException("The database failed to execute a statement: " + failure.getMessage(), state,
				failure);
	}

	/** Return the message without the statement, which is long and known here. */
	static String reason(SQLException failure) {
		return String.valueOf(failure.getMessage()).split("; SQL statement|\n", 2)[0];
	}

	/** Leave out the driver's message, which may quote the address, with secrets. */
	private static LeaseStoreException unreachable(SQLException failure) {
		// The pool is exhausted: a failure to connect would be the cause.
		if (failure instanceof SQLTransientConnectionException && failure.getCause() == null) {
			return new LeaseStoreException("No connection to the database is free: " + failure.getMessage(), "busy",
					null);
		}
		if (failure.getCause() instanceof InterruptedException) {
			return new LeaseStoreException(
					"No database connection became free in time (give the pool a connection timeout "
							+ "shorter than operation-timeout)",
					null);
		}
		String state = String.valueOf(failure.getSQLState());
		if (state.equals("42000") && failure.getErrorCode() == 0) {
			// MariaDB's driver says so of anything that it has no state for, as of a
			// connection that was closed meanwhile.
			state = "08000";
		}
		String obstacle = state.substring(0, Math.min(2, state.length()));
		return new LeaseStoreException("No connection to the database: %s%s, SQL state %s"
			.formatted(failure.getClass().getSimpleName(), OBSTACLES.getOrDefault(obstacle, ""), state),
				"no connection " + obstacle, null);
	}

	/**
	 * A fault that people can fix.
	 *
	 * @param description what is wrong
	 * @param remedy what can be done
	 */
	private record Fault(String description, String remedy) {

	}

	/**
	 * Work to be done on a connection.
	 *
	 * @param <T> the type of its result
	 */
	@FunctionalInterface
	interface Work<T> {

		T perform(Lent lent) throws SQLException;

	}

	/** A lent connection, which goes back with its original settings. */
	static final class Lent implements AutoCloseable {

		private final Connection connection;

		private final Dialect dialect;

		private final long end;

		private final boolean committing;

		private final int networkTimeout;

		private @Nullable PostgresCancel cancel;

		private Lent(Connection connection, Dialect dialect, long end) throws SQLException {
			this.connection = connection;
			this.dialect = dialect;
			this.end = end;
			this.networkTimeout = connection.getNetworkTimeout();
			this.committing = connection.getAutoCommit();
			limit();
			if (!this.committing) {
				connection.setAutoCommit(true);
			}
		}

		Connection connection() {
			return this.connection;
		}

		Dialect dialect() {
			return this.dialect;
		}

		PreparedStatement prepare(String sql) throws SQLException {
			PreparedStatement statement = this.connection.prepareStatement(sql);
			int left = limit();
			switch (this.dialect) {
				// In whole seconds, and zero means no limit. The server should end the
				// statement before the connection is given up: otherwise it keeps
				// running.
				case MARIADB -> statement.setQueryTimeout(Math.max(1, left / 1000));
				// A timeout of the pool or the URL would cancel the statement.
				case POSTGRESQL -> statement.setQueryTimeout(0);
				// H2 would keep it for the next user of the connection. Waits for locks
				// have a limit anyway.
				case H2 -> {
				}
			}
			return statement;
		}

		private void cancelInTime() throws SQLException {
			if (this.dialect == Dialect.POSTGRESQL) {
				this.cancel = PostgresCancel.before(this.end, this.connection);
			}
		}

		/**
		 * Limit each wait for the server, which may be gone, to the time left.
		 * @return the time left in milliseconds, at least 1
		 */
		int limit() throws SQLException {
			int left = (int) Math.max(1, (this.end - System.nanoTime()) / 1_000_000);
			this.connection.setNetworkTimeout(Runnable::run, left);
			return left;
		}

		/**
		 * Return the connection that the pool has wrapped. A pool that is closed may
		 * close it at any moment, and would then log a warning for each use of the
		 * wrapper.
		 */
		Connection beneath() throws SQLException {
			return this.connection.unwrap(Connection.class);
		}

		boolean isOpen() throws SQLException {
			return !this.connection.isClosed() && !beneath().isClosed();
		}

		/**
		 * Make sure that the next user of the connection is not hit by a cancel request.
		 * If one may still be on its way, abort the connection: it then fails when it is
		 * given back, and pools drop it.
		 * @return whether it was open
		 */
		private boolean endCancel() throws SQLException {
			boolean open = false;
			try {
				open = isOpen();
			}
			finally {
				if (this.cancel != null && !this.cancel.end(open ? this.end : System.nanoTime()) && open) {
					beneath().abort(Runnable::run);
				}
			}
			return open;
		}

		/** Restore the settings for the next user, unless the connection is broken. */
		@Override
		public void close() {
			try (Connection returned = this.connection) {
				if (endCancel()) {
					if (!this.committing) {
						returned.setAutoCommit(false);
					}
					returned.setNetworkTimeout(Runnable::run, this.networkTimeout);
				}
			}
			catch (SQLException ex) {
				// Each statement has been answered or has failed already.
			}
		}

	}

}
