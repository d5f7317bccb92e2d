package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.Locale;

import javax.sql.DataSource;

import io.github.leaderelection.InvalidConfigurationException;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.Store;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Thrown at startup when leader election is enabled but there is no store for the leases.
 */
final class NoLeaseStoreException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	private static final String CLIENT = "com.mongodb.client.MongoClient";

	private static final List<String> SOURCES = List.of("org.springframework.data.mongodb.MongoDatabaseFactory",
			CLIENT);

	private static final String ADAPTER = "io.github.leaderelection.mongodb.MongoRecordStores";

	private static final String STORE = "Declare a bean of type io.github.leaderelection.store.RecordStores";

	private NoLeaseStoreException(String description, String remedy) {
		super(description, remedy, null);
	}

	/**
	 * Find out what is missing.
	 * @param beanFactory the beans of the application
	 * @param store the store that is configured, if any
	 * @return the exception that says so
	 */
	static NoLeaseStoreException in(ConfigurableListableBeanFactory beanFactory, @Nullable Store store) {
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		if (!ClassUtils.isPresent(ADAPTER, classLoader) || store == Store.JDBC) {
			String adapter = (store == Store.JDBC) ? "leader-election-jdbc" : "leader-election-mongodb";
			String starter = (store == Store.JDBC) ? "leader-election-starter-jdbc" : "leader-election-starter";
			return oneOf(
					"Leader election is enabled, but there is no bean of type io.github.leaderelection.store.RecordStores to keep its leases, nor is "
							+ adapter + " on the class path",
					(store != null)
							? "Depend on %s, or remove leader-election.store=%s".formatted(starter,
									store.name().toLowerCase(Locale.ROOT))
							: "Depend on leader-election-starter for MongoDB, or on leader-election-starter-jdbc for a relational database");
		}
		if (!ClassUtils.isPresent(CLIENT, classLoader)) {
			return oneOf(
					"Leader election is enabled, but MongoDB's synchronous driver, which it needs, is not on the class path. "
							+ "leader-election-starter depends on it",
					"Add org.mongodb:mongodb-driver-sync, or do not exclude it. Applications that use the reactive "
							+ "driver need it too. It uses the same settings");
		}
		for (String source : SOURCES) {
			String[] beans = ClassUtils.isPresent(source, classLoader)
					? beansOf(ClassUtils.resolveClassName(source, classLoader), beanFactory) : new String[0];
			if (beans.length > 1) {
				String type = ClassUtils.getShortName(source);
				return severalOf(type, beans,
						"Mark the %s whose database is to keep the leases as @Primary".formatted(type));
			}
		}
		return oneOf(
				"Leader election is enabled, but there is neither a MongoClient or MongoDatabaseFactory bean nor a bean of type "
						+ "io.github.leaderelection.store.RecordStores to keep its leases",
				"Add spring-boot-starter-mongodb or spring-boot-starter-data-mongodb and set spring.mongodb.uri");
	}

	/**
	 * Find out why there is no {@link DataSource} to use.
	 * @param beanFactory the beans of the application
	 * @return the exception that says so
	 */
	static NoLeaseStoreException withoutDataSource(ConfigurableListableBeanFactory beanFactory) {
		String[] beans = beansOf(DataSource.class, beanFactory);
		if (beans.length > 1) {
			return severalOf("DataSource", beans,
					"Mark the DataSource whose database is to keep the leases as @LeaderElectionDataSource, or as @Primary");
		}
		return oneOf(
				"Leader election is enabled, but there is neither a DataSource bean nor a bean of type "
						+ "io.github.leaderelection.store.RecordStores to keep its leases",
				"Add spring-boot-starter-jdbc and the driver of the database, and set spring.datasource.url");
	}

	private static String[] beansOf(Class<?> type, ConfigurableListableBeanFactory beanFactory) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false);
	}

	private static NoLeaseStoreException severalOf(String type, String[] beans, String remedy) {
		return new NoLeaseStoreException(
				"Leader election is enabled, but there are several %s beans and none is primary: %s".formatted(type,
						String.join(", ", beans)),
				"%s. Or: %s".formatted(remedy, STORE));
	}

	private static NoLeaseStoreException oneOf(String reason, String remedy) {
		return new NoLeaseStoreException(reason, """
				Consider one of the following:

				    %s.
				    %s.
				    Set leader-election.enabled=false to run without leader election""".formatted(remedy, STORE));
	}

}
