package io.github.leaderelection.autoconfigure;

import java.util.Map;

import com.mongodb.MongoNamespace;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.mongodb.MongoSelfCheck;
import io.github.leaderelection.store.LeaseStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

/**
 * Keeps leases, sessions, candidates, runs of jobs and locks in the
 * {@link LeaseDatabase}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBean(LeaseDatabase.class)
class MongoStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(MongoStoreConfiguration.class);

	private static final String OWN_COLLECTIONS = MongoRecordStores.COLLECTIONS;

	private static final String LOCKS = LeaseStore.LOCKS.name();

	@Bean
	MongoRecordStores mongoRecordStores(LeaseDatabase leaseDatabase, LeaderElectionProperties properties) {
		String database = leaseDatabase.database().getName();
		if (database.equals(LeaseDatabaseConfiguration.DEFAULT_DATABASE)
				&& !StringUtils.hasText(properties.mongodb().database())) {
			logger.warn("Leader election uses MongoDB's default database, '{}', which others may use too. Name one in "
					+ "spring.mongodb.uri (mongodb://host/database), or set spring.mongodb.database. To keep this one, set "
					+ "leader-election.mongodb.database", database);
		}
		return new MongoRecordStores(leaseDatabase.database(),
				Map.of(LOCKS, collection(properties.locks().collection())));
	}

	private static String collection(String name) {
		try {
			MongoNamespace.checkCollectionNameValidity(name);
		}
		catch (IllegalArgumentException ex) {
			throw unusable(name, "is not a valid collection name", ex);
		}
		if (!name.equals(OWN_COLLECTIONS + LOCKS) && name.startsWith(OWN_COLLECTIONS)) {
			throw unusable(name, "is reserved for data other than locks", null);
		}
		return name;
	}

	private static InvalidElectionSettingException unusable(String name, String reason, @Nullable Exception cause) {
		return new InvalidElectionSettingException(LeaderElectionProperties.PREFIX + ".locks.collection",
				ElectionNames.printable(name), reason,
				"Use a name such as locks that no other collection has and that does not begin with " + OWN_COLLECTIONS,
				cause);
	}

	@Bean
	StartupSelfCheck leaderElectionSelfCheck(LeaseDatabase leaseDatabase, LeaderElectionProperties properties,
			ObjectProvider<ElectionEngine> engine) {
		return new StartupSelfCheck(new MongoSelfCheck(leaseDatabase.database())::describe, properties.enabled(),
				engine);
	}

}
