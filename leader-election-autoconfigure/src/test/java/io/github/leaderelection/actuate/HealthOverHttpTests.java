package io.github.leaderelection.actuate;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.actuate.RunningApplication.Answer;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what health says over HTTP, on running applications and a real MongoDB that is
 * paused now and then.
 */
class HealthOverHttpTests {

	private static final Duration LONG = Duration.ofSeconds(90);

	private static MongoReplicaSet mongo;

	private static RunningApplication leader;

	private static RunningApplication follower;

	@BeforeAll
	static void start() {
		mongo = MongoReplicaSet.start(1);
		leader = start("leader-election.elections.jobs.ttl=5s", "leader-election.elections.jobs.stand=true",
				"leader-election.elections.stuck.ttl=5s", "leader-election.elections.long.ttl=3s",
				"leader-election.elections.long.drain-timeout=1s", "leader-election.elections.long.stand=true");
		await().atMost(LONG).until(() -> leader.engine().elections().stream().allMatch(leader.engine()::isLeader));
		follower = start("leader-election.elections.jobs.ttl=5s", "leader-election.elections.jobs.stand=true");
		await().atMost(LONG).until(() -> follower.engine().leader("jobs").isPresent());
	}

	private static RunningApplication start(String... properties) {
		return RunningApplication.start(mongo.uri(), "shop", properties);
	}

	@AfterAll
	static void stop() {
		follower.close();
		leader.close();
		mongo.close();
	}

	@Test
	void leaderAndFollowerAreUp() {
		Answer led = leader.get("/health/leaderElection");
		assertThat(led.status()).as(led.body()).isEqualTo(200);
		assertThat(led.<String>read("details.candidate")).isEqualTo(leader.engine().candidateId());
		await().atMost(LONG).until(() -> leads(leader) || leads(follower));
		for (RunningApplication each : new RunningApplication[] { leader, follower }) {
			await().atMost(LONG).untilAsserted(() -> {
				Answer answer = each.get("/health/leaderElection");
				assertThat(answer.status()).isEqualTo(200);
				assertThat(answer.<String>read("status")).isEqualTo("UP");
				assertThat(answer.<String>read("details.elections.jobs.role"))
					.isEqualTo(leads(each) ? "LEADER" : "FOLLOWER");
				assertThat(answer.<String>read("details.elections.jobs.leader")).contains("shop@");
			});
		}
	}

	@Test
	void candidateThatIgnoresItsInterruptTakesItDown() {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		leader.engine().register(new Candidate() {

			@Override
			public String election() {
				return "stuck";
			}

			@Override
			public void onElected(Leadership leadership) {
				entered.countDown();
				awaitUninterruptibly(end);
			}

			@Override
			public void onDefeated(Leadership leadership) {
			}

		});
		await().atMost(LONG).until(() -> entered.getCount() == 0);
		leader.engine().resign("stuck");
		awaitDown("stuck", "a candidate ignores that its leadership has ended");
		end.countDown();
		awaitUp();
	}

	@Test
	@Tag("deep")
	void workThatGoesOnAfterItsLeadershipTakesItDown() throws Exception {
		await().atMost(LONG).until(() -> leader.engine().isLeader("long"));
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		Thread work = new Thread(() -> leader.engine().runIfLeader("long", (leadership) -> {
			entered.countDown();
			awaitUninterruptibly(end);
		}));
		work.start();
		entered.await();
		leader.engine().resign("long");
		awaitDown("long", "work goes on");
		end.countDown();
		work.join();
		awaitUp();
	}

	@Test
	@Tag("deep")
	void storeThatDoesNotAnswerTakesItDownAndHoldsNobodyUp() {
		await().atMost(LONG).until(() -> leads(leader) || leads(follower));
		RunningApplication led = leads(leader) ? leader : follower;
		mongo.nodes().get(0).pause();
		try {
			led.commands().clear();
			await().atMost(LONG).untilAsserted(() -> {
				Answer health = led.get("/health/leaderElection");
				assertThat(health.status()).isEqualTo(503);
				assertThat(health.<String>read("details.elections.jobs.problem")).isEqualTo("the heartbeat is overdue");
			});
			await().atMost(LONG).failFast("up on the way", () -> isUp(led)).untilAsserted(() -> {
				Answer health = led.get("/health/leaderElection");
				assertThat(health.<String>read("details.unreachableBecause")).contains("no answer in time");
				assertThat(health.<String>read("details.elections.jobs.role")).isEqualTo("FOLLOWER");
			});
			assertThat(led.get("/health/liveness").status()).isEqualTo(200);
			Answer endpoint = led.get("/leaderelection");
			assertThat(endpoint.status()).isEqualTo(200);
			assertThat(Duration.parse(endpoint.read("unreachableFor"))).isPositive();
			assertThat(endpoint.<String>read("unreachableBecause")).contains("no answer in time");
			assertThat(led.get("/leaderelection/jobs").<String>read("lastLoss")).isEqualTo("EXPIRED");
			assertThat(led.commands().threads()).noneMatch(HealthOverHttpTests::isOfRequests);
		}
		finally {
			mongo.nodes().get(0).resume();
		}
		awaitUp();
		// Commands that requests send would have been noticed.
		assertThat(led.get("/health/mongo").status()).isEqualTo(200);
		assertThat(led.commands().threads()).anyMatch(HealthOverHttpTests::isOfRequests);
	}

	@Test
	void livenessHasNoPartInIt() {
		HealthEndpointGroups groups = leader.context().getBean(HealthEndpointGroups.class);
		assertThat(groups.getPrimary().isMember("leaderElection")).isTrue();
		assertThat(groups.get("liveness").isMember("leaderElection")).isFalse();
	}

	private static boolean leads(RunningApplication application) {
		return application.engine().isLeader("jobs");
	}

	private static boolean isOfRequests(String thread) {
		return thread.contains("-exec-");
	}

	private static void awaitDown(String election, String problem) {
		await().atMost(LONG).untilAsserted(() -> {
			Answer answer = leader.get("/health/leaderElection");
			assertThat(answer.status()).isEqualTo(503);
			assertThat(answer.<String>read("details.elections." + election + ".problem")).startsWith(problem);
		});
		assertThat(leader.get("/health/liveness").status()).isEqualTo(200);
	}

	private static void awaitUp() {
		await().atMost(LONG).until(() -> isUp(leader));
	}

	private static boolean isUp(RunningApplication application) {
		return application.get("/health/leaderElection").status() == 200;
	}

	private static void awaitUninterruptibly(CountDownLatch end) {
		while (end.getCount() > 0) {
			try {
				end.await();
			}
			catch (InterruptedException ex) {
				// What is tested.
			}
		}
	}

}
