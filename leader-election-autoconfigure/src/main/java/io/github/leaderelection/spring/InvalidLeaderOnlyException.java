package io.github.leaderelection.spring;

import io.github.leaderelection.LeaderElectionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown while the application starts, or a bean is created, when
 * {@link io.github.leaderelection.LeaderOnly} can't be enforced: a method that seems to
 * run on the leader only would otherwise run everywhere.
 */
public class InvalidLeaderOnlyException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String place;

	private final String reason;

	private final String remedy;

	InvalidLeaderOnlyException(String place, String reason, String remedy) {
		this(place, reason, remedy, null);
	}

	InvalidLeaderOnlyException(String place, String reason, String remedy, @Nullable Throwable cause) {
		super("@LeaderOnly on %s can't be enforced: %s. %s".formatted(place, reason, remedy), cause);
		this.place = place;
		this.reason = reason;
		this.remedy = remedy;
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
