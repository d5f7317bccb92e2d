package io.github.leaderelection;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of exceptions that are thrown when leader election can't work as configured,
 * so that a setting, an annotation or a bean has to be changed: while the application
 * starts, or when something is used for the first time.
 */
public abstract class InvalidConfigurationException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String remedy;

	/**
	 * Create an exception.
	 * @param description what is wrong, and where, without a full stop
	 * @param remedy what can be done, without a full stop
	 * @param cause the cause, {@code null} if there is none
	 */
	protected InvalidConfigurationException(String description, String remedy, @Nullable Throwable cause) {
		super(description + ". " + remedy, cause);
		this.description = description;
		this.remedy = remedy;
	}

	/**
	 * Return what is wrong, and where.
	 * @return the description, without a full stop
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Return what can be done.
	 * @return the remedy, without a full stop
	 */
	public String getRemedy() {
		return this.remedy;
	}

}
