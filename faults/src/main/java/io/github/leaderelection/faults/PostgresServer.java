package io.github.leaderelection.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.util.Assert;

/**
 * One PostgreSQL server, which syncs to disk before it answers, and restarts on the same
 * files after it was killed. A trigger records each change of a lease's term or holder,
 * in the transaction that makes it.
 */
final class PostgresServer implements Servers {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final List<String> LOCKED = List.of("leader_election_leases", "leader_election_sessions");

	private static final String TABLES = """
			CREATE TABLE probes (number BIGINT);
			INSERT INTO probes VALUES (0);
			CREATE TABLE recorded_changes (number BIGSERIAL, election VARCHAR, term BIGINT, holder VARCHAR);
			CREATE FUNCTION record_change() RETURNS TRIGGER LANGUAGE plpgsql AS
			'BEGIN INSERT INTO recorded_changes (election, term, holder) VALUES (NEW.id, NEW.term, NEW.holder);
			RETURN NULL; END';
			CREATE TRIGGER record_change AFTER UPDATE ON leader_election_leases FOR EACH ROW
			WHEN (OLD.term IS DISTINCT FROM NEW.term OR OLD.holder IS DISTINCT FROM NEW.holder)
			EXECUTE FUNCTION record_change();
			""";

	private final Path directory;

	private final Path data;

	private final int port;

	private @Nullable EmbeddedPostgres server;

