package io.github.leaderelection.autoconfigure;

import com.mongodb.client.MongoClient;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.store.RecordStores;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leases that are kept in MongoDB.
 * Backs off when the application has {@link RecordStores} of its own. Does no I/O.
 */
@AutoConfiguration(before = LeaderElectionAutoConfiguration.class,
		afterName = { "org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration",
				"org.springframework.boot.mongodb.autoconfigure.MongoReactiveAutoConfiguration",
				"org.springframework.boot.data.mongodb.autoconfigure.DataMongoAutoConfiguration" })
@ConditionalOnClass({ MongoClient.class, MongoRecordStores.class })
@ConditionalOnBooleanProperty(name = "leader-election.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "leader-election.store", havingValue = "mongodb", matchIfMissing = true)
@ConditionalOnMissingBean(RecordStores.class)
@Import({ LeaseDatabaseConfiguration.OfDatabaseFactory.class, LeaseDatabaseConfiguration.OfClient.class,
		LeaseDatabaseConfiguration.OfSettings.class, MongoStoreConfiguration.class })
public final class MongoLeaderElectionAutoConfiguration {

}
