package io.github.leaderelection.faults;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * Runs a {@link FaultRunner} in its own namespaces. Whatever happens, its packet filters,
 * processes and shared memory end with them.
 */
final class FaultRun {

	static final String REPORT = "report.md";

	static final String LOG = "run.log";

	private static final List<String> PROGRAMS = List.of("unshare", "setpriv", "ip", "tc", "iptables", "strace");

	private static final String IN_NAMESPACE = """
			mount -t tmpfs none /dev/shm && ip link set lo up && "$@"
			exit $?
			""";

	/** The time allowed for startup, the last round and the checks. */
	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private final FaultSettings settings;

	FaultRun(FaultSettings settings) {
		this.settings = settings;
	}

	/**
	 * Return why this machine can't run it, or empty if it can.
	 */
	static Optional<String> obstacle() {
		List<String> path = List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
		List<String> missing = PROGRAMS.stream()
			.filter((program) -> path.stream().noneMatch((each) -> Files.isExecutable(Path.of(each, program))))
			.toList();
		if (!missing.isEmpty()) {
			return Optional.of("Not found on the path: " + String.join(", ", missing));
		}
		if (WallClock.library().isEmpty()) {
			return Optional.of("libfaketime not found");
		}
		return isPermitted() ? Optional.empty()
				: Optional.of("This user may not use namespaces, packet filters or strace");
	}

	private static boolean isPermitted() {
		return isPermitted("strace -qq -o /dev/null true")
				&& isPermitted("iptables -A OUTPUT -p tcp -m owner --gid-owner 1 -m conntrack --ctdir ORIGINAL"
						+ " -m connmark --mark 1 -m statistic --mode random --probability 0.5"
						+ " -j REJECT --reject-with tcp-reset")
				&& isPermitted("tc qdisc add dev lo root tbf rate 600kbit burst 70000 latency 400ms");
	}

	private static boolean isPermitted(String what) {
		try {
			List<String> command = inNamespace();
			command.addAll(Network.startIn(1));
			command.addAll(List.of(what.split(" ")));
			return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start()
				.waitFor() == 0;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<String> inNamespace() {
		return new ArrayList<>(List.of("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
				"sh", "-c", IN_NAMESPACE, "sh"));
	}

	/**
	 * Run it.
	 * @return the exit code of {@link FaultRunner#main}
	 */
	int run() throws IOException, InterruptedException {
		// Nothing can be downloaded inside the network namespace.
		this.settings.database().prepare();
		Path directory = this.settings.directory();
		FileSystemUtils.deleteRecursively(directory);
		Path temporary = Files.createDirectories(directory.resolve("tmp"));
		List<String> command = inNamespace();
		command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), "-Xmx1g", "-Djava.io.tmpdir=" + temporary,
				"-Dlogback.configurationFile=faults-logback.xml"));
		command.addAll(this.settings.toOptions());
		command.add(FaultRunner.class.getName());
		// It ends when its standard input is closed, at the latest when this JVM ends.
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve(LOG).toFile())
			.start();
		try {
			Duration limit = this.settings.atMost().plus(PATIENCE);
			if (!process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("The run did not end within " + limit);
			}
			return process.exitValue();
		}
		finally {
			process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
			FileSystemUtils.deleteRecursively(temporary);
		}
	}

	/**
	 * Remove all files except the report and the log.
	 */
	void discardHistories() throws IOException {
		try (Stream<Path> files = Files.list(this.settings.directory())) {
			for (Path file : files.filter((each) -> !each.endsWith(REPORT) && !each.endsWith(LOG)).toList()) {
				FileSystemUtils.deleteRecursively(file);
			}
		}
	}

	/**
	 * Return the report, or the log if there is no report.
	 */
	String report() throws IOException {
		Path report = this.settings.directory().resolve(REPORT);
		return Files.readString(Files.exists(report) ? report : report.resolveSibling(LOG));
	}

}
