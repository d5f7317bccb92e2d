package io.github.leaderelection.actuate;

import java.io.UncheckedIOException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;

import io.github.leaderelection.actuate.RunningApplication.Answer;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what a leader and a follower answer over HTTP while MongoDB is paused: at
 * once, and without asking it. Whoever asks it waits for an operation timeout, which is
 * far longer than what is taken for "at once".
 */
@Tag("deep")
class PausedMongoOverHttpTests {

	private static final Duration LONG = Duration.ofSeconds(90);

	private static final Duration AT_ONCE = Duration.ofSeconds(3);

	private static final List<String> PATHS = List.of("/health/leaderElection", "/prometheus", "/leaderelection",
			"/leaderelection/jobs");

	private static MongoReplicaSet mongo;

	private static RunningApplication leader;

	private static RunningApplication follower;

	@BeforeAll
	static void start() {
		mongo = MongoReplicaSet.start(1);
		leader = start("leader-election.elections.jobs.ttl=2m", "leader-election.elections.jobs.stand=true",
				"leader-election.elections.jobs.renew-interval=1s");
		await().atMost(LONG).until(() -> leader.engine().isLeader("jobs"));
		follower = start("leader-election.elections.jobs.ttl=10s", "leader-election.elections.jobs.stand=true");
		await().atMost(LONG).until(() -> follower.engine().leader("jobs").isPresent());
		// The first answers of an application take longer.
		PATHS.forEach(leader::get);
		PATHS.forEach(follower::get);
	}

	private static RunningApplication start(String... properties) {
		String[] all = List.of(properties).toArray(new String[properties.length + 1]);
		all[properties.length] = "leader-election.elections.jobs.operation-timeout=5s";
		return RunningApplication.start(mongo.uri(), "shop", all);
	}

	@AfterAll
	static void stop() {
		follower.close();
		leader.close();
		mongo.close();
	}

	@Test
	void answersComeAtOnceAndMongoIsNotAsked() {
		leader.commands().clear();
		follower.commands().clear();
		mongo.nodes().get(0).pause();
		try {
			assertThatAnswersComeAtOnce();
			await().atMost(LONG).until(() -> isCutOff(leader) && isCutOff(follower));
			assertThatAnswersComeAtOnce();
			assertThat(leader.commands().threads()).noneMatch(PausedMongoOverHttpTests::isOfRequests);
			assertThat(follower.commands().threads()).noneMatch(PausedMongoOverHttpTests::isOfRequests);
			// Who asks MongoDB is noticed.
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> leader.get("/health/mongo", AT_ONCE))
				.withCauseInstanceOf(HttpTimeoutException.class);
		}
		finally {
			mongo.nodes().get(0).resume();
		}
		awaitUp();
	}

	@Test
	void followerIsDownOnceLeasesWereOutOfReachForLongerThanTheyLive() {
		awaitUp();
		mongo.nodes().get(0).pause();
		try {
			await().atMost(LONG).until(() -> isCutOff(follower));
			Answer early = follower.get("/health/leaderElection");
			assertThat(early.status()).as(early.body()).isEqualTo(200);
			assertThat(early.<String>read("details.unreachableBecause")).contains("no answer in time");
			await().atMost(LONG).until(() -> follower.get("/health/leaderElection").status() == 503);
			Answer late = follower.get("/health/leaderElection");
			assertThat(late.<String>read("status")).isEqualTo("DOWN");
			assertThat(late.<String>read("details.unreachableFor")).matches("\\d+(\\.\\d)? s");
			assertThat(late.<String>read("details.elections.jobs.role")).isEqualTo("FOLLOWER");
			assertThat(late.body()).doesNotContain("problem");
			assertThat(follower.get("/health/liveness").status()).isEqualTo(200);
			assertThat(leader.engine().isLeader("jobs")).isTrue();
		}
		finally {
			mongo.nodes().get(0).resume();
		}
		awaitUp();
	}

	private static void assertThatAnswersComeAtOnce() {
		for (String path : PATHS) {
			for (RunningApplication application : List.of(leader, follower)) {
				Answer answer = application.get(path, AT_ONCE);
				assertThat(answer.status()).as(path)
					.isIn(path.startsWith("/health") ? List.of(200, 503) : List.of(200));
				assertThat(answer.body()).contains("jobs");
			}
		}
	}

	private static boolean isCutOff(RunningApplication application) {
		return application.engine().status().outage() != null;
	}

	private static boolean isOfRequests(String thread) {
		return thread.contains("-exec-");
	}

	private static void awaitUp() {
		await().atMost(LONG)
			.until(() -> leader.get("/health/leaderElection").status() == 200
					&& follower.get("/health/leaderElection").status() == 200 && !isCutOff(leader)
					&& !isCutOff(follower));
	}

}
