package io.github.leaderelection.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.awaitility.Awaitility;

import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.util.FileSystemUtils;

/**
 * Three MongoDB servers, and instances of an application with scheduled jobs.
 */
final class JobCluster implements AutoCloseable {

	static final String DATABASE = "jobs";

	static final Duration TTL = Duration.ofSeconds(3);

	private final MongoReplicaSet mongo = MongoReplicaSet.reserve(3);

	private final List<JobInstance> instances = new ArrayList<>();

	private final Path directory;

	/**
	 * Create a cluster without starting it.
	 * @param directory where histories and logs go
	 * @param ahead how far the clock of each instance is ahead of the true time
	 */
	JobCluster(Path directory, List<Duration> ahead) throws IOException {
		this.directory = directory;
		FileSystemUtils.deleteRecursively(directory);
		Files.createDirectories(directory);
		List<String> properties = List.of("--leader-election.ttl=" + TTL.toMillis() + "ms",
				"--leader-election.drain-timeout=5s", "--spring.mongodb.uri=" + this.mongo.uri(),
				"--spring.mongodb.database=" + DATABASE, "--leader-election.store=mongodb",
				"--spring.autoconfigure.exclude=" + DataSourceAutoConfiguration.class.getName(),
				"--spring.main.banner-mode=off", "--spring.main.web-application-type=none",
				// Put the stack trace on the same line.
				"--logging.pattern.console=%d{HH:mm:ss.SSS} %p %logger - %m %replace(%ex){'\\s+',' '}%nopex%n",
				"--spring.data.mongodb.repositories.type=none");
		for (int i = 0; i < ahead.size(); i++) {
			this.instances.add(new JobInstance("i" + (i + 1), directory, ahead.get(i), properties));
		}
	}

	MongoReplicaSet mongo() {
		return this.mongo;
	}

	List<JobInstance> instances() {
		return this.instances;
	}

	/**
	 * Wait until one of the instances leads.
	 */
	JobInstance awaitLeader() {
		return Awaitility.await("leader, see " + this.directory)
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(20))
			.until(this::leader, Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Return the leader of the latest term: others may not know yet that theirs ended.
	 */
	private Optional<JobInstance> leader() {
		return this.instances.stream().filter((each) -> each.term() > 0).max(Comparator.comparing(JobInstance::term));
	}

	/**
	 * Wait until every fire time that is past by the leader's clock is settled.
	 */
	void awaitNothingDue() {
		try (MongoClient client = MongoClients.create(this.mongo.uri())) {
			Awaitility.await("all that is due is settled, see " + this.directory)
				.atMost(Duration.ofMinutes(2))
				.pollInterval(Duration.ofMillis(100))
				.ignoreExceptions()
				.until(() -> {
					Instant due = awaitLeader().now().minus(JobTally.PERIOD);
					List<RecordedState> states = states(client);
					return !states.isEmpty() && !states.get(states.size() - 1).covered().isBefore(due);
				});
		}
	}

	/** Return each state of the job's record, the oldest first. */
	List<RecordedState> states() {
		try (MongoClient client = MongoClients.create(this.mongo.uri())) {
			return states(client);
		}
	}

	private static List<RecordedState> states(MongoClient client) {
		return RecordedState.read(client, DATABASE, ScheduledJobsApplication.ELECTION + "/" + BegunRun.RECORDED);
	}

	List<BegunRun> begun(String job) {
		return BegunRun.read(this.directory, job);
	}

	/** Return all errors except those of the job that runs under ShedLock's lock. */
	List<String> errors() {
		return allErrors().filter(Predicate.not(JobCluster::isOfLock)).toList();
	}

	/** Return errors of the run under ShedLock's lock, or of taking that lock. */
	List<String> errorsOfLock() {
		return allErrors().filter(JobCluster::isOfLock).toList();
	}

	private Stream<String> allErrors() {
		return this.instances.stream().flatMap((each) -> each.errors().stream());
	}

	private static boolean isOfLock(String error) {
		return error.contains("Unexpected error occurred in scheduled task")
				&& error.contains("net.javacrumbs.shedlock");
	}

	@Override
	public void close() {
		this.instances.forEach(JobInstance::close);
		this.mongo.close();
	}

}
