package io.github.leaderelection.spring.bound;

import org.springframework.context.Lifecycle;

/**
 * A component that belongs to an election.
 *
 * @param place what says so, for people to read
 * @param name the name of the component
 * @param election the election name
 * @param component what is started and stopped
 */
record ComponentBinding(String place, String name, String election, Lifecycle component) {

	InvalidComponentException invalid(String reason, String remedy) {
		return new InvalidComponentException(this.place, reason, remedy);
	}

}
