package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordStores;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DistributedLocksAutoConfiguration}.
 */
class DistributedLocksAutoConfigurationTests {

	private final InMemoryRecordStores stores = new InMemoryRecordStores();

	private final ApplicationContextRunner withoutStore = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLocksAutoConfiguration.class, LeaderElectionAutoConfiguration.class))
		// Most tests leave locks behind.
		.withPropertyValues("leader-election.drain-timeout=0s");

	private final ApplicationContextRunner runner = this.withoutStore.withBean(RecordStores.class, () -> this.stores);

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final ApplicationContextRunner onMongo = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLocksAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class,
				MongoAutoConfiguration.class, DataMongoAutoConfiguration.class))
		.withPropertyValues(this.mongo.properties())
		.withPropertyValues("leader-election.drain-timeout=0s");

	@Test
	void storeOfAnotherAutoConfigurationIsFound() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLocksAutoConfiguration.class,
					LeaderElectionAutoConfiguration.class, ZooStoreAutoConfiguration.class))
			.run((context) -> assertThat(context).hasSingleBean(DistributedLocks.class));
	}

	@Test
	void backsOffForLocksOfTheApplication() {
		LockService own = new LockService(LeaseStore.forLocks(this.stores, ""));
		this.runner.withBean("own", DistributedLocks.class, () -> own)
			.run((context) -> assertThat(context.getBean(DistributedLocks.class)).isSameAs(own));
	}

	@Test
	void withoutElectionsLocksAreHeldInMemory() {
		this.withoutStore.withPropertyValues("leader-election.enabled=false").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			assertThat(locks.tryAcquire("a")).isPresent();
			assertThat(locks.tryAcquire("a")).isEmpty();
		});
	}

	@Test
	void beansHoldLocksUntilTheyAreDestroyed() {
		AtomicReference<LossReason> ended = new AtomicReference<>();
		this.runner.withBean(Holder.class, ended)
			.run((context) -> assertThat(context.getBean(Holder.class).lock.isHeld()).isTrue());
		assertThat(ended).hasValue(LossReason.RESIGNED);
	}

	@Test
	void closingTheContextWaitsForHolders() {
		AtomicReference<DistributedLocks> locks = new AtomicReference<>();
		AtomicReference<HeldLock> held = new AtomicReference<>();
		this.runner.withPropertyValues("leader-election.drain-timeout=60s").run((context) -> {
			locks.set(context.getBean(DistributedLocks.class));
			HeldLock lock = locks.get().tryAcquire("a").orElseThrow();
			held.set(lock);
			// Released only when nobody can acquire a lock any more.
			CompletableFuture<Void> unused = CompletableFuture.runAsync(() -> {
				while (isOpen(locks.get())) {
					Thread.onSpinWait();
				}
				lock.close();
			});
		});
		assertThat(held.get().lossReason()).contains(LossReason.RESIGNED);
		assertThatIllegalStateException().isThrownBy(() -> locks.get().tryAcquire("a"))
			.withMessage("Locks have been shut down");
	}

	@Test
	void locksUseElectionSettingsExceptCooldown() {
		ElectionSettings settings = ElectionSettingsResolverTests
			.resolver(Map.of("ttl", "40s", "poll-interval", "3s", "cooldown", "9s"))
			.locks();
		ElectionSettings usual = ElectionSettings.of(Duration.ofSeconds(40));
		assertThat(settings)
			.isEqualTo(usual.toBuilder().pollInterval(Duration.ofSeconds(3)).cooldown(Duration.ZERO).build());
	}

	@Test
	void ownTtlOfLocksDeterminesTheirOtherDurations() {
		ElectionSettingsResolver resolver = ElectionSettingsResolverTests
			.resolver(Map.of("poll-interval", "3s", "drain-timeout", "7s", "locks.ttl", "40s"));
		ElectionSettings usual = ElectionSettings.of(Duration.ofSeconds(40));
		assertThat(resolver.locks())
			.isEqualTo(usual.toBuilder().drainTimeout(Duration.ofSeconds(7)).cooldown(Duration.ZERO).build());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ttl=10ms          | leader-election.locks.ttl (10 ms)
			unused-for=0s     | leader-election.locks.unused-for (0 s) must be between 1 min and 365 d
			unused-for=-1h    | leader-election.locks.unused-for (-1 h) must be between 1 min and 365 d
			unused-for=10000d | leader-election.locks.unused-for (10000 d) must be between 1 min and 365 d
			""")
	void invalidSettingFailsTheStart(String setting, String told) {
		this.runner.withPropertyValues("leader-election.locks." + setting).run((context) -> {
			FailureAnalysis analysis = FailureAnalyses.of(context);
			assertThat(analysis.getDescription()).startsWith(told);
			assertThat(analysis.getAction()).containsPattern("Use a value|Choose a value");
		});
	}

	@ParameterizedTest
	@CsvSource({ "leader-election.prefix=shop/, leader_election_locks, lock:shop/a",
			"leader-election.locks.collection=locks, locks, lock:a" })
	void locksAreInACollectionOfTheirOwn(String property, String collection, String id) {
		this.onMongo.withPropertyValues(property).run((context) -> {
			try (HeldLock lock = context.getBean(DistributedLocks.class).tryAcquire("a").orElseThrow()) {
				assertThat(find(context.getBean(MongoTemplate.class), collection, id)).hasEntrySatisfying("holder",
						(holder) -> assertThat(holder).asString().startsWith(lock.candidateId() + "#"));
			}
		});
	}

	@Test
	void unusedLocksCreateNoCollection() {
		this.onMongo.run((context) -> {
			assertThat(context).hasSingleBean(LockService.class);
			assertThat(context.getBean(MongoTemplate.class).collectionExists("leader_election_locks")).isFalse();
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			''                          | is not a valid collection name
			leader_election_leases      | is reserved for data other than locks
			leader_election_sessions  | is reserved for data other than locks
			""")
	void unusableCollectionFailsTheStart(String name, String reason) {
		this.onMongo.withPropertyValues("leader-election.locks.collection=" + name)
			.run((context) -> FailureAnalyses.assertFailure(context,
					"leader-election.locks.collection (%s) %s.".formatted(name, reason), "Use a name such as locks"));
	}

	private static Document find(MongoTemplate mongo, String collection, String id) {
		return mongo.getCollection(collection).find(new Document("_id", id)).first();
	}

	private static boolean isOpen(DistributedLocks locks) {
		try {
			locks.tryAcquire("other").ifPresent(HeldLock::close);
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/** Holds a lock until it is destroyed. */
	static class Holder implements DisposableBean {

		private final HeldLock lock;

		private final DistributedLocks locks;

		private final AtomicReference<LossReason> ended;

		Holder(DistributedLocks locks, AtomicReference<LossReason> ended) {
			this.locks = locks;
			this.lock = locks.tryAcquire("a").orElseThrow();
			this.ended = ended;
		}

		@Override
		public void destroy() {
			Optional<HeldLock> another = this.locks.tryAcquire("b");
			assertThat(this.lock.isHeld()).isTrue();
			assertThat(another).isPresent();
			another.get().close();
			this.lock.close();
			this.ended.set(this.lock.lossReason().orElse(null));
		}

	}

	/** Sorted after the library's own. */
	@AutoConfiguration
	@Import(InMemoryRecordStores.class)
	static class ZooStoreAutoConfiguration {

	}

}
