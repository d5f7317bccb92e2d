package io.github.leaderelection.autoconfigure;

import java.util.List;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Thrown at startup when leader election is enabled and there is nowhere to keep leases.
 */
final class NoLeaseStoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private static final String CLIENT = "com.mongodb.client.MongoClient";

	private static final List<String> SOURCES = List.of("org.springframework.data.mongodb.MongoDatabaseFactory",
			CLIENT);

	private static final String ADAPTER = "io.github.leaderelection.mongodb.MongoRecordStores";

	private static final String STORE = "Declare a bean of type io.github.leaderelection.store.RecordStores.";

	private final String reason;

	private final String remedy;

	private NoLeaseStoreException(String reason, String remedy) {
		super(reason + " " + remedy);
		this.reason = reason;
		this.remedy = remedy;
	}

	/**
	 * Find out what is missing.
	 * @param beanFactory the beans of the application
	 * @return the exception that says so
	 */
	static NoLeaseStoreException in(ConfigurableListableBeanFactory beanFactory) {
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		if (!ClassUtils.isPresent(ADAPTER, classLoader)) {
			return oneOf(
					"Leader election is enabled, but there is no bean of type io.github.leaderelection.store.RecordStores to keep its leases, nor is "
							+ "leader-election-mongodb on the class path",
					"Depend on leader-election-starter, which brings leader-election-mongodb along.");
		}
		if (!ClassUtils.isPresent(CLIENT, classLoader)) {
			return oneOf(
					"Leader election is enabled, but MongoDB's synchronous driver, by which it keeps its leases, is not on the class path. "
							+ "leader-election-starter brings it along",
					"Add org.mongodb:mongodb-driver-sync, or do not exclude it. Applications on the reactive driver "
							+ "need it, too, and have nothing else to set: it uses the same settings.");
		}
		for (String source : SOURCES) {
			String[] beans = ClassUtils.isPresent(source, classLoader)
					? BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory,
							ClassUtils.resolveClassName(source, classLoader), true, false)
					: new String[0];
			if (beans.length > 1) {
				String type = ClassUtils.getShortName(source);
				return new NoLeaseStoreException(
						"Leader election is enabled, but there are several %s beans and none is primary: %s."
							.formatted(type, String.join(", ", beans)),
						"Mark the %s whose database shall keep the leases as @Primary. Or: %s".formatted(type, STORE));
			}
		}
		return oneOf(
				"Leader election is enabled, but there is neither a MongoClient or MongoDatabaseFactory bean nor a bean of type "
						+ "io.github.leaderelection.store.RecordStores to keep its leases",
				"Add spring-boot-starter-mongodb or spring-boot-starter-data-mongodb and set spring.mongodb.uri.");
	}

	private static NoLeaseStoreException oneOf(String reason, String remedy) {
		return new NoLeaseStoreException(reason + ".", """
				Consider one of the following:

				    %s
				    %s
				    Set leader-election.enabled=false to run without leader election.""".formatted(remedy, STORE));
	}

	String getReason() {
		return this.reason;
	}

	String getRemedy() {
		return this.remedy;
	}

}
