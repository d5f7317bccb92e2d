package io.github.leaderelection.jdbc;

import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.leaderelection.jdbc.Connections.Session;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordQuery;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordSum;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * Records of one kind in one table. A change is one {@code INSERT}, or one {@code UPDATE}
 * or {@code DELETE} that names id and revision, and how many rows it has changed is the
 * answer. That needs no isolation beyond {@code READ COMMITTED}: a statement that waits
 * for another looks at the row again when that has committed. Of many records the
 * statements are one transaction, in the order of the ids, so that none waits for another
 * in a circle.
 */
final class JdbcRecordStore implements RecordStore {

	/** Of more ids there are several statements. */
	private static final int MOST_IDS = 1024;

	/** How long it may take to find out which database it is. */
	private static final Duration PROBE = Duration.ofSeconds(5);

	private final Connections connections;

	private final String table;

	private final Columns columns;

	private final @Nullable String queried;

	JdbcRecordStore(Connections connections, String table, RecordKind kind) {
		this.connections = connections;
		this.table = table;
		this.columns = new Columns(kind);
		this.queried = (kind.queried() != null) ? Columns.name(kind.queried()) : null;
	}

	// Reads

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		List<String> asked = List.copyOf(Set.copyOf(ids));
		if (asked.isEmpty()) {
			return new RecordReading(Map.of(), Map.of());
		}
		return this.connections.call(timeout, (session) -> {
			Reading reading = new Reading();
			for (int from = 0; from < asked.size(); from += MOST_IDS) {
				read(session, asked.subList(from, Math.min(from + MOST_IDS, asked.size())), reading);
			}
			return reading.result();
		});
	}

	private void read(Session session, List<String> ids, Reading reading) throws SQLException {
		try (PreparedStatement statement = select(session, "id IN (" + marks(ids.size()) + ")")) {
			setAll(statement, ids);
			reading.add(statement);
		}
	}

	private PreparedStatement select(Session session, String condition) throws SQLException {
		return session.prepare("SELECT %s, %s AS read_at FROM %s WHERE %s".formatted(this.columns.selected(),
				session.dialect().now(), this.table, condition));
	}

	/** Return so many marks, or some more: few statements are prepared that differ. */
	private static String marks(int number) {
		return String.join(", ", Collections.nCopies(padded(number), "?"));
	}

	private static int padded(int number) {
		return Math.max(1, Integer.highestOneBit(2 * number - 1));
	}

	private static void setAll(PreparedStatement statement, List<String> values) throws SQLException {
		for (int i = 0; i < padded(values.size()); i++) {
			statement.setString(i + 1, values.get(Math.min(i, values.size() - 1)));
		}
	}

	@Override
	public RecordReading find(RecordQuery query, Duration timeout) {
		String column = queried();
		String value = query.value();
		return this.connections.call(timeout, (session) -> {
			String condition = column + ((value != null) ? " = ?" : " IS NULL") + " AND touched_at <= "
					+ session.dialect().now() + " - ? LIMIT ?";
			try (PreparedStatement statement = select(session, condition)) {
				int index = 1;
				if (value != null) {
					statement.setString(index++, value);
				}
				statement.setLong(index++, query.unchangedFor().toMillis());
				statement.setInt(index, query.most());
				Reading reading = new Reading();
				reading.add(statement);
				return reading.result();
			}
		});
	}

	private String queried() {
		if (this.queried == null) {
			throw new UnsupportedOperationException("Records of this kind can't be found but by their ids");
		}
		return this.queried;
	}

	@Override
	public Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		String column = queried();
		List<String> asked = List.copyOf(Set.copyOf(values));
		if (asked.isEmpty()) {
			return Map.of();
		}
		String sql = "SELECT %1$s, COUNT(*), SUM(revision) FROM %2$s WHERE %1$s IN (%3$s) GROUP BY %1$s"
			.formatted(column, this.table, marks(asked.size()));
		return this.connections.call(timeout, (session) -> {
			Map<String, RecordSum> sums = new HashMap<>();
			try (PreparedStatement statement = session.prepare(sql)) {
				setAll(statement, asked);
				try (ResultSet rows = statement.executeQuery()) {
					while (rows.next()) {
						BigDecimal sum = rows.getBigDecimal(3);
						// What was edited to be greater than any sum can't be told.
						if (sum.toBigInteger().bitLength() < Long.SIZE) {
							sums.put(rows.getString(1), new RecordSum(rows.getLong(2), sum.longValue()));
						}
					}
				}
			}
			return sums;
		});
	}

	@Override
	public Instant now(Duration timeout) {
		return this.connections.call(timeout, (session) -> {
			try (PreparedStatement statement = session.prepare("SELECT " + session.dialect().now());
					ResultSet row = statement.executeQuery()) {
				row.next();
				return Instant.ofEpochMilli(row.getLong(1));
			}
		});
	}

	// Changes

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		if (records.size() == 1) {
			return insertApart(records, timeout);
		}
		// Most are there, or none is: whoever starts beside others is late, or is not.
		Set<String> present = read(records.stream().map(StoredRecord::id).toList(), timeout).changedAt().keySet();
		List<StoredRecord> absent = records.stream().filter((record) -> !present.contains(record.id())).toList();
		if (absent.isEmpty()) {
			return Set.of();
		}
		try {
			return this.connections.inTransaction(timeout, (session) -> change(session, absent, this::inserting));
		}
		catch (DuplicateException ex) {
			// Others were faster, and have undone all of it.
			return insertApart(absent, timeout);
		}
	}

	private Set<String> insertApart(Collection<StoredRecord> records, Duration timeout) {
		Set<String> inserted = new HashSet<>();
		for (StoredRecord record : records) {
			try {
				inserted.addAll(
						this.connections.call(timeout, (session) -> change(session, List.of(record), this::inserting)));
			}
			catch (DuplicateException ex) {
				// It stays as it is.
			}
		}
		return inserted;
	}

	private Change inserting(List<String> named, Session session) {
		String names = named.stream().map((field) -> ", " + Columns.name(field)).collect(Collectors.joining());
		return new Change("INSERT INTO %s (id, revision, touched_at%s) VALUES (?, ?, %s%s)".formatted(this.table, names,
				session.dialect().now(), ", ?".repeat(named.size())), (statement, record) -> {
					statement.setString(1, record.id());
					statement.setLong(2, record.revision());
					this.columns.set(statement, 3, record, named);
				});
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		return change(changed, timeout, this::replacing);
	}

	private Change replacing(List<String> named, Session session) {
		String settings = named.stream()
			.map((field) -> ", " + Columns.name(field) + " = ?")
			.collect(Collectors.joining());
		return new Change("UPDATE %s SET revision = ?, touched_at = %s%s WHERE id = ? AND revision = ?"
			.formatted(this.table, session.dialect().now(), settings), (statement, record) -> {
				statement.setLong(1, record.revision());
				this.columns.set(statement, 2, record, named);
				statement.setString(named.size() + 2, record.id());
				statement.setLong(named.size() + 3, record.revision() - 1);
			});
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		return change(
				seen.stream().map((record) -> new StoredRecord(record.id(), record.revision(), Map.of())).toList(),
				timeout,
				(named, session) -> new Change("DELETE FROM %s WHERE id = ? AND revision = ?".formatted(this.table),
						(statement, record) -> {
							statement.setString(1, record.id());
							statement.setLong(2, record.revision());
						}));
	}

	private Set<String> change(Collection<StoredRecord> records, Duration timeout, Changing changing) {
		if (records.isEmpty()) {
			return Set.of();
		}
		return (records.size() == 1) ? this.connections.call(timeout, (session) -> change(session, records, changing))
				: this.connections.inTransaction(timeout, (session) -> change(session, records, changing));
	}

	/** Make changes, those of the same fields by one statement. */
	private Set<String> change(Session session, Collection<StoredRecord> records, Changing changing)
			throws SQLException {
		Map<List<String>, List<StoredRecord>> alike = records.stream()
			.sorted(Comparator.comparing(StoredRecord::id))
			.collect(Collectors.groupingBy(this.columns::known, LinkedHashMap::new, Collectors.toList()));
		Set<String> done = new HashSet<>();
		for (Map.Entry<List<String>, List<StoredRecord>> each : alike.entrySet()) {
			Change change = changing.of(each.getKey(), session);
			try (PreparedStatement statement = session.prepare(change.sql())) {
				int[] counts = execute(statement, change, each.getValue());
				for (int i = 0; i < counts.length; i++) {
					// Some drivers don't say how many it were: that is no proof.
					if (counts[i] == 1) {
						done.add(each.getValue().get(i).id());
					}
				}
			}
			catch (SQLException ex) {
				if (Connections.isDuplicate(ex)) {
					throw new DuplicateException(ex);
				}
				throw ex;
			}
		}
		return done;
	}

	private static int[] execute(PreparedStatement statement, Change change, List<StoredRecord> records)
			throws SQLException {
		if (records.size() == 1) {
			change.parameters().set(statement, records.get(0));
			return new int[] { statement.executeUpdate() };
		}
		for (StoredRecord record : records) {
			change.parameters().set(statement, record);
			statement.addBatch();
		}
		return statement.executeBatch();
	}

	@Override
	public RecordWatch watch() {
		if (this.connections.call(PROBE, Session::dialect) != Dialect.POSTGRESQL) {
			throw new UnsupportedOperationException("this database does not tell of changes");
		}
		return PostgresWatch.open(this.connections, this.table, this);
	}

	/** Makes the statement for records that name these fields. */
	@FunctionalInterface
	private interface Changing {

		Change of(List<String> named, Session session);

	}

	/** Sets the parameters of a statement for one record. */
	@FunctionalInterface
	private interface Parameters {

		void set(PreparedStatement statement, StoredRecord record) throws SQLException;

	}

	private record Change(String sql, Parameters parameters) {

	}

	/** There is such a record already. */
	private static final class DuplicateException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		DuplicateException(SQLException cause) {
			super(cause);
		}

	}

	/** What the rows of some statements have shown. */
	private final class Reading {

		private final Map<String, StoredRecord> records = new HashMap<>();

		private final Map<String, String> damaged = new HashMap<>();

		private final Map<String, Instant> changedAt = new HashMap<>();

		private @Nullable Instant readAt;

		void add(PreparedStatement statement) throws SQLException {
			try (ResultSet rows = statement.executeQuery()) {
				while (rows.next()) {
					String id = rows.getString("id");
					this.readAt = Instant.ofEpochMilli(rows.getLong("read_at"));
					this.changedAt.put(id, Instant.ofEpochMilli(rows.getLong("touched_at")));
					try {
						this.records.put(id, JdbcRecordStore.this.columns.read(rows));
					}
					catch (DamagedRecordException ex) {
						this.damaged.put(id, String.valueOf(ex.getMessage()));
					}
				}
			}
		}

		RecordReading result() {
			return new RecordReading(this.records, this.damaged, this.changedAt, this.readAt);
		}

	}

}
