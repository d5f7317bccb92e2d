package io.github.leaderelection.autoconfigure;

import javax.sql.DataSource;

import io.github.leaderelection.jdbc.JdbcRecordStores;
import io.github.leaderelection.store.RecordStores;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for leases that are kept in a
 * relational database. Backs off when the application has {@link RecordStores} of its
 * own.
 */
@AutoConfiguration(after = MongoLeaderElectionAutoConfiguration.class, before = LeaderElectionAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration",
				"org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration" })
@ConditionalOnClass({ JdbcRecordStores.class, DataSourceScriptDatabaseInitializer.class })
@ConditionalOnBooleanProperty(name = "leader-election.enabled", matchIfMissing = true)
@ConditionalOnProperty(name = "leader-election.store", havingValue = "jdbc", matchIfMissing = true)
@Import({ JdbcStoreConfiguration.class, JdbcLeaderElectionAutoConfiguration.UndecidedStore.class })
public final class JdbcLeaderElectionAutoConfiguration {

	/** Fails if the database is not decided: leases in two would mean two leaders. */
	static class UndecidedStore implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			if (registry.containsBeanDefinition("leaseDatabase") && registry instanceof ListableBeanFactory beans
					&& BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class, true,
							false).length > 0) {
				throw new InvalidElectionSettingException(LeaderElectionProperties.PREFIX + ".store", "not set",
						"must be 'mongodb' or 'jdbc', since leader-election-mongodb and leader-election-jdbc are both on "
								+ "the class path, and there are both a MongoDB client and a DataSource",
						"Set it to the store that all instances use, or remove the starter that is not needed", null);
			}
		}

	}

}
