package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.WhenDisabled;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.ReactiveLeaderFence;
import io.github.leaderelection.spring.GateMode;
import io.github.leaderelection.spring.GateSettings;
import io.github.leaderelection.spring.JobScheduling;
import io.github.leaderelection.spring.JobSettings;
import io.github.leaderelection.spring.LeaderOnlyContexts;
import io.github.leaderelection.spring.LeaderOnlyDeferredGate;
import io.github.leaderelection.spring.LeaderOnlyEarlyBeans;
import io.github.leaderelection.spring.LeaderOnlyGate;
import io.github.leaderelection.spring.LeaderOnlyPostProcessor;
import io.github.leaderelection.spring.LeaderOnlyVerifier;
import io.github.leaderelection.spring.bound.BoundComponents;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} for the gate in front of
 * {@link io.github.leaderelection.LeaderOnly} methods. It takes no condition to be there:
 * without it such methods would run on every instance.
 * <p>
 * Its beans are made before those that hold properties, hence it reads the few it needs
 * from the environment.
 */
@AutoConfiguration
public final class LeaderOnlyAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(LeaderOnlyAutoConfiguration.class);

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(LeaderOnlyGate.class)
	static LeaderOnlyDeferredGate leaderOnlyGate(ObjectProvider<ElectionEngine> engine,
			ObjectProvider<LeaderElection> elections, Environment environment) {
		boolean enforced = mode(Binder.get(environment)) == GateMode.ENFORCED;
		return new LeaderOnlyDeferredGate(() -> gateOf(engine.getIfAvailable(), elections, enforced));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static JobScheduling leaderOnlyJobScheduling(ObjectProvider<JobSettings> settings,
			ConfigurableListableBeanFactory beanFactory) {
		return new JobScheduling(settings::getIfAvailable, beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyPostProcessor leaderOnlyPostProcessor(LeaderOnlyGate gate, Environment environment,
			ObjectProvider<ObservationRegistry> observations, JobScheduling leaderOnlyJobScheduling,
			ObjectProvider<LeaderFence> fence, ConfigurableListableBeanFactory beanFactory) {
		return new LeaderOnlyPostProcessor(gate, settings(environment), environment::resolveRequiredPlaceholders,
				() -> observations.getIfUnique(() -> ObservationRegistry.NOOP), leaderOnlyJobScheduling,
				fence::getIfAvailable, () -> beanFactory.getBeanProvider(ReactiveLeaderFence.class).getIfAvailable());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyVerifier leaderOnlyVerifier(LeaderOnlyPostProcessor postProcessor,
			ConfigurableListableBeanFactory beanFactory) {
		return new LeaderOnlyVerifier(postProcessor, beanFactory);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyEarlyBeans leaderOnlyEarlyBeans() {
		return new LeaderOnlyEarlyBeans();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LeaderOnlyContexts leaderOnlyContexts(LeaderOnlyPostProcessor postProcessor, ApplicationContext context) {
		return new LeaderOnlyContexts(postProcessor, context);
	}

	@Bean
	static BoundComponents leaderBoundComponents(ConfigurableApplicationContext context,
			ObjectProvider<LeaderElection> elections) {
		return BoundComponentSettings.bind(context, elections);
	}

	private static @Nullable LeaderOnlyGate gateOf(@Nullable ElectionEngine engine,
			ObjectProvider<LeaderElection> elections, boolean enforced) {
		if (engine != null) {
			return LeaderOnlyGate.of(engine);
		}
		LeaderElection other = elections.getIfAvailable();
		if (other != null) {
			logger.warn("@LeaderOnly methods never run: the LeaderElection bean is a {}, which has no gate. "
					+ "Declare a LeaderOnlyGate bean to let them run", other.getClass().getName());
			return LeaderOnlyGate.closed();
		}
		return enforced ? null : LeaderOnlyGate.closed();
	}

	private static GateSettings settings(Environment environment) {
		Binder binder = Binder.get(environment);
		String applicationName = binder.bind("spring.application.name", String.class).orElse(null);
		return new GateSettings(mode(binder),
				binder.bind("leader-election.interrupt-on-loss", Boolean.class).orElse(true),
				binder.bind("leader-election.gate.order", Integer.class).orElse(Ordered.HIGHEST_PRECEDENCE),
				binder.bind("spring.aop.proxy-target-class", Boolean.class).orElse(true),
				binder.bind("leader-election.default-election", String.class).orElse(applicationName));
	}

	private static GateMode mode(Binder binder) {
		if (binder.bind("leader-election.enabled", Boolean.class).orElse(true)) {
			return GateMode.ENFORCED;
		}
		return switch (binder.bind("leader-election.when-disabled", WhenDisabled.class).orElse(WhenDisabled.RUN)) {
			case RUN -> GateMode.RUN;
			case SKIP -> GateMode.SKIP;
		};
	}

}
