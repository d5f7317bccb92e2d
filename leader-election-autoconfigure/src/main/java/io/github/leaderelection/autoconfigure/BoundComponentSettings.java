package io.github.leaderelection.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.leaderelection.autoconfigure.LeaderElectionProperties.ComponentFailure;
import io.github.leaderelection.autoconfigure.LeaderElectionProperties.Election;
import io.github.leaderelection.spring.bound.ComponentSettings;
import io.github.leaderelection.spring.bound.ComponentSettings.Named;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Tells from the environment which components are bound to the leader. A context may have
 * components without having the properties of elections as a bean.
 */
final class BoundComponentSettings {

	private BoundComponentSettings() {
	}

	static ComponentSettings of(ConfigurableApplicationContext context) {
		return of(Binder.get(context.getEnvironment()),
				LeaderElectionTestSliceAutoConfiguration.isSlice(context.getBeanFactory()));
	}

	private static ComponentSettings of(Binder binder, boolean partial) {
		Map<String, Election> elections = binder
			.bind(LeaderElectionProperties.PREFIX + ".elections", Bindable.mapOf(String.class, Election.class))
			.orElseGet(LinkedHashMap::new);
		List<Named> components = new ArrayList<>();
		elections.forEach((name, election) -> election.getComponents()
			.forEach(
					(id) -> components.add(new Named(ElectionSettingsResolver.keyOf(name) + ".components", name, id))));
		ComponentFailure general = binder
			.bind(LeaderElectionProperties.PREFIX + ".component-failure", ComponentFailure.class)
			.orElse(ComponentFailure.RETRY);
		return new ComponentSettings(components, (election) -> {
			Election own = elections.get(election);
			ComponentFailure chosen = (own != null) ? own.getComponentFailure() : null;
			return Objects.requireNonNullElse(chosen, general) == ComponentFailure.RESIGN;
		}, binder.bind(LeaderElectionProperties.PREFIX + ".default-election", String.class)
			.orElseGet(() -> binder.bind("spring.application.name", String.class).orElse(null)), partial);
	}

}
