package io.github.leaderelection.autoconfigure;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.RecordStores;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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

	private final String databaseName = SharedMongo.uniqueDatabase();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLocksAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
				MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
		.withPropertyValues("spring.mongodb.uri=" + SharedMongo.uri(), "spring.mongodb.database=" + this.databaseName,
				"leader-election.drain-timeout=0s");

	@AfterEach
	void dropDatabase() {
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			client.getDatabase(this.databaseName).drop();
		}
	}

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
	void instancesExcludeEachOther() {
		this.runner.run((first) -> this.runner.run((second) -> {
			HeldLock lock = first.getBean(DistributedLocks.class).tryAcquire("a").orElseThrow();
			assertThat(second.getBean(DistributedLocks.class).tryAcquire("a")).isEmpty();
			assertThat(second.getBean(DistributedLocks.class).tryAcquire("b")).isPresent();
			assertThat(lock.isHeld()).isTrue();
		}));
	}

	@Test
	void locksAreGivenBackWhenTheContextIsClosed() {
		this.runner.run((context) -> assertThat(context.getBean(DistributedLocks.class).tryAcquire("a")).isPresent());
		this.runner
			.run((context) -> assertThat(find(context.getBean(MongoTemplate.class), "leader_election_locks", "lock:a"))
				.containsEntry("holder", null));
	}

	@Test
	void nothingIsStoredForLocksThatNobodyUses() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(LockService.class);
			assertThat(context.getBean(MongoTemplate.class).collectionExists("leader_election_locks")).isFalse();
		});
	}

	@Test
	void storeOfTheApplicationKeepsItsLocks() {
		InMemoryRecordStores own = new InMemoryRecordStores();
		this.runner.withBean(RecordStores.class, () -> own).run((context) -> {
			HeldLock lock = context.getBean(DistributedLocks.class).tryAcquire("a").orElseThrow();
			try (LockService other = LockService.builder(RecordLeaseStore.forLocks(own, "")).build()) {
				assertThat(other.tryAcquire("a")).isEmpty();
			}
			assertThat(lock.isHeld()).isTrue();
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
