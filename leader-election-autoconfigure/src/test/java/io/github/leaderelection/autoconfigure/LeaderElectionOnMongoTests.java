package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.mongodb.FreshDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.mongodb.core.MongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the auto-configuration on a real MongoDB.
 */
class LeaderElectionOnMongoTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				MongoLeaderElectionAutoConfiguration.class, LeaderOnlyAutoConfiguration.class,
				MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "spring.mongodb.uri=" + SharedMongo.uri(),
				"spring.mongodb.database=" + this.mongo.name(), "leader-election.elections.x.ttl=10s",
				"leader-election.elections.x.stand=true");

	@Test
	void leasesAndCandidatesAreInTheDatabaseOfTheApplication() {
		this.contextRunner.run((context) -> {
			LeaderElection leaderElection = context.getBean(LeaderElection.class);
			await().atMost(LONG).until(() -> leaderElection.isLeader("x"));
			MongoDatabase database = context.getBean(MongoTemplate.class).getDb();
			assertThat(database.getName()).isEqualTo(this.mongo.name());
			Document lease = database.getCollection("leader_election_leases").find().first();
			assertThat(lease).containsEntry("_id", "x")
				.hasEntrySatisfying("holder",
						(holder) -> assertThat(holder).asString().startsWith(leaderElection.candidateId() + "#"));
			await().atMost(LONG)
				.until(() -> database.getCollection("leader_election_candidates").countDocuments() == 1);
			Document candidate = database.getCollection("leader_election_candidates").find().first();
			assertThat(candidate).containsEntry("_id", leaderElection.candidateId())
				.containsEntry("application", "shop");
		});
	}

}
