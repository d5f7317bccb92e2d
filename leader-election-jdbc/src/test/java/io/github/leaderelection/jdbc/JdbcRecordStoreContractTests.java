package io.github.leaderelection.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStoreContractTests;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredRecord.OtherValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of what {@link JdbcRecordStore} adds to the contract.
 */
abstract class JdbcRecordStoreContractTests extends RecordStoreContractTests {

	private RecordStore store;

	/** Return the source of connections. */
	abstract DataSource dataSource();

	/** Return the options of the table. */
	String tableOptions() {
		return "";
	}

	@BeforeEach
	void createTable() throws SQLException {
		execute("DROP TABLE IF EXISTS test_records");
		execute("""
				CREATE TABLE test_records (id VARCHAR(700) PRIMARY KEY, revision BIGINT NOT NULL,
				touched_at BIGINT NOT NULL, text VARCHAR(100), empty VARCHAR(100), most BIGINT, least BIGINT, yes BOOLEAN,
				no BOOLEAN, date VARCHAR(64), early VARCHAR(64), nothing VARCHAR(100), note VARCHAR(100), more BOOLEAN)
				"""
				+ tableOptions());
		this.store = new JdbcRecordStores(dataSource(), "test_").store(KIND);
	}

	final void execute(String sql) throws SQLException {
		SchemaTests.execute(dataSource(), sql);
	}

	@Override
	protected RecordStore store() {
		return this.store;
	}

	@Test
	void valueTooLongForItsColumnIsRefusedAndNothingChanges() {
		insert(record(ID, 1, "first"));
		StoredRecord large = record(ID, 2, "x".repeat(101));
		assertThatExceptionOfType(RecordRefusedException.class).isThrownBy(() -> replace(large));
		assertThat(read(ID)).isEqualTo(record(ID, 1, "first"));
		assertThatExceptionOfType(RecordRefusedException.class)
			.isThrownBy(() -> insert(record("other", 1, "x".repeat(101))));
	}

	@Test
	void damagedRowDoesNotAffectOthers() throws SQLException {
		insert(record("one", 1, "a"), record("two", 1, "a"), record("three", 1, "a"));
		execute("UPDATE test_records SET date = 'tomorrow' WHERE id = 'one'");
		execute("UPDATE test_records SET revision = -1 WHERE id = 'two'");
		execute("INSERT INTO test_records (id, revision, touched_at, text) VALUES ('', 1, 1, 'a')");
		RecordReading reading = this.store.find(new RecordQuery("a", Duration.ZERO, 10), TIMEOUT);
		assertThat(reading.records()).containsOnlyKeys("one", "three");
		assertThat(reading.records().get("one").fields()).containsEntry("date",
				new OtherValue("not a date such as 2026-03-01T12:00:00Z"));
		assertThat(reading.damaged()).containsOnly(Map.entry("", "'id' must not be empty"),
				Map.entry("two", "'revision' must be a whole number between 0 and 9007199254740991 but is -1"));
	}

	@Test
	void valueTooLongForItsColumnDoesNotAffectOtherRecords() {
		insert(record("one", 1, "a"), record("two", 1, "a"));
		StoredRecord large = record("two", 2, "x".repeat(101));
		assertThat(replace(record("one", 2, "b"), large)).containsExactly("one");
		assertThat(insert(record("three", 1, "x".repeat(101)), record("four", 1, "a"))).containsExactly("four");
		assertThatExceptionOfType(RecordRefusedException.class)
			.isThrownBy(() -> insert(record("five", 1, "x".repeat(101)), record("six", 1, "x".repeat(101))));
	}

