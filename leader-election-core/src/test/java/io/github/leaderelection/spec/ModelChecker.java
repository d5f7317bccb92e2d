package io.github.leaderelection.spec;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import tlc2.TLC;
import tlc2.TLCGlobals;

/**
 * Runs TLC, the model checker of TLA+, in its own process: it keeps state in static
 * fields, and takes all the memory it can get.
 */
final class ModelChecker {

	private static final long MINUTES_AT_MOST = 10;

	private static final Path NICE = Path.of("/usr/bin/nice");

	/** The directory with the specifications and all output. */
	private final Path directory;

	/**
	 * Create a checker.
	 * @param directory a temporary directory
	 * @param specifications the specifications to copy into it
	 */
	ModelChecker(Path directory, List<Path> specifications) throws IOException {
		this.directory = directory;
		for (Path each : specifications) {
			Files.copy(each, directory.resolve(each.getFileName().toString()));
		}
	}

	/**
	 * Check a specification.
	 * @param module the name of its file
	 * @param name the name of this check
	 * @param configuration the configuration
	 * @param ofJava further Java options
	 * @param ofTlc further TLC options
	 * @return the output of TLC
	 */
	String check(String module, String name, String configuration, List<String> ofJava, List<String> ofTlc)
			throws IOException, InterruptedException {
		Path config = Files.writeString(this.directory.resolve(name + ".cfg"), configuration);
		Path output = this.directory.resolve(name + ".out");
		Path states = Files.createDirectory(this.directory.resolve(name));
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		String classPath = location(ModelChecker.class) + File.pathSeparator + location(TLC.class);
		// It runs for minutes: leave the processors to the tests beside it.
		List<String> command = new ArrayList<>(
				Files.isExecutable(NICE) ? List.of(NICE.toString(), "-n", "19") : List.of());
		command.addAll(List.of(java, "-Xmx1g", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + states));
		command.addAll(ofJava);
		command.addAll(List.of("-cp", classPath, ModelChecker.class.getName(), "-workers", "1", "-metadir",
				states.toString(), "-config", config.toString()));
		command.addAll(ofTlc);
		command.add(module);
		Process process = new ProcessBuilder(command).directory(this.directory.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			if (!process.waitFor(MINUTES_AT_MOST, TimeUnit.MINUTES)) {
				throw new IllegalStateException(
						"TLC has not finished '%s' within %d minutes".formatted(name, MINUTES_AT_MOST));
			}
			return Files.readString(output);
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static Path location(Class<?> type) {
		return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
	}

	/**
	 * Run TLC in this process.
	 * @param args the options of TLC
	 */
	public static void main(String[] args) throws Exception {
		// Check temporal properties only at the end. To check them earlier, TLC suspends
		// its worker, and waits forever if the worker stops before TLC begins to wait.
		TLCGlobals.livenessThreshold = Double.POSITIVE_INFINITY;
		TLC.main(args);
	}

}
