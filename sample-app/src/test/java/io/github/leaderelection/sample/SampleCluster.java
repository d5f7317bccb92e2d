package io.github.leaderelection.sample;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.mongodb.core.MongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several processes of the sample with one database, and the records they keep there.
 */
final class SampleCluster implements AutoCloseable {

	static final List<String> ELECTIONS = List.of("invoice-run", "market-feed", "nightly-report");

	private final List<SampleProcess> processes = new CopyOnWriteArrayList<>();

	private final SampleRuntime runtime;

	private final String name;

	private final String uri;

	private final List<String> args;

	private final MongoClient client;

	private final MongoTemplate mongo;

	private int launched;

	/**
	 * Create a cluster without any process.
	 * @param name the name of the database and of the log files
	 */
	SampleCluster(MongoReplicaSet mongo, String name, String... args) {
		this(mongo, SampleRuntime.plain(), name, args);
	}

	/**
	 * Create a cluster without any process.
	 * @param runtime the runtime of the processes
	 * @param name the name of the database and of the log files
	 */
	SampleCluster(MongoReplicaSet mongo, SampleRuntime runtime, String name, String... args) {
		this.runtime = runtime;
		this.name = name;
		this.uri = mongo.uri(name);
		this.args = List.of(args);
		this.client = MongoClients.create(this.uri);
		this.mongo = new MongoTemplate(this.client, name);
	}

	/**
	 * Start processes, and wait for their pages.
	 */
	void start(int count) {
		List<SampleProcess> started = Stream.generate(() -> launch(0)).limit(count).toList();
		started.forEach(SampleProcess::awaitPage);
	}

	/**
	 * Start a process in place of one that has ended, at the same address.
	 */
	SampleProcess startInPlaceOf(SampleProcess ended) {
		SampleProcess process = launch(URI.create(ended.address()).getPort());
		process.awaitPage();
		return process;
	}

	private SampleProcess launch(int port) {
		this.launched++;
		Path log = Path.of("target", "sample-logs", this.name + "-" + this.launched + ".log");
		SampleProcess process = SampleProcess.launch(this.runtime, log, this.uri, port, this.args);
		this.processes.add(process);
		return process;
	}

	List<SampleProcess> processes() {
		return this.processes;
	}

	SampleProcess process(String candidateId) {
		return this.processes.stream()
			.filter((process) -> process.candidateId().equals(candidateId))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Wait until one process leads the election and all running processes know it.
	 * @return the leader
	 */
	SampleProcess awaitLeader(String election) {
		await("leader of " + election).until(() -> {
			List<SampleProcess> living = living();
			SampleProcess leader = living.stream()
				.filter((process) -> process.leads(election))
				.findFirst()
				.orElse(null);
			return leader != null && living.stream()
				.allMatch((process) -> leader.candidateId().equals(process.election(election).leader()));
		});
		return living().stream().filter((process) -> process.leads(election)).findFirst().orElseThrow();
	}

	/**
	 * Wait until a matching run is recorded.
	 * @return the latest matching run
	 */
	Run awaitRun(String election, Predicate<Run> fitting) {
		return await("run of " + election)
			.until(() -> history().of(election).stream().filter(fitting).reduce((a, b) -> b), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Return the name that the pages show for the process.
	 */
	String name(SampleProcess process) {
		Instance instance = await("sign of life")
			.until(() -> this.mongo.findById(process.candidateId(), Instance.class), Objects::nonNull);
		return "Instance " + instance.number();
	}

	Run run(Run recorded) {
		return this.mongo.findById(recorded.id(), Run.class);
	}

	JobRunHistory history() {
		return new JobRunHistory(this.mongo.findAll(Run.class));
	}

	List<SampleProcess> living() {
		return this.processes.stream().filter(SampleProcess::isAlive).toList();
	}

	void assertTermsFollowEachOther() {
		awaitRun("nightly-report", (run) -> true);
		awaitRun("invoice-run", (run) -> true);
		assertThat(history().violations()).isEmpty();
	}

	/**
	 * No errors, no stack traces, and no takeover: a leader that is held up for too long
	 * ends its term itself, before another candidate can take the lease.
	 */
	void assertNoAlarms() {
		assertThat(this.processes).allSatisfy((process) -> {
			assertThat(process.log().alarms()).isEmpty();
			assertThat(process.log().containing("TAKEN_OVER")).isEmpty();
		});
	}

	static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
	}

	@Override
	public void close() {
		this.processes.parallelStream().forEach(SampleProcess::close);
		this.client.close();
	}

}
