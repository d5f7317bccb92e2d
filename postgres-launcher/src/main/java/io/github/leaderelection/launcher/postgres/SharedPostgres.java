package io.github.leaderelection.launcher.postgres;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Prints the JDBC URL of the server that all processes of a user share: the one that the
 * environment variable {@code DATABASE_URL} names, or one that is joined or started in a
 * common directory. Progress is reported on standard error.
 */
@SuppressWarnings("checkstyle:RegexpSinglelineJava")
public final class SharedPostgres {

	// Both keep the process id. Without either, Ctrl-C in the first terminal ends the
	// server for all users.
	private static final String DETACH = """
			if command -v setsid >/dev/null 2>&1; then exec setsid "$@"; fi
			if command -v perl >/dev/null 2>&1; then exec perl -MPOSIX -e 'POSIX::setsid(); exec @ARGV' "$@"; fi
			exec "$@"
			""";

	private SharedPostgres() {
	}

	/**
	 * Print the URL and end. The server stays while the directory's pipe
	 * {@code postgres-users} is held open for writing.
	 * @param args the common directory, which nobody else can read
	 */
	public static void main(String[] args) {
		try {
			String configured = System.getenv("DATABASE_URL");
			System.out.println((configured != null && !configured.isBlank()) ? jdbc(configured.strip())
					: joined(Path.of(args[0]).toRealPath()));
		}
		catch (IOException | InterruptedException | RuntimeException ex) {
			System.err.println(ex.getMessage());
			System.exit(1);
		}
	}

	/**
	 * Convert a URL to one for JDBC.
	 * @param url a JDBC URL, or one such as
	 * {@code postgres://user:password@host/database}
	 */
	static String jdbc(String url) {
		if (url.startsWith("jdbc:")) {
			return url;
		}
		URI uri = URI.create(url);
		if (uri.getHost() == null) {
			throw new IllegalArgumentException(
					"DATABASE_URL must be such as postgres://user:password@host:5432/database");
		}
		StringBuilder jdbc = new StringBuilder("jdbc:postgresql://").append(uri.getHost());
		if (uri.getPort() >= 0) {
			jdbc.append(':').append(uri.getPort());
		}
		jdbc.append(uri.getRawPath()).append((uri.getRawQuery() != null) ? "?" + uri.getRawQuery() : "?");
		if (uri.getUserInfo() != null) {
			String[] user = uri.getUserInfo().split(":", 2);
			jdbc.append("&user=").append(encoded(user[0]));
			if (user.length > 1) {
				jdbc.append("&password=").append(encoded(user[1]));
			}
		}
		return jdbc.toString().replace("?&", "?");
	}

	private static String encoded(String value) {
		return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
	}

	/** The caller holds the pipe open, so the server stays once the lock is released. */
	private static String joined(Path directory) throws IOException, InterruptedException {
		try (FileChannel channel = lockFile(directory); FileLock lock = channel.lock()) {
			String url = lock.isValid() ? PostgresHost.url(directory) : null;
			if (url != null) {
				System.err.println("Joined the PostgreSQL");
				return url;
			}
			return started(directory);
		}
	}

	static FileChannel lockFile(Path directory) throws IOException {
		return FileChannel.open(directory.resolve("postgres.lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
	}

	private static String started(Path directory) throws IOException, InterruptedException {
		System.err.println("Starting PostgreSQL");
		Path log = directory.resolve("postgres.log");
		Process host = new ProcessBuilder(List.of("sh", "-c", DETACH, "sh",
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-cp",
				System.getProperty("java.class.path"), PostgresHost.class.getName(), directory.toString()))
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		// The output must not go to our own: a shell that reads ours would wait for the
		// end of the host.
		host.getOutputStream().close();
		String url = null;
		while (url == null) {
			if (host.waitFor(50, TimeUnit.MILLISECONDS)) {
				throw new IllegalStateException("PostgreSQL does not start, see " + log);
			}
			url = PostgresHost.url(directory);
		}
		System.err.println("Started PostgreSQL");
		return url;
	}

	/** Return the file that holds the host's process id and the server's URL. */
	static Path current(Path directory) {
		return directory.resolve("postgres.url");
	}

	/** Write a file atomically, in the directory of this user alone. */
	static void write(Path file, List<String> lines) throws IOException {
		Path draft = file.resolveSibling(file.getFileName() + ".draft");
		Files.write(draft, lines);
		Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
	}

}
