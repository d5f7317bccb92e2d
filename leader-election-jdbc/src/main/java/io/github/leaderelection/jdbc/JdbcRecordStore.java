package io.github.leaderelection.jdbc;

import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

import io.github.leaderelection.jdbc.Connections.Lent;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the records of one kind in one table. A change is one {@code INSERT}, or one
 * {@code UPDATE} or {@code DELETE} that names id and revision; the number of rows that it
 * affects tells whether it was made. Each change commits by itself, or with the batch
 * that it is sent in, so a process that has crashed keeps no row locked.
 * {@code READ COMMITTED} is sufficient: a statement that has waited for another reads the
 * row again when that has committed. Statements for the same fields are sent in the order
 * of the ids, so that they do not deadlock.
 */
final class JdbcRecordStore implements RecordStore {

	/** How many ids one statement may name. More ids take several statements. */
	private static final int MOST_IDS = 1024;

	/** How often to try a batch: others may briefly insert the same records. */
	private static final int ATTEMPTS = 5;

	/** Time allowed for finding out which database it is. */
	private static final Duration PROBE = Duration.ofSeconds(5);

	/** The SQL states for characters that the database's encoding can't express. */
	private static final Set<String> INEXPRESSIBLE = Set.of("22P05", "22021");

	private static final String REMEDY = " (use a database with encoding UTF8, or names that its encoding can express)";

	private final Connections connections;

	private final String table;

	private final Columns columns;

	private final String queried;

	JdbcRecordStore(Connections connections, String table, RecordKind kind) {
		this.connections = connections;
		this.table = table;
		this.columns = new Columns(kind);
		this.queried = Columns.name(kind.queried());
	}

