package io.github.leaderelection.autoconfigure;

import java.util.Map;

import io.github.leaderelection.store.RecordStores;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link EnableAutoConfiguration Auto-configuration} that is part of Spring Boot's test
 * slices only. A slice has no store for leases, so leader election is disabled there,
 * whatever the application's configuration says. The gate and the engine are those of
 * production, and this process leads all elections. A slice to which a test adds
 * {@link RecordStores} is left alone.
 */
@AutoConfiguration(after = { JdbcLeaderElectionAutoConfiguration.class, MongoLeaderElectionAutoConfiguration.class },
		before = LeaderElectionAutoConfiguration.class)
public final class LeaderElectionTestSliceAutoConfiguration {

	/** The property source that disables leader election, if present. */
	private static final String PROPERTY_SOURCE = "leaderElectionTestSlice";

	/** Return whether this is a slice, which may lack beans that settings name. */
	static boolean isSlice(ListableBeanFactory beanFactory) {
		return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory,
				LeaderElectionTestSliceAutoConfiguration.class, true, false).length > 0;
	}

	/** Return whether elections are disabled because this slice has no store. */
	static boolean isActive(Environment environment) {
		return environment instanceof ConfigurableEnvironment configurable
				&& configurable.getPropertySources().contains(PROPERTY_SOURCE);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(RecordStores.class)
	@Import(DisabledElections.class)
	static class WithoutStore {

	}

	static class DisabledElections implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		DisabledElections(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			if (this.environment instanceof ConfigurableEnvironment configurable) {
				configurable.getPropertySources()
					.addFirst(new MapPropertySource(PROPERTY_SOURCE,
							Map.of(LeaderElectionProperties.PREFIX + ".enabled", false)));
			}
		}

	}

}
