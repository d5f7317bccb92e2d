package io.github.leaderelection.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.ClassUtils;

/**
 * Explains {@link NoLeaseStoreException}.
 */
class NoLeaseStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoLeaseStoreException> {

	private static final String CLIENT = "com.mongodb.client.MongoClient";

	private static final List<String> SOURCES = List.of("org.springframework.data.mongodb.MongoDatabaseFactory",
			CLIENT);

	private static final String ADAPTER = "io.github.leaderelection.mongodb.MongoRecordStores";

	private final BeanFactory beanFactory;

	NoLeaseStoreFailureAnalyzer(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoLeaseStoreException cause) {
		if (!ClassUtils.isPresent(ADAPTER, classLoader())) {
			return new FailureAnalysis(
					"""
							Leader election is enabled, but there is no bean of type \
							io.github.leaderelection.store.RecordStores to keep its leases, nor is leader-election-mongodb on the \
							class path.""",
					"""
							Consider one of the following:

							    Depend on leader-election-starter, which brings leader-election-mongodb along.
							    Declare a bean of type io.github.leaderelection.store.RecordStores.
							    Set leader-election.enabled=false to run without leader election.""", cause);
		}
		if (!ClassUtils.isPresent(CLIENT, classLoader())) {
			return new FailureAnalysis("""
					Leader election is enabled, but MongoDB's synchronous driver, by which it keeps its leases, is not \
					on the class path. leader-election-starter brings it along.""", """
					Consider one of the following:

					    Add org.mongodb:mongodb-driver-sync, or do not exclude it. Applications on the reactive driver \
					need it, too, and have nothing else to set: it uses the same settings.
					    Declare a bean of type io.github.leaderelection.store.RecordStores.
					    Set leader-election.enabled=false to run without leader election.""", cause);
		}
		for (String source : SOURCES) {
			List<String> beans = beansOfType(source);
			if (beans.size() > 1) {
				String type = ClassUtils.getShortName(source);
				return new FailureAnalysis(
						"Leader election is enabled, but there are several %s beans and none is primary: %s."
							.formatted(type, String.join(", ", beans)),
						"Mark the %s whose database shall keep the leases as @Primary, or declare a bean of type %s."
							.formatted(type, "io.github.leaderelection.store.RecordStores"),
						cause);
			}
		}
		return new FailureAnalysis("""
				Leader election is enabled, but there is neither a MongoClient or MongoDatabaseFactory bean nor a \
				bean of type io.github.leaderelection.store.RecordStores to keep its leases.""", """
				Consider one of the following:

				    Add spring-boot-starter-mongodb or spring-boot-starter-data-mongodb and set spring.mongodb.uri.
				    Declare a bean of type io.github.leaderelection.store.RecordStores.
				    Set leader-election.enabled=false to run without leader election.""", cause);
	}

	private List<String> beansOfType(String type) {
		ClassLoader classLoader = classLoader();
		if (!(this.beanFactory instanceof ListableBeanFactory listable) || !ClassUtils.isPresent(type, classLoader)) {
			return List.of();
		}
		return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable,
				ClassUtils.resolveClassName(type, classLoader), true, false));
	}

	private @Nullable ClassLoader classLoader() {
		return (this.beanFactory instanceof ConfigurableBeanFactory configurable) ? configurable.getBeanClassLoader()
				: getClass().getClassLoader();
	}

}
