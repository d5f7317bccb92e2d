package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for applications that accept traffic
 * on the leader only. Replaces Spring Boot's own availability bean. The application must
 * not have another one.
 */
@AutoConfiguration(before = ApplicationAvailabilityAutoConfiguration.class)
@ConditionalOnProperty(name = "leader-election.readiness", havingValue = "leader")
public final class LeaderReadinessAutoConfiguration {

	private static final String ELECTION = LeaderElectionProperties.PREFIX + ".readiness-election";

	@Bean
	LeaderReadiness leaderReadiness(LeaderElectionProperties properties, Environment environment,
			ObjectProvider<LeaderElection> elections) {
		String election = StringUtils.hasText(properties.readinessElection()) ? properties.readinessElection()
				: properties.defaultElectionIn(environment);
		if (!StringUtils.hasText(election)) {
			throw new InvalidElectionSettingException(ELECTION, "blank", "must name the election whose leader is ready",
					"Set it, or leader-election.default-election or spring.application.name", null);
		}
		ElectionSettingsResolver.requireValidName(ELECTION, election);
		return new LeaderReadiness(election, elections::getObject);
	}

}
