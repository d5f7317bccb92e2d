package io.github.leaderelection.actuate;

import java.time.Duration;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.SharedMongo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of applications that accept traffic on the leader only, over HTTP and on a real
 * MongoDB.
 */
class ReadinessOverHttpTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private final String database = SharedMongo.uniqueDatabase();

	@AfterEach
	void dropDatabase() {
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(this.database).drop();
		}
	}

	@Test
	void leaderAloneIsReady() {
		try (RunningApplication first = start(); RunningApplication second = start()) {
			await().atMost(LONG)
				.until(() -> first.engine().isLeader("payments") || second.engine().isLeader("payments"));
			RunningApplication leader = first.engine().isLeader("payments") ? first : second;
			RunningApplication follower = (leader == first) ? second : first;
			assertReady(leader, true);
			assertReady(follower, false);
			leader.engine().resign("payments");
			assertReady(leader, false);
			await().atMost(LONG).until(() -> follower.engine().isLeader("payments"));
			assertReady(follower, true);
			assertReady(leader, false);
			AvailabilityChangeEvent.publish(follower.context(), ReadinessState.REFUSING_TRAFFIC);
			assertReady(follower, false);
			AvailabilityChangeEvent.publish(leader.context(), ReadinessState.ACCEPTING_TRAFFIC);
			assertReady(leader, false);
		}
	}

	@Test
	void electionIsTheDefaultOneUnlessItIsNamed() {
		try (RunningApplication application = RunningApplication.start(SharedMongo.uri(), this.database,
				"leader-election.readiness=leader")) {
			await().atMost(LONG).until(() -> application.engine().isLeader("shop"));
			assertReady(application, true);
		}
	}

	@Test
	void everyInstanceIsReadyByDefault() {
		try (RunningApplication application = RunningApplication.start(SharedMongo.uri(), this.database)) {
			assertThat(application.engine().elections()).isEmpty();
			assertReady(application, true);
		}
	}

	private RunningApplication start() {
		return RunningApplication.start(SharedMongo.uri(), this.database, "leader-election.readiness=leader",
				"leader-election.readiness-election=payments", "leader-election.elections.payments.cooldown=1h");
	}

	private static void assertReady(RunningApplication application, boolean ready) {
		assertThat(application.get("/health/readiness").status()).isEqualTo(ready ? 200 : 503);
		assertThat(application.get("/health/liveness").status()).isEqualTo(200);
		ApplicationAvailability availability = application.context().getBean(ApplicationAvailability.class);
		assertThat(availability.getReadinessState())
			.isEqualTo(ready ? ReadinessState.ACCEPTING_TRAFFIC : ReadinessState.REFUSING_TRAFFIC);
		assertThat(availability.getLivenessState()).isEqualTo(LivenessState.CORRECT);
	}

}
