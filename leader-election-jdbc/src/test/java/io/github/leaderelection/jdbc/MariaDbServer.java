package io.github.leaderelection.jdbc;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;

import static org.awaitility.Awaitility.await;

/**
 * A separate MariaDB server for a test, run by the {@code mariadbd} of the system. It
 * ends with this process, for whatever reason that ends.
 */
public final class MariaDbServer implements AutoCloseable {

	/** Programs for root may not be on the PATH of others. */
	private static final String PATH = System.getenv("PATH") + ":/usr/sbin";

	/** Ends the server when this process is gone, which ends the input of cat. */
	private static final String LEASH = "\"$@\" & p=$!; cat >/dev/null; kill -9 $p; wait $p";

	private final Path directory;

	private final Process process;

	private final int port;

	private final HikariDataSource dataSource;

	private MariaDbServer(Path directory, Process process, int port) {
		this.directory = directory;
		this.process = process;
		this.port = port;
		this.dataSource = dataSource("");
	}

	/**
	 * Start a server, and wait for it.
	 * @throws IOException if there is none on the path
	 */
	public static MariaDbServer start() throws IOException, InterruptedException {
		Path directory = Files.createTempDirectory("mariadb");
		List<String> options = new ArrayList<>(
				List.of("--no-defaults", "--datadir=" + directory.resolve("data"), "--tmpdir=" + directory));
		if (System.getProperty("user.name").equals("root")) {
			// The server refuses to run as root.
			options.add("--user=nobody");
			run(List.of("chown", "nobody", directory.toString()));
		}
		List<String> install = new ArrayList<>(List.of("mariadb-install-db"));
		install.addAll(options);
		install.addAll(List.of("--auth-root-authentication-method=normal", "--skip-test-db"));
		run(install);
		int port = freePort();
		List<String> server = new ArrayList<>(List.of("sh", "-c", LEASH, "sh", "mariadbd"));
		server.addAll(options);
		server.addAll(List.of("--bind-address=127.0.0.1", "--port=" + port, "--socket=" + directory.resolve("socket"),
				"--pid-file=" + directory.resolve("pid"), "--innodb-buffer-pool-size=64M"));
		MariaDbServer started = new MariaDbServer(directory, process(server).start(), port);
		await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(started::answers);
		return started;
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static ProcessBuilder process(List<String> command) {
		ProcessBuilder builder = new ProcessBuilder(command);
		builder.environment().put("PATH", PATH);
		builder.redirectErrorStream(true);
		builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
		return builder;
	}

	private static void run(List<String> command) throws IOException, InterruptedException {
		int status = process(command).start().waitFor();
		if (status != 0) {
			throw new IllegalStateException("%s ended with %d".formatted(command, status));
		}
	}

	private boolean answers() throws Exception {
		try (Connection connection = this.dataSource.getConnection()) {
			return connection.isValid(1);
		}
	}

	DataSource dataSource() {
		return this.dataSource;
	}

	/** Return a pool of connections with options of the driver, each after an &. */
	HikariDataSource dataSource(String options) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url("test") + "&allowMultiQueries=true" + options);
		pool.setInitializationFailTimeout(-1);
		return pool;
	}

	/** Return the URL of a database, which is created when it is first used. */
	public String url(String database) {
		return "jdbc:mariadb://127.0.0.1:%d/%s?user=root&createDatabaseIfNotExist=true".formatted(this.port, database);
	}

	@Override
	public void close() throws Exception {
		this.dataSource.close();
		this.process.getOutputStream().close();
		this.process.waitFor();
		try (Stream<Path> files = Files.walk(this.directory)) {
			files.sorted(Comparator.reverseOrder()).forEach((file) -> file.toFile().delete());
		}
	}

}
