package io.github.leaderelection.launcher;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Starts the shell that runs a {@link JoinableServer} for as long as it has users.
 */
final class Supervisor {

	// Both keep the process id. Without either, Ctrl-C in the first terminal ends the
	// server for all users.
	private static final String DETACH = """
			if command -v setsid >/dev/null 2>&1; then exec setsid "$@"; fi
			if command -v perl >/dev/null 2>&1; then exec perl -MPOSIX -e 'POSIX::setsid(); exec @ARGV' "$@"; fi
			exec "$@"
			""";

	private Supervisor() {
	}

	/**
	 * Start a supervisor, which waits for a line of input before it starts the server. It
	 * inherits no open file of this JVM, so it does not count as a user itself.
	 * @param users the pipe that the users hold open
	 * @param own the server's own directory
	 * @param command the server's program and arguments
	 * @return the supervisor
	 * @throws IOException when it cannot be started
	 */
	static Process start(Path users, Path own, List<String> command) throws IOException {
		List<String> all = new ArrayList<>(
				List.of("sh", "-c", DETACH, "sh", "sh", "-c", script(), "supervise", users.toString(), own.toString()));
		all.addAll(command);
		File log = own.resolve("mongod.log").toFile();
		// The output must not go to our own: a shell that reads ours would wait for the
		// end of the supervisor.
		return new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log).start();
	}

	private static String script() throws IOException {
		try (InputStream in = Objects.requireNonNull(Supervisor.class.getResourceAsStream("supervise.sh"))) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

}
