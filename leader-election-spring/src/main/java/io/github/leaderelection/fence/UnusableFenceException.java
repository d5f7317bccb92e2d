package io.github.leaderelection.fence;

import io.github.leaderelection.LeaderElectionException;

/**
 * Thrown when something is to be fenced, and can't be: while the application starts, or
 * what fences it is made.
 */
public class UnusableFenceException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String reason;

	private final String remedy;

	/**
	 * Create an exception.
	 * @param reason what is wrong, without a full stop
	 * @param remedy what can be done, without a full stop
	 */
	public UnusableFenceException(String reason, String remedy) {
		super(reason + ". " + remedy, null);
		this.reason = reason;
		this.remedy = remedy;
	}

	/**
	 * Return what is wrong.
	 * @return the reason, without a full stop
	 */
	public String getReason() {
		return this.reason;
	}

	/**
	 * Return what can be done.
	 * @return the remedy, without a full stop
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