	@Test
	void lateConnectionIsNotUsed() {
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.now(Duration.ofNanos(1)))
			.withMessageStartingWith("No database connection in time: the pool took ");
	}

	@Test
	void connectionsAreReturnedInTheirOriginalState() throws SQLException {
		Connection lent = dataSource().getConnection();
		lent.setAutoCommit(false);
		AtomicBoolean first = new AtomicBoolean(true);
		// The check whether the database is durable, which follows, must not get it.
		RecordStore other = new JdbcRecordStores(
				LendingDataSource.of(() -> first.getAndSet(false) ? unclosed(lent) : dataSource().getConnection()),
				"test_")
			.store(KIND);
		assertThat(other.insert(List.of(record(ID, 1, "first")), TIMEOUT)).containsExactly(ID);
		assertThat(lent.getAutoCommit()).isFalse();
		assertThat(lent.getNetworkTimeout()).isZero();
		lent.close();
	}

	@Test
	void statementsShareTheTimeoutOfTheirCall() {
		List<String> events = new CopyOnWriteArrayList<>();
		RecordStore other = new JdbcRecordStores(
				LendingDataSource.of(() -> noting(Connection.class, dataSource().getConnection(), events)), "test_")
			.store(KIND);
		assertThat(
				other.insert(List.of(record("one", 1, "a"), record("two", 1, "a"), record("three", 1, "a")), TIMEOUT))
			.hasSize(3);
		List<String> noted = List.copyOf(events);
		List<String> ofTheCall = noted.subList(0, noted.lastIndexOf("execute") + 1);
		assertThat(String.join(" ", ofTheCall)).contains("limit execute").doesNotContain("execute execute");
	}

	/** Record the order in which time limits are set and changes are made. */
	private static <T> T noting(Class<T> type, T target, List<String> events) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				if (method.getName().equals("setNetworkTimeout")) {
					events.add("limit");
				}
				if (method.getName().equals("executeUpdate") || method.getName().equals("executeBatch")) {
					events.add("execute");
				}
				Object result = method.invoke(target, arguments);
				return (result instanceof PreparedStatement statement)
						? noting(PreparedStatement.class, statement, events) : result;
			}));
	}

	private static Connection unclosed(Connection connection) {
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> method.getName().equals("close")
						? null : method.invoke(connection, arguments));
	}

	@Test
	void secretInAnAddressIsNotReported() {
		DataSource broken = LendingDataSource.of(() -> {
			throw new SQLException("No suitable driver for jdbc:x://db?password=hunter2", "08001");
		});
		RecordStore other = new JdbcRecordStores(broken, "test_").store(KIND);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> other.now(TIMEOUT))
			.withMessage("No connection to the database: SQLException, it can't be reached, SQL state 08001")
			.withNoCause();
	}

	/**
	 * A pool passes on the last failure to connect, and with it what the driver makes of
	 * it.
	 */
	@Test
	void stateThatOnlyTheDriverGivesIsNoRefusalByTheServer() {
		SQLException closed = new SQLException("setNetworkTimeout() cannot be called on a closed connection", "42000");
		DataSource broken = LendingDataSource.of(() -> {
			throw new SQLTransientConnectionException("request timed out", closed.getSQLState(), 0, closed);
		});
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> new JdbcRecordStores(broken, "test_").store(KIND).now(TIMEOUT))
			.withMessage("No connection to the database: SQLTransientConnectionException, it can't be reached, "
					+ "SQL state 08000");
	}

	/** The store has not been tested there. */
	@Test
	void unknownDatabaseIsRefused() {
		DataSource other = LendingDataSource.of(() -> answering(Connection.class,
				Map.of("getMetaData", answering(DatabaseMetaData.class, Map.of("getDatabaseProductName", "MySQL")))));
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> new JdbcRecordStores(other, "test_").store(KIND).now(TIMEOUT))
			.withMessage("Database 'mysql' is not supported. Use PostgreSQL, MariaDB or H2");
	}

	private static <T> T answering(Class<T> type, Map<String, Object> answers) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> answers.get(method.getName())));
	}

	@Test
	void additionalColumnsStayUnchanged() throws SQLException {
		execute("ALTER TABLE test_records ADD COLUMN remark VARCHAR(100)");
		insert(record(ID, 1, "first"));
		execute("UPDATE test_records SET remark = 'ask the night shift'");
		assertThat(replace(record(ID, 2, "second"))).containsExactly(ID);
		try (Connection connection = dataSource().getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT remark FROM test_records")) {
			assertThat(rows.next()).isTrue();
			assertThat(rows.getString(1)).isEqualTo("ask the night shift");
		}
	}

	@Test
	void missingTableLeavesTheOutcomeUnknown() throws SQLException {
		execute("DROP TABLE test_records");
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> replace(record(ID, 2, "second")))
			.isNotInstanceOf(RecordRefusedException.class)
			.withMessageContaining("A leader election table is missing");
	}

	/** A pool may be set up this way. */
	@Test
	void changesAreCommittedWithoutAutoCommit() {
		DataSource careless = LendingDataSource.of(() -> {
			Connection connection = dataSource().getConnection();
			connection.setAutoCommit(false);
			return connection;
		});
		RecordStore other = new JdbcRecordStores(careless, "test_").store(KIND);
		assertThat(other.insert(List.of(record(ID, 1, "first")), TIMEOUT)).containsExactly(ID);
		assertThat(other.replace(List.of(record(ID, 2, "second")), TIMEOUT)).containsExactly(ID);
		assertThat(other.insert(List.of(record("two", 1, "first"), record("three", 1, "first")), TIMEOUT))
			.isEqualTo(Set.of("two", "three"));
		assertThat(read(ID)).isEqualTo(record(ID, 2, "second"));
		assertThat(read("three")).isEqualTo(record("three", 1, "first"));
	}

}
