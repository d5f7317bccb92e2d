package io.github.leaderelection.spring.bound;

import io.github.leaderelection.InvalidConfigurationException;

/**
 * Thrown at startup if a component can't be started and stopped with the leader, and
 * would run on every instance or on none.
 */
public class InvalidComponentException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	InvalidComponentException(String place, String reason, String remedy) {
		super("%s can't be started and stopped with the leader: %s".formatted(place, reason), remedy, null);
	}

}
