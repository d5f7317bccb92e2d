package io.github.leaderelection.autoconfigure;

import java.util.List;
import java.util.Optional;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.actuate.LeaderElectionEndpoint;
import io.github.leaderelection.actuate.LeaderElectionEndpointWebExtension;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus;
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

	/** What there is to tell where a test has put a mock in place of the engine. */
	private static final EngineStatus NOTHING = new EngineStatus(null, false, null, List.of(), List.of());

	@Bean
	@ConditionalOnMissingBean
	LeaderElectionEndpoint leaderElectionEndpoint(LeaderElection elections, ObjectProvider<ElectionEngine> engines,
			ObjectProvider<RecordedJobs> jobs, ObjectProvider<SanitizingFunction> sanitizingFunctions) {
		ElectionEngine engine = engines.getIfAvailable();
		if (engine == null) {
			return new LeaderElectionEndpoint(elections, () -> NOTHING, (election, successor) -> Optional.empty(),
					(election, suspended) -> false, jobs::getIfAvailable, sanitizingFunctions.orderedStream().toList());
		}
		return new LeaderElectionEndpoint(elections, engine::status, engine::requestHandover,
				(election, suspended) -> suspended ? engine.pauseElection(election) : engine.resumeElection(election),
				jobs::getIfAvailable, sanitizingFunctions.orderedStream().toList());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(LeaderElectionEndpoint.class)
	@ConditionalOnAvailableEndpoint(exposure = EndpointExposure.WEB)
	LeaderElectionEndpointWebExtension leaderElectionEndpointWebExtension(LeaderElectionEndpoint endpoint) {
		return new LeaderElectionEndpointWebExtension(endpoint);
	}

}
