package io.github.leaderelection.autoconfigure;

import java.util.List;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.LeaderOnly;
import io.github.leaderelection.actuate.ElectionDescriptor;
import io.github.leaderelection.actuate.LeaderElectionEndpoint;
import io.github.leaderelection.metrics.LeaderElectionMetrics;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the beans beside elections: the endpoint, health, metrics, readiness, locks
 * and their registry.
 */
@ExtendWith(OutputCaptureExtension.class)
class AddedBeansTests {

	private static final String EXPOSED = "management.endpoints.web.exposure.include=leaderelection";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaderElectionAutoConfiguration.class,
				LeaderOnlyAutoConfiguration.class, DistributedLocksAutoConfiguration.class,
				LockRegistryAutoConfiguration.class, LeaderElectionEndpointAutoConfiguration.class,
				LeaderElectionHealthAutoConfiguration.class, LeaderElectionMetricsAutoConfiguration.class,
				LeaderReadinessAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class,
				MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
		.withBean(RecordStores.class, InMemoryRecordStores::new)
		.withBean("registry", SimpleMeterRegistry.class)
		.withPropertyValues("spring.application.name=shop");

	/** Beans by name, the properties of the application, and what it lacks. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-",
			textBlock = """
					leaderElectionEndpoint             | no  | -                                                                             | -
					leaderElectionEndpoint             | yes | management.endpoints.web.exposure.include=leaderelection                      | -
					leaderElectionEndpointWebExtension | yes | management.endpoints.web.exposure.include=leaderelection                      | -
					leaderElectionEndpoint             | no  | management.endpoints.web.exposure.include=leaderelection                      | org.springframework.boot.actuate.endpoint.annotation
					leaderElectionEndpoint             | no  | management.endpoints.web.exposure.include=leaderelection, management.endpoint.leaderelection.access=NONE | -
					leaderElectionEndpoint             | yes | spring.jmx.enabled=true, management.endpoints.jmx.exposure.include=leaderelection | -
					leaderElectionEndpointWebExtension | no  | spring.jmx.enabled=true, management.endpoints.jmx.exposure.include=leaderelection | -
					leaderElectionHealthIndicator      | yes | -                                                                             | -
					leaderElectionHealthIndicator      | no  | management.health.leader-election.enabled=false                               | -
					leaderElectionHealthIndicator      | no  | leader-election.enabled=false                                                 | -
					leaderElectionHealthIndicator      | no  | -                                                                             | org.springframework.boot.health.contributor
					leaderElectionMetrics              | yes | -                                                                             | -
					recordedJobMetrics                 | yes | -                                                                             | -
					leaderElectionMetrics              | no  | leader-election.enabled=false                                                 | -
					leaderElectionMetrics              | no  | -                                                                             | io.micrometer.core
					leaderReadiness                    | no  | -                                                                             | -
					applicationAvailability            | yes | -                                                                             | -
					leaderReadiness                    | yes | leader-election.readiness=leader                                              | -
					applicationAvailability            | no  | leader-election.readiness=leader                                              | -
					distributedLocks                   | yes | -                                                                             | -
					distributedLocks                   | no  | leader-election.locks.enabled=false                                           | -
					distributedLockRegistry            | yes | -                                                                             | -
					distributedLockRegistry            | no  | leader-election.locks.enabled=false                                           | -
					distributedLockRegistry            | no  | -                                                                             | org.springframework.integration.support.locks
					""")
	void beanIsPresentIfConfigured(String bean, String there, String properties, String lacking) {
		this.runner.withPropertyValues((properties != null) ? properties.split(", ") : new String[0])
			.withClassLoader(new FilteredClassLoader((lacking != null) ? lacking : "nothing"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.containsBean(bean)).isEqualTo(there.equals("yes"));
			});
	}

	@Test
	void beansOfTheApplicationAreUsed() {
		LeaderElectionEndpoint endpoint = new LeaderElectionEndpoint(Mockito.mock(LeaderElection.class), null,
				() -> null, List.of());
		LeaderElectionMetrics metrics = new LeaderElectionMetrics(() -> null);
		this.runner.withPropertyValues(EXPOSED)
			.withBean("ownEndpoint", LeaderElectionEndpoint.class, () -> endpoint)
			.withBean("ownMetrics", LeaderElectionMetrics.class, () -> metrics)
			.withBean("ownRegistry", LockRegistry.class, DefaultLockRegistry::new)
			.run((context) -> {
				assertThat(context).getBean(LeaderElectionEndpoint.class).isSameAs(endpoint);
				assertThat(context).getBean(LeaderElectionMetrics.class).isSameAs(metrics);
				assertThat(context).getBean(LockRegistry.class).isInstanceOf(DefaultLockRegistry.class);
			});
	}

	@Test
	void endpointAppliesSanitizingFunctions() {
		this.runner.withBean(SanitizingFunction.class, () -> SanitizingFunction.sanitizeValue().ifKeyEquals("host"))
			.withPropertyValues(EXPOSED, "leader-election.elections.x.ttl=20s",
					"leader-election.elections.x.stand=true", "leader-election.candidate.version=7",
					"spring.application.version=8")
			.run((context) -> {
				LeaderElectionEndpoint endpoint = context.getBean(LeaderElectionEndpoint.class);
				await().untilAsserted(() -> {
					ElectionDescriptor election = endpoint.election("x");
					assertThat(election.leader()).isNotNull();
					assertThat(election.leader().host()).isEqualTo("******");
					assertThat(election.leader().version()).isEqualTo("7");
				});
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void mockedEngineKeepsTheGateShutUnlessDisabledAndShowsNothing(boolean enabled, CapturedOutput output) {
		this.runner.withBean(Job.class)
			.withPropertyValues(EXPOSED, "leader-election.locks.enabled=false", "leader-election.enabled=" + enabled)
			.withInitializer((context) -> context.addBeanFactoryPostProcessor((beanFactory) -> {
				BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
				registry.removeBeanDefinition("leaderElection");
				beanFactory.registerSingleton("leaderElection", Mockito.mock(LeaderElection.class));
			}))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Job.class).run()).isEqualTo(enabled ? null : "ran");
				assertThat(output.getOut().contains("never run")).isEqualTo(enabled);
				assertThat(context.getBeansOfType(HealthIndicator.class).values()).hasSize(enabled ? 1 : 0)
					.allMatch((indicator) -> indicator.health().getStatus() == Status.UNKNOWN);
				assertThat(context.getBean(LeaderElectionEndpoint.class).elections().elections()).isEmpty();
				assertThat(context.getBean(SimpleMeterRegistry.class).getMeters())
					.noneMatch((meter) -> meter.getId().getName().startsWith("leader.election"));
			});
	}

	static class Job {

		@LeaderOnly("jobs")
		String run() {
			return "ran";
		}

	}

}
