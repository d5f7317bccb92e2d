package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.micrometer.observation.Observation;

/**
 * Observation context for a call of a {@link io.github.leaderelection.LeaderOnly} method
 * that was let in.
 */
public class LeaderOnlyObservationContext extends Observation.Context {

	private final String method;

	private final Leadership leadership;

	/**
	 * Create a context.
	 * @param method the method, such as {@code Jobs.run}
	 * @param leadership the leadership under which it runs
	 */
	public LeaderOnlyObservationContext(String method, Leadership leadership) {
		this.method = method;
		this.leadership = leadership;
	}

	/**
	 * Return the method that is called.
	 * @return the names of class and method, such as {@code Jobs.run}
	 */
	public String getMethod() {
		return this.method;
	}

	/**
	 * Return the leadership under which the call runs.
	 * @return the leadership
	 */
	public Leadership getLeadership() {
		return this.leadership;
	}

}
