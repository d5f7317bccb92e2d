package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.leaderelection.launcher.SupervisedProcess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leader in a process of its own, to be killed.
 */
final class VictimProcess implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(VictimProcess.class);

	private static final String LEADS = "Leads all";

	private final SupervisedProcess process;

	private VictimProcess(SupervisedProcess process) {
		this.process = process;
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
		Fleet.await(() -> contains(log));
		return new VictimProcess(process);
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
	 * Kill it.
	 * @return when, by {@link System#nanoTime()}
	 */
	long kill() {
		long now = System.nanoTime();
		this.process.kill();
		return now;
	}

	@Override
	public void close() {
		this.process.kill();
	}

	/**
	 * Lead.
	 * @param args where MongoDB is, the database, how many elections, and the time to
	 * live
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws InterruptedException {
		try (Fleet fleet = new Fleet(args[0], args[1], Integer.parseInt(args[2]), Duration.parse(args[3]))) {
			fleet.start(1);
			logger.info(LEADS);
			Thread.currentThread().join();
		}
	}

}
