package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;

import javax.sql.DataSource;

import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordRefusedException;
import org.jspecify.annotations.Nullable;

/**
 * Lends connections for one call each, and says what a failure means: that nobody knows
 * what the database has done, or, if it says so itself, that it has done nothing.
 */
final class Connections {

	private final DataSource dataSource;

	private volatile @Nullable Dialect dialect;

	Connections(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Make a call, each statement of which commits by itself.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	<T> T call(Duration timeout, Work<T> work) {
		try (Connection connection = open()) {
			try {
				return work.perform(new Session(connection, dialect(connection), timeout));
			}
			catch (SQLException ex) {
				throw translated(ex);
			}
		}
		catch (SQLException ex) {
			throw unreachable(ex);
		}
	}

	/**
	 * Make a call whose statements take effect together, or not at all.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	<T> T inTransaction(Duration timeout, Work<T> work) {
		return call(timeout, (session) -> {
			Connection connection = session.connection();
			connection.setAutoCommit(false);
			try {
				T result = work.perform(session);
				connection.commit();
				return result;
			}
			catch (SQLException | RuntimeException ex) {
				rollBack(connection, ex);
				throw ex;
			}
			finally {
				connection.setAutoCommit(true);
			}
		});
	}

	private static void rollBack(Connection connection, Exception failure) {
		try {
			connection.rollback();
		}
		catch (SQLException ex) {
			failure.addSuppressed(ex);
		}
	}

	private Connection open() throws SQLException {
		Connection connection = this.dataSource.getConnection();
		try {
			if (!connection.getAutoCommit()) {
				connection.setAutoCommit(true);
			}
			return connection;
		}
		catch (SQLException | RuntimeException ex) {
			connection.close();
			throw ex;
		}
	}

	/** Borrow a connection for longer; whoever does closes it. */
	Connection borrow() {
		try {
			return open();
		}
		catch (SQLException ex) {
			throw unreachable(ex);
		}
	}

	Dialect dialect(Connection connection) throws SQLException {
		Dialect known = this.dialect;
		if (known == null) {
			known = Dialect.of(connection);
			this.dialect = known;
		}
		return known;
	}

	/** Return whether the database says that there is such a record already. */
	static boolean isDuplicate(SQLException failure) {
		String state = failure.getSQLState();
		return state != null && state.startsWith("23");
	}

	/** What does not fit is refused; whatever else it is leaves open what was done. */
	static LeaseStoreException translated(SQLException failure) {
		String state = String.valueOf(failure.getSQLState());
		if (state.startsWith("22")) {
			return new RecordRefusedException("The database does not take a record: " + failure.getMessage(), failure);
		}
		String what = (failure instanceof SQLTimeoutException) ? "The database did not answer in time: "
				: "The database did not do what it was asked for: ";
		return new LeaseStoreException(what + failure.getMessage(), state, failure);
	}

	private static LeaseStoreException unreachable(SQLException failure) {
		String what = (failure instanceof SQLTransientConnectionException) ? "No connection to the database is free: "
				: "There is no connection to the database: ";
		return new LeaseStoreException(what + failure.getMessage(), what, failure);
	}

	/**
	 * What is done on a connection.
	 *
	 * @param <T> what comes of it
	 */
	@FunctionalInterface
	interface Work<T> {

		T perform(Session session) throws SQLException;

	}

	/**
	 * A connection that was lent.
	 *
	 * @param connection the connection
	 * @param dialect that of its database
	 * @param timeout how long each statement may take
	 */
	record Session(Connection connection, Dialect dialect, Duration timeout) {

		PreparedStatement prepare(String sql) throws SQLException {
			PreparedStatement statement = this.connection.prepareStatement(sql);
			// JDBC counts in seconds, and takes none for any number of them.
			statement.setQueryTimeout((int) ((this.timeout.toMillis() + 999) / 1000));
			return statement;
		}

	}

}
