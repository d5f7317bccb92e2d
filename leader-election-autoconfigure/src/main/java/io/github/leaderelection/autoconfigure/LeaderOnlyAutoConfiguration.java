package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.WhenDisabled;
import io.github.leaderelection.spring.GateMode;
import io.github.leaderelection.spring.GateSettings;
import io.github.leaderelection.spring.LeaderOnlyConfiguration;
import io.github.leaderelection.spring.bound.ComponentSettings;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
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
@Import(LeaderOnlyConfiguration.class)
public final class LeaderOnlyAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GateSettings leaderOnlyGateSettings(Environment environment) {
		Binder binder = Binder.get(environment);
		String applicationName = binder.bind("spring.application.name", String.class).orElse(null);
		return new GateSettings(mode(binder),
				binder.bind("leader-election.interrupt-on-loss", Boolean.class).orElse(true),
				binder.bind("leader-election.gate.order", Integer.class).orElse(Ordered.HIGHEST_PRECEDENCE),
				binder.bind("spring.aop.proxy-target-class", Boolean.class).orElse(true),
				binder.bind("leader-election.default-election", String.class).orElse(applicationName));
	}

	@Bean
	static ComponentSettings leaderBoundComponentSettings(ConfigurableApplicationContext context) {
		return BoundComponentSettings.of(context);
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
