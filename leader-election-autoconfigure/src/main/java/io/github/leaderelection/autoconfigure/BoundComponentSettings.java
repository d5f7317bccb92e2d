package io.github.leaderelection.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.ComponentFailure;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.Election;
import io.github.leaderelection.spring.bound.ComponentSettings;
import io.github.leaderelection.spring.bound.ComponentSettings.Named;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;

/**
 * Reads from the environment which components are bound to the leader. A context may have
 * components without having the configuration properties as a bean.
 */
@Configuration(proxyBeanMethods = false)
class BoundComponentSettings {

	@Bean
	@Fallback
	static ComponentSettings leaderBoundComponentSettings(ConfigurableApplicationContext context) {
		LeaderElectionProperties properties = LeaderElectionProperties.bind(context.getEnvironment());
		List<Named> components = new ArrayList<>();
		properties.elections()
			.forEach((name, election) -> election.components()
				.forEach((id) -> components
					.add(new Named(ElectionSettingsResolver.keyOf(name) + ".components", name, id))));
		return new ComponentSettings(components, (election) -> resigns(properties, election),
				LeaderElectionTestSliceAutoConfiguration.isSlice(context.getBeanFactory()));
	}

	private static boolean resigns(LeaderElectionProperties properties, String election) {
		Election own = properties.elections().get(election);
		ComponentFailure chosen = (own != null) ? own.componentFailure() : null;
		return Objects.requireNonNullElse(chosen, properties.componentFailure()) == ComponentFailure.RESIGN;
	}

}
