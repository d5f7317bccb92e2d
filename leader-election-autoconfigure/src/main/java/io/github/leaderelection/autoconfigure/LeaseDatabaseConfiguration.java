package io.github.leaderelection.autoconfigure;

import com.mongodb.ConnectionString;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.github.leaderelection.engine.ElectionNames;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.mongodb.autoconfigure.MongoProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the database that keeps the leases: that of the application unless another is
 * configured. A database factory of the application's own leaves no client bean, so the
 * factory is looked for first.
 */
final class LeaseDatabaseConfiguration {

	private LeaseDatabaseConfiguration() {
	}

	private static @Nullable String configuredName(LeaderElectionProperties properties) {
		String name = properties.getMongodb().getDatabase();
		if (!StringUtils.hasText(name)) {
			return null;
		}
		try {
			MongoNamespace.checkDatabaseNameValidity(name);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidElectionSettingException(LeaderElectionProperties.PREFIX + ".mongodb.database",
					ElectionNames.printable(name), "can't be the name of a database",
					"Leave out spaces, dots, slashes, backslashes and quotation marks", ex);
		}
		return name;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MongoDatabaseFactory.class)
	@ConditionalOnSingleCandidate(MongoDatabaseFactory.class)
	static class OfDatabaseFactory {

		@Bean
		LeaseDatabase leaseDatabase(MongoDatabaseFactory factory, LeaderElectionProperties properties) {
			String configured = configuredName(properties);
			return new LeaseDatabase(
					(configured != null) ? factory.getMongoDatabase(configured) : factory.getMongoDatabase());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnSingleCandidate(MongoClient.class)
	@ConditionalOnMissingBean(LeaseDatabase.class)
	static class OfClient {

		/** What MongoDB's own tools use when nothing else is said. */
		private static final String DEFAULT_DATABASE = "test";

		@Bean
		LeaseDatabase leaseDatabase(MongoClient client, LeaderElectionProperties properties, BeanFactory beanFactory) {
			String name = configuredName(properties);
			if (name == null
					&& ClassUtils.isPresent("org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails",
							getClass().getClassLoader())) {
				name = ApplicationDatabase.name(beanFactory);
			}
			return new LeaseDatabase(client.getDatabase(StringUtils.hasText(name) ? name : DEFAULT_DATABASE));
		}

	}

	/** Loaded only where Boot's support for MongoDB is present. */
	private static final class ApplicationDatabase {

		static @Nullable String name(BeanFactory beanFactory) {
			MongoProperties properties = beanFactory.getBeanProvider(MongoProperties.class).getIfAvailable();
			if (properties != null && StringUtils.hasText(properties.getDatabase())) {
				return properties.getDatabase();
			}
			MongoConnectionDetails details = beanFactory.getBeanProvider(MongoConnectionDetails.class).getIfAvailable();
			ConnectionString connection = (details != null) ? details.getConnectionString() : null;
			return (connection != null) ? connection.getDatabase() : null;
		}

	}

}
