package io.github.leaderelection.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.launcher.SupervisedProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of processes that are told to end while a scheduled job runs that asks for it
 * each 100 ms. What was measured is logged.
 */
@Tag("deep")
class TerminationTests {

	private static final Logger logger = LoggerFactory.getLogger(TerminationTests.class);

	/**
	 * A lease does not expire, and Spring waits for scheduled jobs, for longer than that.
	 */
	private static final Duration SOON = Duration.ofSeconds(15);

	private static final Duration START = Duration.ofSeconds(90);

	private static final Pattern JAVA_VERSION = Pattern.compile("JAVA_VERSION=\"(\\d+)");

	private static final int WITH_VIRTUAL_THREADS = 21;

	private final String database = SharedMongo.uniqueDatabase();

	private final List<SupervisedProcess> processes = new ArrayList<>();

	@TempDir
	private Path directory;

	@AfterEach
	void end() {
		this.processes.forEach(SupervisedProcess::kill);
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(this.database).drop();
		}
	}

	@Test
	void jobThatAsksReturnsAtOnceAndAnotherInstanceLeads() throws IOException {
		handOver(Path.of(System.getProperty("java.home")), false);
	}

	@Test
	void jobOnVirtualThreadThatAsksReturnsAtOnceAndAnotherInstanceLeads() throws IOException {
		Optional<Path> home = installations().stream()
			.filter((each) -> version(each) >= WITH_VIRTUAL_THREADS)
			.findFirst();
		assumeThat(home).as("Java with virtual threads").isPresent();
		handOver(home.orElseThrow(), true);
	}

	private void handOver(Path javaHome, boolean virtual) throws IOException {
		Path first = this.directory.resolve("first.log");
		Path second = this.directory.resolve("second.log");
		SupervisedProcess leader = start(javaHome, virtual, first);
		await().atMost(START).until(() -> said(first, "begins 1 virtual: " + virtual) != null);
		start(javaHome, virtual, second);
		await().atMost(START).until(() -> said(second, "started") != null);
		// All processes of a machine share this clock.
		long told = System.nanoTime();
		leader.signal("TERM");
		await().atMost(SOON).until(() -> said(first, "returns 1 held: true") != null);
		await().atMost(SOON).until(() -> said(second, "begins 2 virtual: " + virtual) != null);
		await().atMost(SOON).until(() -> !leader.isAlive());
		logger.info("{}: from SIGTERM until the job has returned {} ms, until another instance works {} ms",
				virtual ? "Virtual threads" : "Platform threads", millis(said(first, "returns 1") - told),
				millis(said(second, "begins 2") - told));
		assertThat(Files.readString(first)).doesNotContain("ERROR").doesNotContain("did not end within");
	}

	private static long millis(long nanos) {
		return Duration.ofNanos(nanos).toMillis();
	}

	private SupervisedProcess start(Path javaHome, boolean virtual, Path log) {
		SupervisedProcess process = SupervisedProcess
			.start(List.of(javaHome.resolve("bin").resolve("java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
					System.getProperty("java.class.path"), TerminatedWorker.class.getName(),
					"--spring.application.name=worker", "--spring.main.web-application-type=none",
					"--spring.main.banner-mode=off", "--spring.main.keep-alive=true",
					"--spring.threads.virtual.enabled=" + virtual, "--spring.mongodb.uri=" + SharedMongo.uri(),
					"--spring.mongodb.database=" + this.database, "--leader-election.ttl=1h",
					"--leader-election.drain-timeout=1h", "--spring.lifecycle.timeout-per-shutdown-phase=1h"), log);
		this.processes.add(process);
		return process;
	}

	/** Return when something was said, {@code null} if it was not. */
	private static Long said(Path log, String what) throws IOException {
		try (Stream<String> lines = Files.lines(log)) {
			Pattern said = Pattern.compile("(\\d+) says: " + what);
			return lines.map(said::matcher)
				.filter(Matcher::find)
				.map((matcher) -> Long.valueOf(matcher.group(1)))
				.findFirst()
				.orElse(null);
		}
	}

	private static List<Path> installations() throws IOException {
		List<Path> homes = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"))));
		Path others = Path.of("/usr/lib/jvm");
		if (Files.isDirectory(others)) {
			try (Stream<Path> found = Files.list(others)) {
				found.filter((home) -> Files.isExecutable(home.resolve("bin/java"))).sorted().forEach(homes::add);
			}
		}
		return homes;
	}

	/** Installations say in a file of their own which version they are. */
	private static int version(Path home) {
		try (Stream<String> lines = Files.lines(home.resolve("release"))) {
			return lines.map(JAVA_VERSION::matcher)
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
