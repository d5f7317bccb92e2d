package io.github.leaderelection.spring.bound;

import io.github.leaderelection.LeaderElectionException;

/**
 * Thrown while the application starts when a component can't be started and stopped with
 * the leader: it would run everywhere, or nowhere.
 */
public class InvalidComponentException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String remedy;

	InvalidComponentException(String place, String reason, String remedy) {
		this("%s can't be started and stopped with the leader: %s".formatted(place, reason), remedy);
	}

	private InvalidComponentException(String description, String remedy) {
		super(description + ". " + remedy, null);
		this.description = description;
		this.remedy = remedy;
	}

	/**
	 * Return what names the component and what is wrong with it, without a full stop.
	 * @return the description
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Return what can be done, without a full stop.
	 * @return the remedy
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
