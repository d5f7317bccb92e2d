package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.actuate.LeaderElectionEndpoint;
import io.github.leaderelection.actuate.LeaderElectionEndpointWebExtension;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.job.RecordedJobs;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the
 * {@link LeaderElectionEndpoint}.
 */
@AutoConfiguration(after = LeaderElectionAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnAvailableEndpoint(LeaderElectionEndpoint.class)
@ConditionalOnBean(ElectionEngine.class)
public final class LeaderElectionEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LeaderElectionEndpoint leaderElectionEndpoint(LeaderElection elections, ObjectProvider<ElectionEngine> engines,
			ObjectProvider<RecordedJobs> jobs, ObjectProvider<SanitizingFunction> sanitizingFunctions) {
		return new LeaderElectionEndpoint(elections, engines.getIfAvailable(), jobs::getIfAvailable,
				sanitizingFunctions.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LeaderElectionEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LeaderElectionEndpointWebExtension leaderElectionEndpointWebExtension(LeaderElectionEndpoint endpoint) {
		return new LeaderElectionEndpointWebExtension(endpoint);
	}

}
