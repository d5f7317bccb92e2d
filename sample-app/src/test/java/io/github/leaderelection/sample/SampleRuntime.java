package io.github.leaderelection.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The JVM that the sample runs on, and its arguments.
 *
 * @param home the Java installation
 * @param options options of the JVM
 * @param args arguments of the application
 */
record SampleRuntime(Path home, List<String> options, List<String> args) {

	private static final int WITH_VIRTUAL_THREADS = 21;

	private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");

	/** Where Linux distributions install further JVMs. */
	private static final Path INSTALLATIONS = Path.of("/usr/lib/jvm");

	/**
	 * Return the JVM that runs the tests.
	 */
	static SampleRuntime plain() {
		return new SampleRuntime(Path.of(System.getProperty("java.home")), List.of(), List.of());
	}

	/**
	 * Return the same JVM, using the AOT code generated when the sample was built.
	 */
	static SampleRuntime aheadOfTime() {
		return new SampleRuntime(plain().home(), List.of("-Dspring.aot.enabled=true"), List.of());
	}

	/**
	 * Return a JVM with virtual threads: this one, or another one on this machine.
	 */
	static Optional<SampleRuntime> virtualThreads() {
		Stream<Path> homes = Stream.concat(Stream.of(plain().home()), installations().stream());
		return homes.filter((home) -> version(home) >= WITH_VIRTUAL_THREADS)
			.findFirst()
			.map((home) -> new SampleRuntime(home, List.of(), List.of("--spring.threads.virtual.enabled=true")));
	}

	List<String> command() {
		List<String> command = new ArrayList<>(List.of(this.home.resolve("bin/java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"));
		command.addAll(this.options);
		return command;
	}

	private static List<Path> installations() {
		if (!Files.isDirectory(INSTALLATIONS)) {
			return List.of();
		}
		try (Stream<Path> found = Files.list(INSTALLATIONS)) {
			return found.filter((home) -> Files.isExecutable(home.resolve("bin/java"))).sorted().toList();
		}
		catch (IOException ex) {
			return List.of();
		}
	}

	/** Read the version from the file {@code release} of the installation. */
	private static int version(Path home) {
		try (Stream<String> lines = Files.lines(home.resolve("release"))) {
			return lines.map(VERSION::matcher)
				.filter(Matcher::lookingAt)
				.mapToInt((matcher) -> Integer.parseInt(matcher.group(1)))
				.findFirst()
				.orElse(0);
		}
		catch (IOException ex) {
			return 0;
		}
	}

}
