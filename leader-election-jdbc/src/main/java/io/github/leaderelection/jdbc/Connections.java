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
 * Lends connections for one call each, whose statements commit by themselves, and says
 * what a failure means: that nobody knows what the database has done, or, if it says so
 * itself, that it has done nothing.
 */
final class Connections {

	private static final Fault SCHEMA = new Fault("A table of leader election is missing, or older than this version",
			"run the file schema-postgresql.sql, schema-mariadb.sql or schema-h2.sql of leader-election-jdbc, or, with "
					+ "Spring Boot, set leader-election.jdbc.initialize-schema=always");

	private static final Fault PRIVILEGE = new Fault("The database user may not use a table of leader election",
			"grant it SELECT, INSERT, UPDATE and DELETE there");

	private static final Fault READ_ONLY = new Fault("The database takes no changes, as a replica",
			"let the DataSource connect to the primary, with PostgreSQL by targetServerType=primary");

	/**
	 * What people can put right, by SQL state, or by the number that MariaDB gives it.
	 * Tables and columns have several.
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
	 * Make a call that changes nothing. All its statements together, and all that the
	 * driver waits for, may take as long as the timeout, and no longer.
	 * @throws LeaseStoreException if there is no answer
	 */
	<T> T read(Duration timeout, Work<T> work) {
		return call(timeout, (lent) -> {
			lent.cancelInTime();
			return work.perform(lent);
		});
	}

	/**
	 * Make such a call, about a value that the database may be unable to express.
	 * @param refused what there is of it then
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
	 * Make a call that changes something, within the timeout as well.
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
	 * @param end when it is to be done with at the latest, by {@link System#nanoTime()}
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
			// Of a pool that can't begin, or of a DataSource that chooses among others.
			throw (ex.getCause() instanceof SQLException cause) ? unreachable(cause) : new LeaseStoreException(
					"There is no connection to the database: " + ex.getClass().getSimpleName(), null);
		}
	}

	/** What is sent with no time left fails as if the database were to blame. */
	private static void requireTimeLeft(Duration timeout, long end) {
		Duration left = Duration.ofNanos(end - System.nanoTime());
		if (left.multipliedBy(10).compareTo(timeout) < 0) {
			throw new LeaseStoreException(
					"No connection to the database came in time: the pool gave one after %s, of %s for the call (let it have more connections, or wait for less than operation-timeout)"
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

	/** Return whether the database says that there is such a record already. */
	static boolean isDuplicate(SQLException failure) {
		return "23505".equals(failure.getSQLState()) || failure.getErrorCode() == DUPLICATE_IN_MARIADB;
	}

	/** Return whether the database says that it does not take a record, and why. */
	static boolean isRefusal(SQLException failure) {
		return isDuplicate(failure) || String.valueOf(failure.getSQLState()).startsWith("22");
	}

	/** What does not fit is refused; whatever else it is leaves open what was done. */
	static LeaseStoreException translated(SQLException failure) {
		String state = String.valueOf(failure.getSQLState());
		if (state.startsWith("22")) {
			return new RecordRefusedException("The database does not take a record: " + failure.getMessage(), failure);
		}
		Fault fault = FAULTS.getOrDefault(state, FAULTS.get(String.valueOf(failure.getErrorCode())));
		if (fault != null) {
			return new LeaseStoreException(
					"%s: %s (%s)".formatted(fault.description(), reason(failure), fault.remedy()), fault.description(),
					failure);
		}
		return new LeaseStoreException("The database did not do what it was asked for: " + failure.getMessage(), state,
				failure);
	}

	/** Return the message without the statement, which is known here, and long. */
	static String reason(SQLException failure) {
		return String.valueOf(failure.getMessage()).split("; SQL statement|\n", 2)[0];
	}

	/** The message of a driver may quote the address, with what is secret in it. */
	private static LeaseStoreException unreachable(SQLException failure) {
		// Of a pool that can't make another, it would have a cause.
		if (failure instanceof SQLTransientConnectionException && failure.getCause() == null) {
			return new LeaseStoreException("No connection to the database is free: " + failure.getMessage(), "busy",
					null);
		}
		if (failure.getCause() instanceof InterruptedException) {
			return new LeaseStoreException(
					"No connection to the database came in time, and the wait for one was broken off "
							+ "(let the pool wait for less than operation-timeout)",
					null);
		}
		String state = String.valueOf(failure.getSQLState());
		return new LeaseStoreException("There is no connection to the database: %s%s, SQL state %s".formatted(
				failure.getClass().getSimpleName(),
				OBSTACLES.getOrDefault(state.substring(0, Math.min(2, state.length())), ""), state), null);
	}

	/**
	 * What people can put right.
	 *
	 * @param description what is wrong
	 * @param remedy what can be done
	 */
	private record Fault(String description, String remedy) {

	}

	/**
	 * What is done on a connection.
	 *
	 * @param <T> what comes of it
	 */
	@FunctionalInterface
	interface Work<T> {

		T perform(Lent lent) throws SQLException;

	}

	/** A connection that was lent, and goes back as it was. */
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
				// In whole seconds, of which none means any number. The server should end
				// the statement before the connection is given up, or it goes on there.
				case MARIADB -> statement.setQueryTimeout(Math.max(1, left / 1000));
				// One of the pool or the URL would cancel it.
				case POSTGRESQL -> statement.setQueryTimeout(0);
				// It would be kept for the next user. Waits for locks have a limit
				// anyway.
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

		/** A server that is gone must not be waited for, however it went. */
		int limit() throws SQLException {
			int left = (int) Math.max(1, (this.end - System.nanoTime()) / 1_000_000);
			this.connection.setNetworkTimeout(Runnable::run, left);
			return left;
		}

		/**
		 * Return what the pool has wrapped. A pool that is closed closes it at any
		 * moment, and would warn of each use.
		 */
		Connection beneath() throws SQLException {
			return this.connection.unwrap(Connection.class);
		}

		boolean isOpen() throws SQLException {
			return !this.connection.isClosed() && !beneath().isClosed();
		}

		/**
		 * Whatever happens, nothing is cancelled that somebody else does with it. One
		 * that is aborted fails from then on, as soon as it is given back, and pools drop
		 * it.
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

		/** What it was like before is for who gets it next; what is broken is not. */
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
				// Each statement has had its answer, or has failed.
			}
		}

	}

}
