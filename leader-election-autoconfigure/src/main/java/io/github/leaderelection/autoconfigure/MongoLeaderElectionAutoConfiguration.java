package io.github.leaderelection.autoconfigure;

import com.mongodb.client.MongoClient;
import io.github.leaderelection.mongodb.MongoLeaseStore;
import io.github.leaderelection.store.LeaseStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leases that are kept in MongoDB.
 * Backs off when the application has a {@link LeaseStore} of its own. Does no I/O.
 */
@AutoConfiguration(before = LeaderElectionAutoConfiguration.class,
		afterName = { "org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration",
				"org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration",
				"org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration" })
@ConditionalOnClass({ MongoClient.class, MongoLeaseStore.class })
@ConditionalOnBooleanProperty(name = "leader-election.enabled", matchIfMissing = true)
@ConditionalOnMissingBean(LeaseStore.class)
@Import({ LeaseDatabaseConfiguration.OfDatabaseFactory.class, LeaseDatabaseConfiguration.OfClient.class,
		LeaseDatabaseConfiguration.OfSettings.class, MongoStoreConfiguration.class })
public final class MongoLeaderElectionAutoConfiguration {

}
