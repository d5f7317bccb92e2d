package io.github.leaderelection.sample;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests the sample in several processes on a real replica set, with what a user would try
 * first.
 */
class SampleIntegrationTests {

	private static MongoReplicaSet mongo;

	@BeforeAll
	static void startMongo() {
		mongo = MongoReplicaSet.start(3);
	}

	@AfterAll
	static void stopMongo() {
		mongo.close();
	}

	@Test
	void leavingLeaderFinishesItsJobBeforeTheNextOneStarts() {
		assertThatJobsAreFinished(SampleRuntime.plain(), "graceful");
	}

	@Test
	@Tag("deep")
	void leavingLeaderFinishesItsJobWithAheadOfTimeProcessing() {
		SampleCluster cluster = assertThatJobsAreFinished(SampleRuntime.aheadOfTime(), "aot");
		assertThat(cluster.processes())
			.allSatisfy((process) -> assertThat(process.log().containing("Starting AOT-processed SampleApplication"))
				.hasSize(1));
	}

	@Test
	@Tag("deep")
	void leavingLeaderFinishesItsJobOnVirtualThreads() {
		Optional<SampleRuntime> runtime = SampleRuntime.virtualThreads();
		assumeTrue(runtime.isPresent(), "There is no JVM with virtual threads");
		assertThatJobsAreFinished(runtime.orElseThrow(), "virtual");
	}

	private static SampleCluster assertThatJobsAreFinished(SampleRuntime runtime, String name) {
		try (SampleCluster cluster = new SampleCluster(mongo, runtime, name, "--sample.report.takes=2s")) {
			cluster.start(3);
			assertThatJobIsFinished(cluster, (leader) -> leader.resign("nightly-report"));
			assertThatJobIsFinished(cluster, SampleProcess::terminate);
			cluster.assertTermsFollowEachOther();
			cluster.assertNoAlarms();
			return cluster;
		}
	}

	private static void assertThatJobIsFinished(SampleCluster cluster, Consumer<SampleProcess> go) {
		// A run that has just begun: it can't end by itself before the leader is asked to
		// go.
		Run running = cluster.awaitRun("nightly-report",
				(run) -> run.finishedAt() == null && run.startedAt().isAfter(Instant.now().minusSeconds(1)));
		SampleProcess leader = cluster.process(running.candidate());
		Instant asked = Instant.now();
		go.accept(leader);
		Run next = cluster.awaitRun("nightly-report", (run) -> run.term() > running.term());

		Run finished = cluster.run(running);
		assertThat(finished.finishedAt()).isNotNull()
			.isAfter(asked)
			.isAfter(running.startedAt().plusMillis(1990))
			.isBeforeOrEqualTo(next.startedAt());
		assertThat(next.candidate()).isNotEqualTo(running.candidate());
		assertThat(cluster.history().of("nightly-report"))
			.filteredOn((run) -> run.candidate().equals(leader.candidateId()))
			.allSatisfy((run) -> assertThat(run.finishedAt()).isNotNull());
	}

	@Test
	void pausedInstanceDoesNotLeadUntilResumed() {
		try (SampleCluster cluster = new SampleCluster(mongo, "pause")) {
			cluster.start(1);
			SampleProcess process = cluster.awaitLeader("nightly-report");
			assertThat(process.overview().mongo().silentMillis()).isNull();
			assertThat(process.post("api/elections/nightly-report/pause")).isEqualTo(202);
			SampleCluster.await("pause").until(() -> process.election("nightly-report").role() == Role.PAUSED);
			assertThat(process.leads("nightly-report")).isFalse();
			assertThat(process.leads("market-feed")).isTrue();
			assertThat(process.post("api/elections/nightly-report/resume")).isEqualTo(202);
			cluster.awaitLeader("nightly-report");
			assertThat(process.post("api/elections/unknown/pause")).isEqualTo(404);
		}
	}

