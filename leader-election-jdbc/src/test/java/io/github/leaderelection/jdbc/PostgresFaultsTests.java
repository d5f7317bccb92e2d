package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests elections on PostgreSQL while something is wrong with the server, or with the
 * network to it.
 */
@ExtendWith(LogCapture.class)
class PostgresFaultsTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Duration TTL = Duration.ofSeconds(8);

	/** Time for everything other than waiting, on a slow machine. */
	private static final Duration SLACK = Duration.ofSeconds(2);

	private static final String ID = "jobs";

	private CapturedLog log;

	private EmbeddedPostgres postgres;

	private HikariDataSource pool;

	private RecordStore leases;

	@BeforeEach
	void start(CapturedLog captured) throws Exception {
		this.log = captured;
		start(EmbeddedPostgres.builder());
	}

	private void start(EmbeddedPostgres.Builder server) throws Exception {
		this.postgres = server.start();
		execute(SchemaTests.script("postgresql"));
		this.pool = pool(8);
		this.leases = new JdbcRecordStores(this.pool).store(LeaseStore.LEASES);
	}

	@AfterEach
	void stop() throws IOException {
		this.pool.close();
		this.postgres.close();
	}

	private HikariDataSource pool(int size) {
		return pool(this.postgres.getJdbcUrl("postgres", "postgres"), size);
	}

	private static HikariDataSource pool(String url, int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(0);
		config.setConnectionTimeout(1000);
		config.setValidationTimeout(1000);
		// Set by the application, not by leader election
		config.addDataSourceProperty("queryTimeout", "1");
		return new HikariDataSource(config);
	}

	@Test
	void statementThatWaitsForALockIsCancelledInTime() throws SQLException {
		StoredRecord record = insert();
		try (Connection other = lock("leader_election_leases")) {
			assertEndsInTime(() -> this.leases.replace(List.of(record.next(record.fields())), TIMEOUT));
			assertEndsInTime(() -> this.leases.remove(List.of(record), TIMEOUT));
			await().atMost(SLACK)
				.until(() -> count("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 0);
		}
		assertThat(this.leases.read(List.of(ID), LONG).records()).containsValue(record);
	}

	/** The driver gives up such a request after ten seconds. */
	@Test
	void stuckCancelRequestDoesNotDelayTheAnswer() throws Exception {
		Duration timeout = TIMEOUT.multipliedBy(3);
		StoredRecord record = insert();
		try (StickingProxy proxy = new StickingProxy(this.postgres.getPort());
				HikariDataSource one = pool(this.postgres.getJdbcUrl("postgres", "postgres")
					.replace(":" + this.postgres.getPort(), ":" + proxy.port()), 1)) {
			RecordStore store = new JdbcRecordStores(one).store(LeaseStore.LEASES);
			store.now(TIMEOUT);
			proxy.stick(true);
			long begin = System.nanoTime();
			CompletableFuture<RecordReading> reading;
			try (Connection locking = lock("leader_election_leases"); Statement statement = locking.createStatement()) {
				statement.execute("LOCK TABLE leader_election_leases IN ACCESS EXCLUSIVE MODE");
				reading = CompletableFuture.supplyAsync(() -> store.read(List.of(ID), timeout));
				await().atMost(timeout).until(proxy::hasStuck);
			}
			assertThat(reading.get().records()).containsValue(record);
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(timeout.plus(SLACK));
			proxy.stick(false);
			assertThat(store.read(List.of(ID), TIMEOUT).records()).containsValue(record);
		}
	}

	/** A statement that is canceled while waiting for a standby is reported as done. */
	@Test
	void changeWithoutAStandbyIsNeverConfirmed() throws Exception {
		stop();
		start(EmbeddedPostgres.builder().setServerConfig("synchronous_commit", "on"));
		insert();
		execute("ALTER SYSTEM SET synchronous_standby_names = 'absent'");
		execute("SELECT pg_reload_conf()");
		await().atMost(LONG).untilAsserted(() -> assertEndsInTime(() -> {
			StoredRecord record = this.leases.read(List.of(ID), TIMEOUT).records().get(ID);
			assertThat(this.leases.replace(List.of(record.next(record.fields())), TIMEOUT)).isNotEmpty();
		}));
	}

	@Test
	void callEndsInTimeWhileTheServerIsStopped() throws Exception {
		StoredRecord record = insert();
		List<ProcessHandle> server = server();
		signal("STOP", server);
		try {
			assertEndsInTime(() -> this.leases.read(List.of(ID), TIMEOUT));
			assertEndsInTime(() -> this.leases.replace(List.of(record.next(record.fields())), TIMEOUT));
		}
		finally {
			signal("CONT", server);
		}
		await().ignoreExceptions().until(() -> !this.leases.read(List.of(ID), TIMEOUT).records().isEmpty());
	}

	@Test
	void exhaustedPoolIsDistinguishedFromAnUnreachableDatabase() throws Exception {
		try (HikariDataSource small = pool(1)) {
			RecordStore store = new JdbcRecordStores(small).store(LeaseStore.LEASES);
			try (Connection taken = small.getConnection()) {
				assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store.now(TIMEOUT))
					.withMessageStartingWith("No connection to the database is free: ");
			}
			assertThat(store.now(TIMEOUT)).isNotNull();
			this.postgres.close();
			await().untilAsserted(
					() -> assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> store.now(TIMEOUT))
						.withMessageStartingWith("No connection to the database: "));
		}
	}

	@Test
	void lockedRowsCostOnlyTheTerm() throws Exception {
		try (ElectionEngine one = engine(); ElectionEngine other = engine()) {
			List<ElectionEngine> both = List.of(one, other);
			await().atMost(LONG).until(() -> led(both));
			try (Connection locking = lock("leader_election_sessions")) {
				await().atMost(LONG).until(() -> !led(both));
				assertThat(count("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
					.isLessThanOrEqualTo(4);
			}
			await().atMost(LONG).until(() -> led(both));
			await().atMost(LONG).until(() -> told("can be reached again") > 0);
		}
		assertThat(told("can't be reached: ")).isBetween(1L, 2L);
		assertThat(told("still can't be reached")).isZero();
	}

	@Test
	void terminatedConnectionsAreReplaced() throws Exception {
		try (ElectionEngine one = engine(); ElectionEngine other = engine()) {
			List<ElectionEngine> both = List.of(one, other);
			await().atMost(LONG).until(() -> led(both));
			await().atMost(LONG).until(() -> both.stream().allMatch((engine) -> engine.status().pushed()));
			long before = listening();
			execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
					+ "AND backend_type = 'client backend'");
			await().atMost(LONG)
				.until(() -> both.stream().allMatch((engine) -> engine.status().pushed()) && listening() != before);
			await().atMost(LONG).until(() -> led(both));
			ElectionEngine leader = one.isLeader(ID) ? one : other;
			ElectionEngine follower = (leader == one) ? other : one;
			leader.resign(ID);
			await().atMost(LONG).until(() -> follower.isLeader(ID));
		}
	}

	/** Two transactions that change the same row then conflict, and one is refused. */
	@Test
	void electionsWorkWithSerializableTransactions() throws Exception {
		execute("ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'");
		this.pool.getHikariPoolMXBean().softEvictConnections();
		List<ElectionEngine> engines = Stream.generate(this::engine).limit(4).toList();
		try {
			await().atMost(LONG).until(() -> led(engines));
			for (int i = 0; i < 5; i++) {
				ElectionEngine leader = engines.stream()
					.filter((engine) -> engine.isLeader(ID))
					.findAny()
					.orElseThrow();
				long term = leader.leadership(ID).orElseThrow().term();
				leader.resign(ID);
				await().atMost(LONG)
					.until(() -> engines.stream()
						.flatMap((engine) -> engine.leadership(ID).stream())
						.anyMatch((led) -> led.term() > term));
			}
		}
		finally {
			engines.forEach(ElectionEngine::close);
		}
	}

	/** The server ends by itself when it can't write its log. */
	@Test
	@Tag("deep")
	void fullDiskCostsOnlyTheTerm(@TempDir Path directory) throws Exception {
		Path disk = Files.createDirectory(directory.resolve("disk"));
		assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", disk.toString()) == 0,
				"a small disk takes privileges");
		stop();
		try {
			start(onDisk(disk).setServerConfig("synchronous_commit", "on"));
			try (ElectionEngine one = engine(); ElectionEngine other = engine()) {
				List<ElectionEngine> both = List.of(one, other);
				ConditionFactory soon = await().atMost(LONG)
					.failFast(() -> both.stream().allMatch(PostgresFaultsTests::leads));
				soon.until(() -> led(both));
				Path rest = disk.resolve("rest");
				assertThatIOException().isThrownBy(() -> fill(rest)).withMessage("No space left on device");
				// The server needs a new file for its log.
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> execute(
							"DO 'BEGIN LOOP PERFORM pg_switch_wal(); PERFORM txid_current(); COMMIT; END LOOP; END'"))
					.withMessageContaining("No space left on device");
				soon.atMost(TTL.plus(SLACK)).until(() -> !led(both));
				Files.delete(rest);
				this.postgres.close();
				this.postgres = onDisk(disk).setPort(this.postgres.getPort()).start();
				soon.until(() -> led(both));
				assertThat(both)
					.anyMatch((engine) -> engine.leadership(ID).filter((led) -> led.term() > 1).isPresent());
				assertThat(told("can't be reached: ")).isBetween(1L, 2L);
			}
		}
		finally {
			this.postgres.close();
			run("umount", disk.toString());
		}
	}

	private static EmbeddedPostgres.Builder onDisk(Path disk) {
		return EmbeddedPostgres.builder().setDataDirectory(disk.resolve("data")).setCleanDataDirectory(false);
	}

	private static void fill(Path file) throws IOException {
		byte[] bytes = new byte[4096];
		try (OutputStream output = Files.newOutputStream(file)) {
			while (true) {
				output.write(bytes);
			}
		}
	}

	private StoredRecord insert() {
		StoredRecord record = new StoredRecord(ID, 1, Map.of("holder", "a"));
		assertThat(this.leases.insert(List.of(record), LONG)).containsExactly(ID);
		return record;
	}

	private static void assertEndsInTime(Runnable call) {
		long begin = System.nanoTime();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call::run);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TIMEOUT.plus(SLACK));
	}

	private ElectionEngine engine() {
		ElectionEngine engine = ElectionEngine.builder(LeaseStore.forElections(new JdbcRecordStores(this.pool), ""))
			.settings(ElectionSettings.of(TTL))
			.build();
		engine.stand(ID);
		engine.start();
		return engine;
	}

	private static boolean led(List<ElectionEngine> engines) {
		return engines.stream().anyMatch(PostgresFaultsTests::leads);
	}

	private static boolean leads(ElectionEngine engine) {
		return engine.isLeader(ID);
	}

	/** Return how often something was logged, by both engines. */
	private long told(String text) {
		return this.log.events()
			.stream()
			.filter((event) -> event.getLevel().isGreaterOrEqual(Level.INFO))
			.filter((event) -> event.getFormattedMessage().contains(text))
			.count();
	}

	/** Lock all rows of a table, until the connection is closed. */
	private Connection lock(String table) throws SQLException {
		Connection connection = this.postgres.getPostgresDatabase().getConnection();
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.execute("SELECT * FROM %s FOR UPDATE".formatted(table));
		}
		return connection;
	}

	private long listening() throws SQLException {
		return count(
				"SELECT COALESCE(SUM(pid), 0) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'");
	}

	private long count(String sql) throws SQLException {
		return Long.parseLong(query(sql));
	}

	private String query(String sql) throws SQLException {
		try (Connection connection = this.postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery(sql)) {
			row.next();
			return row.getString(1);
		}
	}

	private void execute(String sql) throws SQLException {
		SchemaTests.execute(this.postgres.getPostgresDatabase(), sql);
	}

	/** Return the server process, and the process of each connection. */
	private List<ProcessHandle> server() throws Exception {
		String directory = query("SHOW data_directory");
		long pid = Long.parseLong(Files.readAllLines(Path.of(directory, "postmaster.pid")).get(0).trim());
		ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
		return Stream.concat(Stream.of(postmaster), postmaster.children()).toList();
	}

	private static void signal(String name, List<ProcessHandle> processes) throws Exception {
		List<String> command = Stream
			.concat(Stream.of("kill", "-" + name), processes.stream().map((each) -> String.valueOf(each.pid())))
			.toList();
		run(command.toArray(String[]::new));
	}

	private static int run(String... command) throws Exception {
		return new ProcessBuilder(command).inheritIO().start().waitFor();
	}

}
