package io.github.leaderelection.spring;

import io.github.leaderelection.LeaderElectionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown while the application starts, or a bean is created, when
 * {@link io.github.leaderelection.LeaderOnly} can't be enforced, since a method that
 * seems to run on the leader only would otherwise run everywhere, or when one of its
 * attributes is not valid.
 */
public class InvalidLeaderOnlyException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private static final String UNENFORCEABLE = "@LeaderOnly on %s can't be enforced: %s";

	private static final String NOT_VALID = "@LeaderOnly on %s is not valid: %s";

	private final String description;

	private final String place;

	private final String reason;

	private final String remedy;

	InvalidLeaderOnlyException(String place, String reason, String remedy) {
		this(UNENFORCEABLE, place, reason, remedy, null);
	}

	InvalidLeaderOnlyException(String place, String reason, String remedy, @Nullable Throwable cause) {
		this(UNENFORCEABLE, place, reason, remedy, cause);
	}

	private InvalidLeaderOnlyException(String format, String place, String reason, String remedy,
			@Nullable Throwable cause) {
		super((format + ". %s").formatted(place, reason, remedy), cause);
		this.description = format.formatted(place, reason);
		this.place = place;
		this.reason = reason;
		this.remedy = remedy;
	}

	/** The gate would work, but an attribute of the annotation does not. */
	static InvalidLeaderOnlyException ofAttribute(String place, String reason, String remedy) {
		return new InvalidLeaderOnlyException(NOT_VALID, place, reason, remedy, null);
	}

	/**
	 * Return what is annotated and what is wrong with it, without a full stop.
	 * @return the description
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Return what is annotated.
	 * @return the method, such as {@code com.acme.Jobs.run()}, or the class
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