	@Test
	@Tag("deep")
	void endpointIsReadOnly() {
		try (SampleCluster cluster = new SampleCluster(mongo, "endpoint")) {
			cluster.start(1);
			SampleProcess process = cluster.awaitLeader("nightly-report");
			assertThat(process.get("actuator/leaderelection")).contains(process.candidateId())
				.contains(SampleCluster.ELECTIONS);
			assertThat(process.get("actuator/prometheus")).contains("leader_election_leading{");
			// No details of the server's other databases, or of this machine.
			assertThat(process.get("actuator/health")).contains("\"leaderElection\"")
				.doesNotContain("databases", "path");
			assertThat(process.post("actuator/leaderelection/nightly-report?action=resign")).isEqualTo(405);
			assertThat(process.leads("nightly-report")).isTrue();
		}
	}

	@Test
	@Tag("deep")
	void applicationsLiveThroughAnOutageOfMongo() {
		try (SampleCluster cluster = new SampleCluster(mongo, "outage", "--leader-election.ttl=3s",
				"--leader-election.elections.invoice-run.ttl=60s")) {
			cluster.start(3);
			SampleProcess shortLived = cluster.awaitLeader("nightly-report");
			SampleProcess longLived = cluster.awaitLeader("invoice-run");
			Run before = cluster.awaitRun("nightly-report", (run) -> true);
			Long kept = longLived.election("invoice-run").term();
			cluster.awaitRun("invoice-run", (run) -> run.term() == kept);

			Instant stopped = Instant.now();
			mongo.stop();
			SampleCluster.await("loss of leadership").until(() -> !shortLived.leads("nightly-report"));
			// By then a run that was cut off has given up.
			Instant settled = Instant.now().plusSeconds(3);
			// All pages still answer, and nobody leads.
			assertThat(cluster.processes()).noneMatch((process) -> process.leads("nightly-report"));
			assertThat(cluster.living()).hasSize(3);
			// Jobs of the election that still has a leader are attempted; those of the
			// other one are skipped.
			SampleCluster.await("attempt").until(() -> isTried(longLived, "invoice run", settled));
			assertThat(cluster.processes()).noneMatch((process) -> isTried(process, "nightly report", settled));
			Instant back = Instant.now();
			mongo.start();
			cluster.awaitLeader("nightly-report");
			Run after = cluster.awaitRun("nightly-report", (run) -> run.term() > before.term());
			cluster.awaitRun("invoice-run", (run) -> run.startedAt().isAfter(after.startedAt()));

			assertThat(cluster.living()).hasSize(3);
			assertThat(longLived.leads("invoice-run")).isTrue();
			assertThat(longLived.election("invoice-run").term()).as("a stop shorter than the TTL").isEqualTo(kept);
			cluster.assertTermsFollowEachOther();
			assertThat(cluster.processes()).allSatisfy((process) -> assertOneOutage(process, stopped, back));
		}
	}

	private static boolean isTried(SampleProcess process, String job, Instant since) {
		return process.log()
			.containing("The " + job + " is left out")
			.stream()
			.anyMatch((entry) -> entry.time().isAfter(since));
	}

	/**
	 * The outage is logged once, not at each attempt, and each outage that is logged also
	 * has its end logged. (A busy machine may have had short outages of its own.)
	 */
	private static void assertOneOutage(SampleProcess process, Instant from, Instant to) {
		List<SampleLog.Entry> lost = process.log().containing("Leases can't be reached");
		assertThat(lost).as(process.toString()).isNotEmpty();
		assertThat(lost).as(process.toString())
			.filteredOn((entry) -> entry.time().isAfter(from) && entry.time().isBefore(to))
			.hasSizeLessThanOrEqualTo(1);
		// A follower notices at its next read.
		SampleCluster.await("end of the outage of " + process)
			.until(() -> process.log().containing("Leases can be reached again").size() == lost.size());
		assertThat(process.log().ownAlarms()).isEmpty();
	}

}
