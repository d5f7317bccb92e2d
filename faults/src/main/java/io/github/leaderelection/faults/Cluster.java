package io.github.leaderelection.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.util.Assert;

/**
 * The servers of a database and five candidates, on the network of this process. Each
 * candidate has its own group id. The last two have wall clocks that can be set. Their
 * times to live differ.
 */
final class Cluster implements AutoCloseable {

	static final List<String> ELECTIONS = List.of(GatedWork.ALPHA, GatedWork.BETA);

	private static final List<Integer> TTL_MILLIS = List.of(3000, 3000, 3000, 2500, 3500);

	private static final int FIRST_CANDIDATE_GROUP = 22001;

	private final Network network = new Network();

	private final Servers servers;

	private final List<CandidateProcess> candidates = new ArrayList<>();

	private final List<WallClock> candidateClocks;

	/**
	 * Create a cluster without starting it. Histories and logs are written to the
	 * directory of the settings.
	 */
	Cluster(FaultSettings settings) {
		Path directory = settings.directory();
		this.servers = settings.database().reserve(this.network, directory);
		this.candidateClocks = Stream.of("4", "5").map((number) -> clock(directory, number)).toList();
		for (int i = 0; i < TTL_MILLIS.size(); i++) {
			int group = FIRST_CANDIDATE_GROUP + i;
			this.network.add(group);
			int clock = i - (TTL_MILLIS.size() - this.candidateClocks.size());
			List<String> properties = new ArrayList<>(List.of("--leader-election.ttl=" + TTL_MILLIS.get(i) + "ms",
					"--leader-election.drain-timeout=5s", "--spring.main.banner-mode=off",
					"--spring.main.keep-alive=true", "--spring.main.web-application-type=none",
					"--logging.pattern.console=%d{HH:mm:ss.SSS} %p %logger - %m%n"));
			properties.addAll(this.servers.candidateArgs());
			properties.addAll(settings.candidateArgs());
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
		this.servers.start();
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
	 * Fail if a candidate has exited unexpectedly.
	 */
	void requireCandidates() {
		List<CandidateProcess> ended = this.candidates.stream().filter((each) -> !each.isAlive()).toList();
		Assert.state(ended.isEmpty(), () -> "Candidates have ended by themselves: " + ended);
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

	Servers servers() {
		return this.servers;
	}

	List<CandidateProcess> candidates() {
		return this.candidates;
	}

	/** Return the candidates whose clocks can be set. */
	List<CandidateProcess> clockedCandidates() {
		return this.candidates.subList(this.candidates.size() - this.candidateClocks.size(), this.candidates.size());
	}

	WallClock clockOf(CandidateProcess candidate) {
		return this.candidateClocks.get(clockedCandidates().indexOf(candidate));
	}

	/** Kill all candidates for good. */
	void endCandidates() {
		this.candidates.forEach(CandidateProcess::close);
	}

	@Override
	public void close() {
		endCandidates();
		this.servers.close();
	}

}
