package io.github.leaderelection.spring.bound;

import io.github.leaderelection.LeaderElectionException;

/**
 * Thrown to resign: a component can't be started here, but maybe elsewhere.
 */
final class ComponentFailedException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	ComponentFailedException(String component, int attempts, String lastFailure) {
		super("Component '%s' has not started in %d attempts: %s".formatted(component, attempts, lastFailure), null);
	}

}
