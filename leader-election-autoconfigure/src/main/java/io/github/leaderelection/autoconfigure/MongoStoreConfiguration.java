package io.github.leaderelection.autoconfigure;

import java.time.Duration;

import com.mongodb.MongoNamespace;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.mongodb.MongoCandidateRegistry;
import io.github.leaderelection.mongodb.MongoLeaseStore;
import io.github.leaderelection.mongodb.MongoLockStore;
import io.github.leaderelection.mongodb.MongoRecordStore;
import io.github.leaderelection.mongodb.MongoSelfCheck;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.RecordStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Keeps leases, candidates, runs of jobs and locks in the {@link LeaseDatabase}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(LeaseDatabase.class)
class MongoStoreConfiguration {

	private static final String OWN_COLLECTIONS = "leader_election_";

	private static final Duration SHORTEST_RETENTION = Duration.ofHours(1);

	@Bean
	MongoLeaseStore mongoLeaseStore(LeaseDatabase leaseDatabase, LeaderElectionProperties properties,
			ElectionSettingsResolver settings) {
		return new MongoLeaseStore(leaseDatabase.database(), retention(properties, settings));
	}

	@Bean
	@ConditionalOnMissingBean(RecordStore.class)
	MongoRecordStore mongoRunRecordStore(LeaseDatabase leaseDatabase, LeaderElectionProperties properties) {
		return new MongoRecordStore(leaseDatabase.database(), MongoRecordStore.RUNS, properties.getPrefix(),
				RecordedJobs.FIELDS);
	}

	@Bean
	@ConditionalOnMissingBean(CandidateRegistry.class)
	MongoCandidateRegistry mongoCandidateRegistry(LeaseDatabase leaseDatabase, LeaderElectionProperties properties,
			ElectionSettingsResolver settings) {
		return new MongoCandidateRegistry(leaseDatabase.database(), retention(properties, settings));
	}

	@Bean
	LeasesOfLocks mongoLeasesOfLocks(LeaseDatabase leaseDatabase, LeaderElectionProperties properties,
			ElectionSettingsResolver settings) {
		return new LeasesOfLocks(new MongoLockStore(leaseDatabase.database(),
				collection(properties.getLocks().getCollection()), retention(properties, settings)));
	}

	private static String collection(String name) {
		try {
			MongoNamespace.checkCollectionNameValidity(name);
		}
		catch (IllegalArgumentException ex) {
			throw unusable(name, "can't be the name of a collection", ex);
		}
		if (!name.equals(MongoLockStore.COLLECTION) && name.startsWith(OWN_COLLECTIONS)) {
			throw unusable(name, "is kept for other things than locks", null);
		}
		return name;
	}

	private static InvalidElectionSettingException unusable(String name, String reason, @Nullable Exception cause) {
		return new InvalidElectionSettingException(LeaderElectionProperties.PREFIX + ".locks.collection",
				ElectionNames.printable(name), reason,
				"Use a name such as locks, that nothing else has and that does not begin with " + OWN_COLLECTIONS,
				cause);
	}

	/**
	 * None where a test has put a mock in place of the engine. The store may be proxied.
	 */
	@Bean
	@Nullable StartupSelfCheck leaderElectionSelfCheck(LeaseDatabase leaseDatabase, ObjectProvider<MongoLeaseStore> store,
			ObjectProvider<MongoCandidateRegistry> registry, ObjectProvider<ElectionEngine> engines) {
		ElectionEngine engine = engines.getIfAvailable();
		return (engine != null) ? new StartupSelfCheck(
				new MongoSelfCheck(leaseDatabase.database(), store.getIfAvailable(), registry.getIfAvailable()), engine)
				: null;
	}

	/** None to leave the indexes to others. */
	private static @Nullable Duration retention(LeaderElectionProperties properties,
			ElectionSettingsResolver settings) {
		return properties.getMongodb().isCreateIndexes() ? retention(settings.longestTtl()) : null;
	}

	/** Generous: whoever asks what became of a candidate should still find it. */
	static Duration retention(Duration longestTtl) {
		Duration retention = longestTtl.multipliedBy(10);
		return (retention.compareTo(SHORTEST_RETENTION) > 0) ? retention : SHORTEST_RETENTION;
	}

}
