package io.github.leaderelection.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;

import io.github.leaderelection.jdbc.Connections.Lent;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Watches a table on PostgreSQL with {@code LISTEN}, on a connection of its own. A
 * trigger of the table notifies with the operation, a space, and the id of the record. Of
 * the operations, only {@code DELETE} matters. The channel has the name of the table,
 * with an underscore for the dot after a schema.
 */
final class PostgresWatch implements RecordWatch {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private static final String PROBE = "PROBE ";

	private static final String REMOVED = "DELETE ";

	private final Connections connections;

	private final Lent lent;

	private final RecordStore store;

	private final Queue<RecordChange> changes = new ArrayDeque<>();

	private PostgresWatch(Connections connections, RecordStore store) {
		this.connections = connections;
		// The connection is held for as long as the watch is open.
		this.lent = connections.lend(System.nanoTime() + Duration.ofDays(20).toNanos());
		this.store = store;
	}

	static RecordWatch open(Connections connections, String table, RecordStore store) {
		PostgresWatch watch = new PostgresWatch(connections, store);
		try {
			watch.listen(table, table.replace('.', '_'));
			return watch;
		}
		catch (SQLException ex) {
			watch.close();
			throw Connections.translated(ex);
		}
		catch (RuntimeException | Error ex) {
			watch.close();
			throw ex;
		}
	}

	/**
	 * Start to listen, and verify that notifications arrive. They do not if the table
	 * lacks its trigger, or if a pooler in between gives the connection to another client
	 * after each transaction.
	 */
	private void listen(String table, String channel) throws SQLException {
		execute(this.lent.connection(), "LISTEN " + channel);
		String probe = PROBE + UUID.randomUUID();
		// Each argument of a trigger ends with a zero byte, which becomes a backslash and
		// digits.
		boolean told = this.connections.call(LIMIT, (other) -> {
			try (PreparedStatement statement = other.prepare("""
					SELECT pg_notify('%1$s', '%2$s') FROM pg_trigger
					WHERE tgrelid = '%3$s'::regclass AND tgenabled IN ('O', 'A')
						AND split_part(encode(tgargs, 'escape'), chr(92), 1) = '%1$s' LIMIT 1
					""".formatted(channel, probe, table)); ResultSet triggers = statement.executeQuery()) {
				return triggers.next();
			}
		});
		if (!told) {
			throw new UnsupportedOperationException(
					"table %s has no enabled trigger that notifies '%s': create it as schema-postgresql.sql does"
						.formatted(table, channel));
		}
		long end = System.nanoTime() + LIMIT.toNanos();
		while (System.nanoTime() - end < 0) {
			if (receive(LIMIT).contains(probe)) {
				return;
			}
		}
		throw new UnsupportedOperationException("PostgreSQL notifications do not arrive. Is there a pooler in "
				+ "transaction mode? Give leader election a DataSource that bypasses it");
	}

	/** Execute a statement within the limit, or break the connection. */
	private static boolean execute(Connection connection, String sql) throws SQLException {
		connection.setNetworkTimeout(Runnable::run, (int) LIMIT.toMillis());
		try (Statement statement = connection.createStatement()) {
			return statement.execute(sql);
		}
	}

	/** Return the notifications that have arrived, without duplicates. */
	private Set<String> receive(Duration patience) throws SQLException {
		PGNotification[] received = this.lent.connection()
			.unwrap(PGConnection.class)
			.getNotifications((int) patience.toMillis());
		Set<String> told = new LinkedHashSet<>();
		if (received != null) {
			for (PGNotification each : received) {
				told.add(each.getParameter());
			}
		}
		return told;
	}

	@Override
	public @Nullable RecordChange next() {
		RecordChange next = this.changes.poll();
		if (next != null) {
			return next;
		}
		try {
			Set<String> told = receive(PATIENCE);
			if (told.isEmpty()) {
				// Nothing arrives on a broken connection either: this call would fail.
				boolean unused = execute(this.lent.connection(), "SELECT 1");
			}
			told.removeIf((each) -> each.startsWith(PROBE));
			show(told);
		}
		catch (SQLException ex) {
			throw Connections.translated(ex);
		}
		return this.changes.poll();
	}

	/** Queue changed records as they are now, perhaps newer, and then the removals. */
	private void show(Set<String> told) {
		Set<String> changed = new LinkedHashSet<>();
		Set<String> removed = new LinkedHashSet<>();
		told.forEach(
				(each) -> (each.startsWith(REMOVED) ? removed : changed).add(each.substring(each.indexOf(' ') + 1)));
		RecordReading reading = this.store.read(changed, LIMIT);
		for (String id : changed) {
			StoredRecord record = reading.records().get(id);
			this.changes.add((record != null) ? RecordChange.of(record) : RecordChange.UNCLEAR);
		}
		removed.forEach((id) -> this.changes.add(RecordChange.removal(id)));
	}

	/** Stop listening: the next user of the connection must not receive notifications. */
	@Override
	public void close() {
		try (Lent returned = this.lent) {
			if (returned.isOpen()) {
				boolean unused = execute(returned.beneath(), "UNLISTEN *");
			}
		}
		catch (SQLException ex) {
			// The connection is broken, and receives nothing any more.
		}
	}

}
