package io.github.leaderelection.spring.bound;

import java.util.List;
import java.util.function.Predicate;

/**
 * Settings of the components that are started and stopped with the leader.
 *
 * @param components the components that are named by properties
 * @param resigning tells whether this process resigns from an election when a component
 * keeps failing to start
 * @param partial whether named components may be absent, as in a test slice of the
 * application
 */
public record ComponentSettings(List<Named> components, Predicate<String> resigning, boolean partial) {

	public ComponentSettings {
		components = List.copyOf(components);
	}

	/**
	 * A component that is named by a property.
	 *
	 * @param key the property
	 * @param election the election that the component belongs to
	 * @param id the name of a bean, or the id of a listener container
	 */
	public record Named(String key, String election, String id) {

		String place() {
			return "%s (%s)".formatted(this.key, this.id);
		}

	}

}