	// Reads

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		List<String> asked = List.copyOf(Set.copyOf(ids));
		if (asked.isEmpty()) {
			return new RecordReading(Map.of(), Map.of());
		}
		return this.connections.read(timeout, (lent) -> read(lent, asked));
	}

	private RecordReading read(Lent lent, List<String> ids) throws SQLException {
		Reading reading = new Reading();
		for (int from = 0; from < ids.size(); from += MOST_IDS) {
			read(lent, ids.subList(from, Math.min(from + MOST_IDS, ids.size())), reading);
		}
		return reading.result();
	}

	/** Read records. If one id can't be encoded, all are refused: halve the list. */
	private void read(Lent lent, List<String> ids, Reading reading) throws SQLException {
		try (PreparedStatement statement = select(lent, "id IN (" + marks(ids.size()) + ")")) {
			setAll(statement, ids);
			reading.add(statement);
		}
		catch (SQLException ex) {
			if (!Connections.isRefusal(ex)) {
				throw ex;
			}
			if (ids.size() == 1) {
				reading.damaged.put(ids.get(0), Connections.reason(ex)
						+ (INEXPRESSIBLE.contains(String.valueOf(ex.getSQLState())) ? REMEDY : ""));
				return;
			}
			int half = ids.size() / 2;
			read(lent, ids.subList(0, half), reading);
			read(lent, ids.subList(half, ids.size()), reading);
		}
	}

	private PreparedStatement select(Lent lent, String condition) throws SQLException {
		return lent.prepare("SELECT %s, %s AS read_at FROM %s WHERE %s".formatted(this.columns.selected(),
				lent.dialect().now(), this.table, condition));
	}

	/** Return so many marks or more, so that few different statements are prepared. */
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
		String value = query.value();
		return this.connections.read(timeout, new RecordReading(Map.of(), Map.of()), (lent) -> {
			// Only if asked for: it would hide records after the clock was set back.
			boolean any = query.unchangedFor().isZero();
			String condition = this.queried + ((value != null) ? " = ?" : " IS NULL")
					+ (any ? "" : " AND touched_at <= " + lent.dialect().now() + " - ?") + " LIMIT ?";
			try (PreparedStatement statement = select(lent, condition)) {
				int index = 1;
				if (value != null) {
					statement.setString(index++, value);
				}
				if (!any) {
					statement.setLong(index++, query.unchangedFor().toMillis());
				}
				statement.setInt(index, query.most());
				Reading reading = new Reading();
				reading.add(statement);
				return reading.result();
			}
		});
	}

	@Override
	public Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		List<String> asked = List.copyOf(Set.copyOf(values));
		if (asked.isEmpty()) {
			return Map.of();
		}
		String sql = "SELECT %1$s, COUNT(*), SUM(revision) FROM %2$s WHERE %1$s IN (%3$s) GROUP BY %1$s"
			.formatted(this.queried, this.table, marks(asked.size()));
		return this.connections.read(timeout, Map.of(), (lent) -> {
			Map<String, RecordSum> sums = new HashMap<>();
			try (PreparedStatement statement = lent.prepare(sql)) {
				setAll(statement, asked);
				try (ResultSet rows = statement.executeQuery()) {
					while (rows.next()) {
						BigDecimal sum = rows.getBigDecimal(3);
						// Too large: someone has edited a revision. Leave it out.
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
		return this.connections.read(timeout, (lent) -> {
			try (PreparedStatement statement = lent.prepare("SELECT " + lent.dialect().now());
					ResultSet row = statement.executeQuery()) {
				row.next();
				return Instant.ofEpochMilli(row.getLong(1));
			}
		});
	}

	// Changes

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		return change(records, timeout, this::inserting);
	}

	private Change inserting(List<String> named, String now) {
		String names = named.stream().map((field) -> ", " + Columns.name(field)).collect(Collectors.joining());
		return new Change("INSERT INTO %s (id, revision, touched_at%s) VALUES (?, ?, %s%s)".formatted(this.table, names,
				now, ", ?".repeat(named.size())), (statement, record) -> {
					statement.setString(1, record.id());
					statement.setLong(2, record.revision());
					this.columns.set(statement, 3, record, named);
				});
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		return change(changed, timeout, this::replacing);
	}

	private Change replacing(List<String> named, String now) {
		String settings = named.stream()
			.map((field) -> ", " + Columns.name(field) + " = ?")
			.collect(Collectors.joining());
		return new Change("UPDATE %s SET revision = ?, touched_at = %s%s WHERE id = ? AND revision = ?"
			.formatted(this.table, now, settings), (statement, record) -> {
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
				(named, now) -> new Change(
						"DELETE FROM %s WHERE id = ? AND revision = ? AND %s IS NOT NULL".formatted(this.table, now),
						(statement, record) -> {
							statement.setString(1, record.id());
							statement.setLong(2, record.revision());
						}));
	}

	private Set<String> change(Collection<StoredRecord> records, Duration timeout, Changing changing) {
		if (records.isEmpty()) {
			return Set.of();
		}
		return this.connections.call(timeout, (lent) -> change(lent, records, changing, lent.dialect().now(timeout)));
	}

	/** Make changes, with one statement for all records that have the same fields. */
	private Set<String> change(Lent lent, Collection<StoredRecord> records, Changing changing, String now)
			throws SQLException {
		Map<List<String>, List<StoredRecord>> alike = records.stream()
			.sorted(Comparator.comparing(StoredRecord::id))
			.collect(Collectors.groupingBy((record) -> List.copyOf(record.fields().keySet()), LinkedHashMap::new,
					Collectors.toList()));
		Set<String> done = new HashSet<>();
		List<SQLException> refusals = new ArrayList<>();
		for (Map.Entry<List<String>, List<StoredRecord>> each : alike.entrySet()) {
			Change change = changing.of(each.getKey(), now);
			try (PreparedStatement statement = lent.prepare(change.sql())) {
				execute(statement, change, each.getValue(), lent, done, refusals);
			}
		}
		if (refusals.size() == records.size()) {
			throw refusals.get(0);
		}
		return done;
	}

	/**
	 * Execute a change for several records, in a batch if possible. A refused record does
	 * not affect the others, except that each is then sent by itself, which takes time.
	 * The driver may have sent part of a very large batch ahead: those changes are made
	 * but not reported.
	 */
	private void execute(PreparedStatement statement, Change change, List<StoredRecord> records, Lent lent,
			Set<String> done, List<SQLException> refusals) throws SQLException {
		List<StoredRecord> left = records;
		for (int i = 0; i < ATTEMPTS && left.size() > 1 && lent.dialect().batches(); i++) {
			try {
				for (StoredRecord record : left) {
					change.parameters().set(statement, record);
					statement.addBatch();
				}
				int unused = lent.limit();
				note(statement.executeBatch(), change, left, done);
				return;
			}
			catch (SQLException ex) {
				if (!Connections.isRefusal(ex)) {
					throw ex;
				}
				if (!change.isInsert() || !Connections.isDuplicate(ex)) {
					break;
				}
				// Others insert the same records. Existing records stay as they are.
				Set<String> present = read(lent, left.stream().map(StoredRecord::id).toList()).changedAt().keySet();
				left = left.stream().filter((record) -> !present.contains(record.id())).toList();
			}
		}
		note(executeEach(statement, change, left, lent, refusals), change, left, done);
	}

	private static void note(int[] counts, Change change, List<StoredRecord> records, Set<String> done) {
		for (int i = 0; i < counts.length; i++) {
			if (counts[i] == 1 || (change.isInsert() && counts[i] == Statement.SUCCESS_NO_INFO)) {
				done.add(records.get(i).id());
			}
		}
	}

	/** Execute each change by itself. An existing record is no refusal, and stays. */
	private static int[] executeEach(PreparedStatement statement, Change change, List<StoredRecord> records, Lent lent,
			List<SQLException> refusals) throws SQLException {
		int[] counts = new int[records.size()];
		for (int i = 0; i < counts.length; i++) {
			change.parameters().set(statement, records.get(i));
			// The statements share the time of the call.
			int unused = lent.limit();
			try {
				counts[i] = statement.executeUpdate();
			}
			catch (SQLException ex) {
				if (!Connections.isRefusal(ex)) {
					throw ex;
				}
				if (!change.isInsert() || !Connections.isDuplicate(ex)) {
					refusals.add(ex);
				}
			}
		}
		return counts;
	}

	@Override
	public RecordWatch watch() {
		if (this.connections.read(PROBE, Lent::dialect) != Dialect.POSTGRESQL) {
			throw new UnsupportedOperationException("this database does not push changes");
		}
		return PostgresWatch.open(this.connections, this.table, this);
	}

	/**
	 * Creates the change for records that have the named fields. Its statement must
	 * evaluate the expression for the present time, which may set a limit for it.
	 */
	@FunctionalInterface
	private interface Changing {

		Change of(List<String> named, String now);

	}

	/** Sets the parameters of a statement for one record. */
	@FunctionalInterface
	private interface Parameters {

		void set(PreparedStatement statement, StoredRecord record) throws SQLException;

	}

	private record Change(String sql, Parameters parameters) {

		/** Inserts affect one row each; drivers need not report that in a batch. */
		boolean isInsert() {
			return this.sql.startsWith("INSERT");
		}

	}

	/** Collects the rows of several statements. */
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
