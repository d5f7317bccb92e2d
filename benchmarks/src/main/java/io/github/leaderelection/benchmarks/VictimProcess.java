package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.leaderelection.launcher.SupervisedProcess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leader in a separate process, to be killed or terminated.
 */
final class VictimProcess implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(VictimProcess.class);

	private static final String LEADS = "Leads all";

	private static final Pattern TERMINATED = Pattern.compile("Terminated at (-?\\d+)");

	private final SupervisedProcess process;

	private final Path log;

	private VictimProcess(SupervisedProcess process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Start a process, and wait until it leads all elections.
	 */
	static VictimProcess start(String uri, String database, int elections, Duration ttl) throws Exception {
		Path log = Files.createTempFile("victim", ".log");
		SupervisedProcess process = SupervisedProcess
			.start(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-cp",
					System.getProperty("java.class.path"), VictimProcess.class.getName(), uri, database,
					Integer.toString(elections), ttl.toString()), log);
		VictimProcess victim = new VictimProcess(process, log);
		try {
			Fleet.await(() -> contains(log) || !process.isAlive());
			if (!process.isAlive()) {
				throw new IllegalStateException("The leader's process has ended: " + Files.readString(log));
			}
			return victim;
		}
		catch (Exception ex) {
			victim.close();
			throw ex;
		}
	}

	private static boolean contains(Path log) {
		try {
			return Files.readString(log).contains(LEADS);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kill the process.
	 * @return when, by {@link System#nanoTime()}
	 */
	long kill() {
		long now = System.nanoTime();
		this.process.kill();
		return now;
	}

	/**
	 * Send SIGTERM, which makes the process hand over and end.
	 * @return when, by {@link System#nanoTime()}
	 */
	long terminate() {
		ProcessHandle handle = ProcessHandle.of(this.process.pid()).orElseThrow();
		long now = System.nanoTime();
		handle.destroy();
		return now;
	}

	/**
	 * Wait for the end of a process that was terminated.
	 * @return when its shutdown hook began, by {@link System#nanoTime()}, whose origin
	 * processes on one machine share
	 */
	long awaitEnd() throws InterruptedException, IOException {
		Fleet.await(() -> !this.process.isAlive());
		Matcher terminated = TERMINATED.matcher(Files.readString(this.log));
		if (!terminated.find()) {
			throw new IllegalStateException("The leader did not shut down gracefully: " + Files.readString(this.log));
		}
		return Long.parseLong(terminated.group(1));
	}

	@Override
	public void close() {
		this.process.kill();
		try {
			Files.deleteIfExists(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Lead all elections.
	 * @param args the URI of MongoDB or PostgreSQL, the database, the number of
	 * elections, and the time to live
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws InterruptedException {
		try (Fleet fleet = new Fleet(args[0], args[1], Integer.parseInt(args[2]), Duration.parse(args[3]))) {
			fleet.start(1);
			Runtime.getRuntime().addShutdownHook(new Thread(() -> {
				long begun = System.nanoTime();
				fleet.close();
				logger.info("Terminated at {}", begun);
			}));
			logger.info(LEADS);
			Thread.currentThread().join();
		}
	}

}
