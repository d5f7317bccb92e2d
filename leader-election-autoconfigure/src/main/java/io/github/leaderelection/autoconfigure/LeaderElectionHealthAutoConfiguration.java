package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.health.LeaderElectionHealthIndicator;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the health of leader election.
 */
@AutoConfiguration(after = LeaderElectionAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBooleanProperty(name = "leader-election.enabled", matchIfMissing = true)
@ConditionalOnBean(ElectionEngine.class)
@ConditionalOnEnabledHealthIndicator("leader-election")
public final class LeaderElectionHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "leaderElectionHealthIndicator")
	HealthIndicator leaderElectionHealthIndicator(ObjectProvider<ElectionEngine> engines) {
		ElectionEngine engine = engines.getIfAvailable();
		return (engine != null) ? new LeaderElectionHealthIndicator(engine) : () -> Health.unknown().build();
	}

}