	/**
	 * Create a server without starting it.
	 * @param directory where its files and logs go
	 */
	PostgresServer(Path directory) {
		this.directory = directory;
		this.data = directory.resolve("postgres");
		try (ServerSocket socket = new ServerSocket(0)) {
			this.port = socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void start() {
		boolean isNew = !Files.exists(this.data);
		if (this.server == null) {
			this.server = startProcesses();
		}
		if (isNew) {
			createTables();
		}
		try (Probe probe = probe()) {
			Awaitility.await("changes in PostgreSQL").atMost(PATIENCE).until(probe::isAnswered);
		}
	}

	private EmbeddedPostgres startProcesses() {
		try {
			return EmbeddedPostgres.builder()
				.setDataDirectory(this.data)
				.setCleanDataDirectory(false)
				.setPort(this.port)
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.setPGStartupWait(PATIENCE)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void createTables() {
		try (InputStream schema = JdbcRecordStores.class.getResourceAsStream("schema-postgresql.sql");
				Connection connection = connect(PATIENCE)) {
			execute(connection, new String(schema.readAllBytes(), StandardCharsets.UTF_8));
			execute(connection, TABLES);
			Assert.state(query("SELECT current_setting('fsync') || current_setting('synchronous_commit')")
				.equals(List.of("onon")), "PostgreSQL does not wait for its disk");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public List<String> candidateArgs() {
		return List.of("--leader-election.store=jdbc",
				"--spring.datasource.url=" + url("ApplicationName=${spring.application.name}"),
				"--spring.datasource.hikari.maximum-pool-size=5", "--spring.datasource.hikari.connection-timeout=500",
				"--spring.autoconfigure.exclude=" + MongoAutoConfiguration.class.getName());
	}

	@Override
	public Probe probe() {
		return new Probe() {

			@Override
			public boolean isAnswered() {
				try (Connection connection = connect(Duration.ofSeconds(1))) {
					execute(connection, "UPDATE probes SET number = number + 1");
					return true;
				}
				catch (SQLException ex) {
					return false;
				}
			}

			@Override
			public void close() {
				// Each call uses its own connection.
			}

		};
	}

	@Override
	public Injection inject(FaultKind kind) {
		return switch (kind) {
			case ALL_KILLED -> {
				kill();
				yield new Injection(Injection.EVERYBODY, this::start);
			}
			case ALL_PAUSED -> {
				signal("STOP");
				yield new Injection(Injection.EVERYBODY, () -> {
					signal("CONT");
					start();
				});
			}
			case BACKEND_KILLED -> killBackend();
			case ROWS_LOCKED -> new Injection(Injection.EVERYBODY, lockRows());
			case DISKS_SLOW -> {
				SlowDisks slow = new SlowDisks(processes().stream().map(ProcessHandle::pid).toList(), this.directory);
				yield new Injection(Injection.EVERYBODY, slow::mend);
			}
			case NETWORK_SLOW -> new Injection(Injection.EVERYBODY, Network.slowDown()::mend);
			default -> throw new IllegalArgumentException(kind.name());
		};
	}

	@Override
	public void disconnect(CandidateProcess candidate) {
		query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '%s'"
			.formatted(candidate));
	}

	/** Kill all processes at once: any that went on for a moment could still answer. */
	private void kill() {
		signal("STOP");
		List<ProcessHandle> processes = processes();
		processes.forEach(ProcessHandle::destroyForcibly);
		Awaitility.await("end of PostgreSQL")
			.atMost(PATIENCE)
			.until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
		discard();
	}

	/** Kill any backend: when one is killed, the server ends all the others. */
	private Injection killBackend() {
		String[] backend = query("""
				SELECT pid || ' ' || application_name FROM pg_stat_activity
				WHERE application_name LIKE 'c%' ORDER BY backend_start LIMIT 1""").get(0).split(" ", -1);
		ProcessHandle.of(Long.parseLong(backend[0])).ifPresent(ProcessHandle::destroyForcibly);
		return new Injection(backend[1], this::start);
	}

	private Runnable lockRows() {
		try {
			Connection connection = connect(PATIENCE);
			connection.setAutoCommit(false);
			for (String table : LOCKED) {
				execute(connection, "SELECT id FROM %s FOR UPDATE".formatted(table));
			}
			return () -> {
				try {
					connection.rollback();
					connection.close();
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			};
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Signal twice: the postmaster may fork more processes during the first one. */
	private void signal(String name) {
		for (int i = 0; i < 2; i++) {
			List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\" || true", "sh", name));
			processes().forEach((process) -> command.add(Long.toString(process.pid())));
			Network.run(command);
		}
	}

	private List<ProcessHandle> processes() {
		try {
			long first = Long.parseLong(Files.readAllLines(this.data.resolve("postmaster.pid")).get(0));
			return ProcessHandle.of(first)
				.stream()
				.flatMap((process) -> Stream.concat(Stream.of(process), process.descendants()))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public List<StoredTerm> terms() {
		StoredTerms terms = new StoredTerms();
		try (Connection connection = connect(PATIENCE);
				PreparedStatement changes = connection
					.prepareStatement("SELECT election, term, holder FROM recorded_changes ORDER BY number");
				ResultSet rows = changes.executeQuery()) {
			while (rows.next()) {
				String election = rows.getString(1);
				if (terms.isLast(election, rows.getLong(2))) {
					terms.released(election);
				}
				else {
					terms.taken(election, rows.getLong(2), rows.getString(3));
				}
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return terms.all();
	}

	@Override
	public String version() {
		try (Connection connection = connect(PATIENCE)) {
			DatabaseMetaData database = connection.getMetaData();
			return "PostgreSQL %s, driver %s".formatted(database.getDatabaseProductVersion(),
					database.getDriverVersion());
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Connection connect(Duration patience) throws SQLException {
		return DriverManager
			.getConnection(url("connectTimeout=%1$d&socketTimeout=%1$d".formatted(patience.toSeconds())));
	}

	private String url(String parameters) {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres&%s".formatted(this.port, parameters);
	}

	private static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	private List<String> query(String sql) {
		List<String> values = new ArrayList<>();
		try (Connection connection = connect(PATIENCE);
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(sql)) {
			while (rows.next()) {
				values.add(rows.getString(1));
			}
			return values;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void discard() {
		if (this.server != null) {
			try {
				this.server.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			this.server = null;
		}
	}

	@Override
	public void close() {
		discard();
	}

}
