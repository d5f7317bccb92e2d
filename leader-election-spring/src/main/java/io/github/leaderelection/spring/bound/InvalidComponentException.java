package io.github.leaderelection.spring.bound;

import io.github.leaderelection.LeaderElectionException;

/**
 * Thrown while the application starts when a component can't be started and stopped with
 * the leader: it would run everywhere, or nowhere.
 */
public class InvalidComponentException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String place;

	private final String reason;

	private final String remedy;

	InvalidComponentException(String place, String reason, String remedy) {
		super("%s can't be started and stopped with the leader: %s. %s".formatted(place, reason, remedy), null);
		this.place = place;
		this.reason = reason;
		this.remedy = remedy;
	}

	/**
	 * Return what names the component.
	 * @return a property with its value, or the annotated bean
	 */
	public String getPlace() {
		return this.place;
	}

	/**
	 * Return what is wrong, without a full stop.
	 * @return the reason
	 */
	public String getReason() {
		return this.reason;
	}

	/**
	 * Return what can be done, without a full stop.
	 * @return the remedy
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
