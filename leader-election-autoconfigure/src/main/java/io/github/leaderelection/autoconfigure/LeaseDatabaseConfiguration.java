package io.github.leaderelection.autoconfigure;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.github.leaderelection.engine.ElectionNames;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.mongodb.autoconfigure.MongoClientFactory;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.mongodb.autoconfigure.MongoProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the database that keeps the leases: that of the application unless another is
 * configured. Looks for a database factory first, since an application that has a factory
 * of its own may have no client bean.
 */
final class LeaseDatabaseConfiguration {

	/** The default of MongoDB's own tools. */
	static final String DEFAULT_DATABASE = "test";

	private LeaseDatabaseConfiguration() {
	}

	private static String nameIn(LeaderElectionProperties properties, BeanFactory beanFactory) {
		String name = configuredName(properties);
		if (name == null
				&& ClassUtils.isPresent("org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails",
						LeaseDatabaseConfiguration.class.getClassLoader())) {
			name = ApplicationDatabase.name(beanFactory);
		}
		return StringUtils.hasText(name) ? name : DEFAULT_DATABASE;
	}

	private static @Nullable String configuredName(LeaderElectionProperties properties) {
		String name = properties.mongodb().database();
		if (!StringUtils.hasText(name)) {
			return null;
		}
		try {
			MongoNamespace.checkDatabaseNameValidity(name);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidElectionSettingException(LeaderElectionProperties.PREFIX + ".mongodb.database",
					ElectionNames.printable(name), "is not a valid database name",
					"Use a name without spaces, dots, slashes, backslashes and quotation marks", ex);
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

		@Bean
		LeaseDatabase leaseDatabase(MongoClient client, LeaderElectionProperties properties, BeanFactory beanFactory) {
			return new LeaseDatabase(client.getDatabase(nameIn(properties, beanFactory)));
		}

	}

	/**
	 * The application has settings for MongoDB, but no synchronous client: it uses the
	 * reactive driver, and excludes the auto-configuration of the synchronous one. The
	 * client created here is not a bean, so that nothing else uses it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MongoClientFactory.class)
	@ConditionalOnSingleCandidate(MongoClientSettings.class)
	@ConditionalOnMissingBean(value = { LeaseDatabase.class, MongoClient.class },
			type = "org.springframework.data.mongodb.MongoDatabaseFactory")
	static class OfSettings {

		@Bean
		LeaseDatabase leaseDatabase(MongoClientSettings settings,
				ObjectProvider<MongoClientSettingsBuilderCustomizer> customizers, LeaderElectionProperties properties,
				BeanFactory beanFactory) {
			MongoClient client = new MongoClientFactory(customizers.orderedStream().toList())
				.createMongoClient(settings);
			return new LeaseDatabase(client.getDatabase(nameIn(properties, beanFactory)), client);
		}

	}

	/** Loaded only if Spring Boot's support for MongoDB is present. */
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
