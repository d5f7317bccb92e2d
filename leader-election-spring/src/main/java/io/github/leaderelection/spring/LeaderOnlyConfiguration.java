package io.github.leaderelection.spring;

import java.util.List;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.spring.bound.AnnotationValues;
import io.github.leaderelection.spring.bound.BoundComponents;
import io.github.leaderelection.spring.bound.ComponentSettings;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Configures the gate in front of {@link io.github.leaderelection.LeaderOnly} methods,
 * and the start and stop of components with the leader. Its beans are created before most
 * others. A {@link LeaderOnlyGate}, {@link GateSettings} or {@link ComponentSettings}
 * bean declared elsewhere replaces the default one.
 */
@Configuration(proxyBeanMethods = false)
public class LeaderOnlyConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyConfiguration.class);

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Fallback
	static GateSettings leaderOnlyDefaultSettings(Environment environment) {
		return new GateSettings(GateMode.ENFORCED, true, Ordered.HIGHEST_PRECEDENCE,
				environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true),
				defaultElection(environment));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GateServices leaderOnlyGateServices(GateSettings settings, ObjectProvider<LeaderOnlyGate> gate,
			ObjectProvider<ElectionEngine> engine, ObjectProvider<LeaderElection> elections,
			ObjectProvider<ObservationRegistry> observations, ObjectProvider<LeaderFence> fence) {
		return new GateServices(settings, () -> gateOf(gate.getIfAvailable(), engine, elections, settings.mode()),
				() -> observations.getIfUnique(() -> ObservationRegistry.NOOP), fence::getIfAvailable);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static JobScheduling leaderOnlyJobScheduling(ObjectProvider<JobSettings> settings,
			ConfigurableListableBeanFactory beanFactory) {
		return new JobScheduling(settings::getIfAvailable, beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyPostProcessor leaderOnlyPostProcessor(GateServices services, Environment environment,
			JobScheduling leaderOnlyJobScheduling) {
		return new LeaderOnlyPostProcessor(services, environment::resolveRequiredPlaceholders, leaderOnlyJobScheduling);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyVerifier leaderOnlyVerifier(LeaderOnlyPostProcessor postProcessor,
			ConfigurableApplicationContext context) {
		return new LeaderOnlyVerifier(postProcessor, context);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyEarlyBeans leaderOnlyEarlyBeans() {
		return new LeaderOnlyEarlyBeans();
	}

	@Bean
	static BoundComponents leaderBoundComponents(ConfigurableApplicationContext context,
			ObjectProvider<LeaderElection> elections, ObjectProvider<ComponentSettings> settings, GateSettings gate) {
		return new BoundComponents(context, elections,
				settings.getIfAvailable(() -> new ComponentSettings(List.of(), (election) -> false, false)),
				new AnnotationValues(context.getEnvironment()::resolveRequiredPlaceholders, gate.defaultElection()));
	}

	private static @Nullable LeaderOnlyGate gateOf(@Nullable LeaderOnlyGate declared,
			ObjectProvider<ElectionEngine> engines, ObjectProvider<LeaderElection> elections, GateMode mode) {
		if (declared != null) {
			return declared;
		}
		ElectionEngine engine = engines.getIfAvailable();
		if (engine != null) {
			return LeaderOnlyGate.of(engine);
		}
		LeaderElection other = (mode == GateMode.ENFORCED) ? elections.getIfAvailable() : null;
		if (other != null) {
			logger.warn("@LeaderOnly methods never run: the LeaderElection bean is a {}, which has no gate. "
					+ "Declare a LeaderOnlyGate bean to let them run", other.getClass().getName());
			return LeaderOnlyGate.closed();
		}
		return (mode == GateMode.ENFORCED) ? null : LeaderOnlyGate.closed();
	}

	private static @Nullable String defaultElection(Environment environment) {
		String named = environment.getProperty("leader-election.default-election");
		return (named != null) ? named : environment.getProperty("spring.application.name");
	}

}
