package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;

import io.github.leaderelection.store.RecordChange;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The changes of a table on PostgreSQL, by {@code LISTEN}, on a connection of its own. A
 * trigger of the table notifies with the operation, of which only {@code DELETE} matters,
 * a space, and the id of the record. The channel has the name of the table, a dot of a
 * schema being an underscore.
 */
final class PostgresWatch implements RecordWatch {

	private static final Duration PATIENCE = Duration.ofSeconds(25);

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private static final String PROBE = "PROBE";

	private static final String REMOVED = "DELETE ";

	private final Connection connection;

	private final PGConnection listening;

	private final RecordStore store;

	/** What was told, and was not shown yet. */
	private final Deque<String> told = new ArrayDeque<>();

	private PostgresWatch(Connection connection, RecordStore store) throws SQLException {
		this.connection = connection;
		this.listening = connection.unwrap(PGConnection.class);
		this.store = store;
	}

	static RecordWatch open(Connections connections, String table, RecordStore store) {
		Connection connection = connections.borrow();
		try {
			PostgresWatch watch = new PostgresWatch(connection, store);
			watch.listen(connections, table.replace('.', '_'));
			return watch;
		}
		catch (SQLException ex) {
			close(connection);
			throw Connections.translated(ex);
		}
		catch (RuntimeException | Error ex) {
			close(connection);
			throw ex;
		}
	}

	/**
	 * A pooler between here and the database may give the connection to somebody else
	 * after each transaction: then nobody hears of anything.
	 */
	private void listen(Connections connections, String channel) throws SQLException {
		execute(this.connection, "LISTEN " + channel);
		String probe = PROBE + " " + UUID.randomUUID();
		try (Connection other = connections.borrow()) {
			execute(other, "SELECT pg_notify('%s', '%s')".formatted(channel, probe));
		}
		long end = System.nanoTime() + LIMIT.toNanos();
		while (System.nanoTime() - end < 0) {
			receive(LIMIT.toMillis());
			if (this.told.remove(probe)) {
				return;
			}
		}
		throw new UnsupportedOperationException("notifications of PostgreSQL do not arrive here. Is there a pooler in "
				+ "transaction mode? Let leader election have a DataSource that does without");
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.setQueryTimeout((int) LIMIT.toSeconds());
			statement.execute(sql);
		}
	}

	private void receive(long millis) throws SQLException {
		PGNotification[] received = this.listening.getNotifications((int) millis);
		if (received != null) {
			for (PGNotification each : received) {
				this.told.add(each.getParameter());
			}
		}
	}

	@Override
	public @Nullable RecordChange next() {
		try {
			if (this.told.isEmpty()) {
				receive(PATIENCE.toMillis());
			}
		}
		catch (SQLException ex) {
			throw Connections.translated(ex);
		}
		String notification = this.told.poll();
		return (notification != null && !notification.startsWith(PROBE)) ? change(notification) : null;
	}

	/** A record is shown as it is now, which may be later. */
	private RecordChange change(String notification) {
		if (notification.startsWith(REMOVED)) {
			return RecordChange.removal(notification.substring(REMOVED.length()));
		}
		String id = notification.substring(notification.indexOf(' ') + 1);
		StoredRecord record = this.store.read(List.of(id), LIMIT).records().get(id);
		return (record != null) ? RecordChange.of(record) : RecordChange.UNCLEAR;
	}

	@Override
	public void close() {
		close(this.connection);
	}

	/** Who gets the connection next shall hear of nothing. */
	private static void close(Connection connection) {
		try (connection) {
			if (!connection.isClosed()) {
				execute(connection, "UNLISTEN *");
			}
		}
		catch (SQLException ex) {
			// It is broken, and heard of nothing any more.
		}
	}

}
