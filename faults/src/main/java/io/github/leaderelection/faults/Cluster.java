package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.awaitility.Awaitility;
import org.bson.Document;

import org.springframework.util.Assert;

/**
 * Three MongoDB servers and five candidates on the network of this process, each in a
 * group of its own. The last server and the last two candidates have wall clocks that can
 * be set. The candidates' times to live differ.
 */
final class Cluster implements AutoCloseable {

	static final List<String> ELECTIONS = List.of(GatedWork.ALPHA, GatedWork.BETA);

	static final String DATABASE = "faults";

	private static final int SERVERS = 3;

	private static final List<Integer> TTL_MILLIS = List.of(3000, 3000, 3000, 2500, 3500);

	private static final int FIRST_SERVER_GROUP = 21001;

	private static final int FIRST_CANDIDATE_GROUP = 22001;

	private final Network network = new Network();

	private final MongoReplicaSet mongo = MongoReplicaSet.reserve(SERVERS);

	private final List<CandidateProcess> candidates = new ArrayList<>();

	private final WallClock serverClock;

	private final List<WallClock> candidateClocks;

	/**
	 * Create a cluster that is to be started.
	 * @param directory where histories and logs go
	 * @param args further properties of the candidates
	 */
	Cluster(Path directory, List<String> args) {
		this.serverClock = new WallClock(directory.resolve("server.clock"));
		this.candidateClocks = Stream.of("4", "5").map((number) -> clock(directory, number)).toList();
		for (int i = 0; i < SERVERS; i++) {
			boolean last = i == SERVERS - 1;
			this.network.add(FIRST_SERVER_GROUP + i);
			this.mongo.nodes()
				.get(i)
				.startBy(prefix(FIRST_SERVER_GROUP + i, last ? this.serverClock : null).toArray(String[]::new));
		}
		for (int i = 0; i < TTL_MILLIS.size(); i++) {
			int group = FIRST_CANDIDATE_GROUP + i;
			this.network.add(group);
			int clock = i - (TTL_MILLIS.size() - this.candidateClocks.size());
			List<String> properties = new ArrayList<>(List.of("--leader-election.ttl=" + TTL_MILLIS.get(i) + "ms",
					"--leader-election.drain-timeout=5s", "--spring.mongodb.uri=" + this.mongo.uri(),
					"--spring.mongodb.database=" + DATABASE, "--spring.main.banner-mode=off",
					"--spring.main.keep-alive=true", "--spring.main.web-application-type=none",
					"--logging.pattern.console=%d{HH:mm:ss.SSS} %p %logger - %m%n",
					"--spring.data.mongodb.repositories.type=none"));
			properties.addAll(args);
			this.candidates.add(new CandidateProcess("c" + (i + 1), group, directory,
					prefix(group, (clock >= 0) ? this.candidateClocks.get(clock) : null), properties));
		}
	}

	private static WallClock clock(Path directory, String candidate) {
		return new WallClock(directory.resolve("c" + candidate + ".clock"));
	}

	private static List<String> prefix(int group, WallClock clock) {
		List<String> prefix = new ArrayList<>(Network.startIn(group));
		if (clock != null) {
			prefix.addAll(clock.startWith());
		}
		return prefix;
	}

	void start() {
		this.mongo.start();
		this.candidates.forEach(CandidateProcess::launch);
		this.candidates.forEach(CandidateProcess::awaitStart);
		awaitLeaders();
		requireCandidates();
	}

	/**
	 * Wait until each election has a leader.
	 */
	void awaitLeaders() {
		Awaitility.await("leaders")
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(20))
			.until(() -> ELECTIONS.stream().allMatch((election) -> leader(election).isPresent()));
	}

	/**
	 * Fail if a candidate has ended by itself.
	 */
	void requireCandidates() {
		List<CandidateProcess> ended = this.candidates.stream().filter((each) -> !each.isAlive()).toList();
		Assert.state(ended.isEmpty(), () -> "Candidates have ended by themselves: " + ended);
	}

	/**
	 * Return whether a majority acknowledges a write soon.
	 */
	boolean takesWrites() {
		try (MongoClient client = MongoClients.create(this.mongo.uri())) {
			client.getDatabase(DATABASE)
				.getCollection("probes")
				.withWriteConcern(WriteConcern.MAJORITY)
				.withTimeout(10, TimeUnit.SECONDS)
				.insertOne(new Document());
			return true;
		}
		catch (MongoException ex) {
			return false;
		}
	}

	Optional<CandidateProcess> leader(String election) {
		return this.candidates.stream().filter((candidate) -> candidate.leads(election)).findFirst();
	}

	List<CandidateProcess> followers() {
		return this.candidates.stream().filter((each) -> ELECTIONS.stream().noneMatch(each::leads)).toList();
	}

	Network network() {
		return this.network;
	}

	MongoReplicaSet mongo() {
		return this.mongo;
	}

	List<CandidateProcess> candidates() {
		return this.candidates;
	}

	int group(MongoNode server) {
		return FIRST_SERVER_GROUP + this.mongo.nodes().indexOf(server);
	}

	/** The server whose clock can be set. */
	MongoNode clockedServer() {
		return this.mongo.nodes().get(SERVERS - 1);
	}

	WallClock serverClock() {
		return this.serverClock;
	}

	/** The candidates whose clocks can be set. */
	List<CandidateProcess> clockedCandidates() {
		return this.candidates.subList(this.candidates.size() - this.candidateClocks.size(), this.candidates.size());
	}

	WallClock clockOf(CandidateProcess candidate) {
		return this.candidateClocks.get(clockedCandidates().indexOf(candidate));
	}

	/** End all processes, for good. */
	void endCandidates() {
		this.candidates.forEach(CandidateProcess::close);
	}

	@Override
	public void close() {
		endCandidates();
		this.mongo.close();
	}

}
