package io.github.leaderelection.launcher.postgres;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

/**
 * Runs a server for as long as any process holds the pipe {@code postgres-users} of its
 * directory open. The server asks for a password that is kept in that directory, because
 * other users may be logged in on this machine.
 */
public final class PostgresHost {

	/** How long it may take to notice a process that has just opened the pipe. */
	private static final Duration GRACE = Duration.ofSeconds(1);

	private PostgresHost() {
	}

	/**
	 * Run the server.
	 * @param args the common directory
	 * @throws Exception if it can't be run
	 */
	public static void main(String[] args) throws Exception {
		Path directory = Path.of(args[0]);
		// Files below may be writable for everybody, but only this user can reach them.
		try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.setOverrideWorkingDirectory(directory.resolve("postgres-programs").toFile())
			.setDataDirectory(directory.resolve("postgres-" + UUID.randomUUID()))
			.start()) {
			String password = UUID.randomUUID().toString();
			protect(postgres, password);
			SharedPostgres.write(SharedPostgres.current(directory),
					List.of(Long.toString(ProcessHandle.current().pid()),
							"jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres&password=%s"
								.formatted(postgres.getPort(), password)));
			awaitEndOfAll(directory);
		}
	}

	/** Return the URL of the running server, {@code null} if none runs. */
	static @Nullable String url(Path directory) throws IOException {
		Path current = SharedPostgres.current(directory);
		if (!Files.exists(current)) {
			return null;
		}
		List<String> lines = Files.readAllLines(current);
		return ProcessHandle.of(Long.parseLong(lines.get(0))).isPresent() ? lines.get(1) : null;
	}

	private static void protect(EmbeddedPostgres postgres, String password) throws IOException, SQLException {
		try (Connection connection = postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute("ALTER ROLE postgres PASSWORD '%s'".formatted(password));
			try (ResultSet row = statement.executeQuery("SHOW hba_file")) {
				row.next();
				Files.writeString(Path.of(row.getString(1)), "host all all 127.0.0.1/32 scram-sha-256\n");
			}
			statement.execute("SELECT pg_reload_conf()");
		}
	}

	private static void awaitEndOfAll(Path directory) throws IOException, InterruptedException, ExecutionException {
		Path users = directory.resolve("postgres-users");
		CompletableFuture<InputStream> next = opening(users);
		do {
			try (InputStream held = next.get()) {
				while (held.read() >= 0) {
					// Nothing is ever written to the pipe.
				}
			}
			next = opening(users);
		}
		while (!isOver(directory, next));
	}

	/**
	 * A process that asks for the URL opens the pipe first, and then waits for the lock.
	 */
	private static boolean isOver(Path directory, CompletableFuture<InputStream> next)
			throws IOException, InterruptedException, ExecutionException {
		try (FileChannel channel = SharedPostgres.lockFile(directory); FileLock lock = channel.lock()) {
			try {
				next.get(lock.isValid() ? GRACE.toMillis() : 0, TimeUnit.MILLISECONDS);
				return false;
			}
			catch (TimeoutException ex) {
				Files.delete(SharedPostgres.current(directory));
				return true;
			}
		}
	}

	/** Open the pipe, which blocks until another process holds it open. */
	private static CompletableFuture<InputStream> opening(Path users) {
		CompletableFuture<InputStream> opened = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				opened.complete(new FileInputStream(users.toFile()));
			}
			catch (IOException ex) {
				opened.completeExceptionally(new UncheckedIOException(ex));
			}
		}, "postgres-users");
		thread.setDaemon(true);
		thread.start();
		return opened;
	}

}
