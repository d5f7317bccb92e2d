package io.github.leaderelection.spring.bound;

import java.util.List;
import java.util.function.Predicate;

/**
 * Which components are started and stopped with the leader, as configured.
 *
 * @param components the components that are named by properties
 * @param resigning whether this process resigns from an election when a component keeps
 * failing
 * @param partial whether components that are named may be absent, as in a slice of the
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
	 * @param id the name of a bean, or the id of a container of listeners
	 */
	public record Named(String key, String election, String id) {

		String place() {
			return "%s (%s)".formatted(this.key, this.id);
		}

	}

}
