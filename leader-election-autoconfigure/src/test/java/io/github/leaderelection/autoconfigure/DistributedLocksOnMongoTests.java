package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.FreshDatabase;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.mongodb.core.MongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of auto-configured locks on a real MongoDB.
 */
class DistributedLocksOnMongoTests {

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLocksAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
				MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
		.withPropertyValues(this.mongo.properties())
		.withPropertyValues("leader-election.drain-timeout=0s");

	@Test
	void locksAreInACollectionOfTheirOwn() {
		this.runner.withPropertyValues("leader-election.prefix=shop/").run((context) -> {
			try (HeldLock lock = context.getBean(DistributedLocks.class).tryAcquire("a").orElseThrow()) {
				assertThat(find(context.getBean(MongoTemplate.class), "leader_election_locks", "lock:shop/a"))
					.hasEntrySatisfying("holder",
							(holder) -> assertThat(holder).asString().startsWith(lock.candidateId() + "#"));
			}
		});
	}

	@Test
	void collectionCanBeNamed() {
		this.runner.withPropertyValues("leader-election.locks.collection=locks").run((context) -> {
			try (HeldLock lock = context.getBean(DistributedLocks.class).tryAcquire("a").orElseThrow()) {
				assertThat(find(context.getBean(MongoTemplate.class), "locks", "lock:a")).hasEntrySatisfying("holder",
						(holder) -> assertThat(holder).asString().startsWith(lock.candidateId() + "#"));
			}
		});
	}

	@Test
	void nothingIsStoredForLocksThatNobodyUses() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(LockService.class);
			assertThat(context.getBean(MongoTemplate.class).collectionExists("leader_election_locks")).isFalse();
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			''                          | can't be the name of a collection
			leader_election_leases      | is kept for other things than locks
			leader_election_sessions  | is kept for other things than locks
			""")
	void unusableCollectionIsToldAtStartup(String name, String reason) {
		this.runner.withPropertyValues("leader-election.locks.collection=" + name).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription())
				.isEqualTo("leader-election.locks.collection (%s) %s.".formatted(name, reason));
			assertThat(analysis.getAction()).startsWith("Use a name such as locks");
		});
	}

	private static Document find(MongoTemplate mongo, String collection, String id) {
		return mongo.getCollection(collection).find(new Document("_id", id)).first();
	}

}
