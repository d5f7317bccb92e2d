package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.actuate.LeaderElectionEndpoint;
import io.github.leaderelection.health.LeaderElectionHealthIndicator;
import io.github.leaderelection.store.RecordStores;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderElectionHealthAutoConfiguration}, and for applications whose
 * tests replace {@link LeaderElection}.
 */
class LeaderElectionHealthAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, LeaderElectionHealthAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new);

	@Test
	void isThereByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LeaderElectionHealthIndicator.class));
	}

	@Test
	void canBeSwitchedOff() {
		this.contextRunner.withPropertyValues("management.health.leader-election.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void isNotThereWhenDisabled() {
		this.contextRunner.withPropertyValues("leader-election.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void isNotThereWithoutHealthOnTheClassPath() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("leaderElectionHealthIndicator"));
	}

	@Test
	void mockInPlaceOfTheEngineKeepsTheGateShutAndShowsNothing() {
		this.contextRunner.withBean(Job.class)
			.withConfiguration(AutoConfigurations.of(LeaderElectionEndpointAutoConfiguration.class,
					LeaderElectionMetricsAutoConfiguration.class, MetricsAutoConfiguration.class,
					CompositeMeterRegistryAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withPropertyValues("management.endpoints.web.exposure.include=leaderelection")
			.withInitializer((context) -> context.addBeanFactoryPostProcessor((beanFactory) -> {
				BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
				registry.removeBeanDefinition("leaderElection");
				beanFactory.registerSingleton("leaderElection", Mockito.mock(LeaderElection.class));
			}))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Job.class).run()).isNull();
				assertThat(context.getBean(HealthIndicator.class).health().getStatus()).isEqualTo(Status.UNKNOWN);
				assertThat(context.getBean(LeaderElectionEndpoint.class).elections().elections()).isEmpty();
				assertThat(context.getBean(SimpleMeterRegistry.class).getMeters())
					.noneMatch((meter) -> meter.getId().getName().startsWith("leader.election"));
			});
	}

	@Test
	void lazyBeanStandsAsSoonAsItIsMade() {
		this.contextRunner.withBean(Job.class, Job::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(context.getBean(LeaderElection.class).elections()).isEmpty();
				context.getBean(Job.class);
				assertThat(context.getBean(LeaderElection.class).elections()).containsExactly("jobs");
			});
	}

	static class Job {

		@LeaderOnly("jobs")
		String run() {
			return "ran";
		}

	}

}
