package io.github.leaderelection.spring;

import io.github.leaderelection.InvalidConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup, or when a bean is created, if
 * {@link io.github.leaderelection.LeaderOnly} can't be enforced, so that a method which
 * seems to run on the leader only would run on every instance, or if one of its
 * attributes is not valid.
 */
public class InvalidLeaderOnlyException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	private static final String UNENFORCEABLE = "@LeaderOnly on %s can't be enforced: %s";

	private static final String NOT_VALID = "@LeaderOnly on %s is not valid: %s";

	InvalidLeaderOnlyException(String place, String reason, String remedy) {
		this(UNENFORCEABLE, place, reason, remedy, null);
	}

	InvalidLeaderOnlyException(String place, String reason, String remedy, @Nullable Throwable cause) {
		this(UNENFORCEABLE, place, reason, remedy, cause);
	}

	private InvalidLeaderOnlyException(String format, String place, String reason, String remedy,
			@Nullable Throwable cause) {
		super(format.formatted(place, reason), remedy, cause);
	}

	/** Create an exception for a bean without a gate. */
	static InvalidLeaderOnlyException ofBean(String beanName, Class<?> type, String reason, String remedy) {
		return new InvalidLeaderOnlyException("bean '%s' (%s)".formatted(beanName, type.getName()), reason, remedy);
	}

	/** Create an exception for an attribute that is not valid. */
	static InvalidLeaderOnlyException ofAttribute(String place, String reason, String remedy) {
		return new InvalidLeaderOnlyException(NOT_VALID, place, reason, remedy, null);
	}

}
