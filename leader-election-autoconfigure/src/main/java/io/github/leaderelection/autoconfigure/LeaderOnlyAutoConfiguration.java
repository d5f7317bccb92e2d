package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.spring.GateSettings;
import io.github.leaderelection.spring.LeaderOnlyConfiguration;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} for the gate in front of
 * {@link io.github.leaderelection.LeaderOnly} methods. Unconditional: without the gate,
 * such methods would run on every instance.
 * <p>
 * Its beans are created before configuration properties beans, so it reads the few
 * properties it needs from the environment.
 */
@AutoConfiguration
@Import({ LeaderOnlyConfiguration.class, BoundComponentSettings.class })
public final class LeaderOnlyAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static GateSettings leaderOnlyGateSettings(Environment environment) {
		LeaderElectionProperties properties = LeaderElectionProperties.bind(environment);
		return new GateSettings(properties.mode(), properties.interruptOnLoss(), properties.gate().order(),
				environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true),
				properties.defaultElectionIn(environment));
	}

}
