package io.github.leaderelection.autoconfigure;

import io.github.leaderelection.InvalidConfigurationException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown at startup when a {@code leader-election} property is invalid or can't be
 * satisfied.
 */
class InvalidElectionSettingException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	private static final String UNIT = ". A number without a unit means milliseconds";

	private final String key;

	/**
	 * Create an instance.
	 * @param key the full key of the property
	 * @param value its effective value, for people to read
	 * @param reason what is wrong, as a phrase that follows key and value
	 * @param remedy what can be done, as a sentence without a full stop
	 * @param cause the cause, if there is one
	 */
	InvalidElectionSettingException(String key, String value, String reason, String remedy, @Nullable Throwable cause) {
		super("%s (%s) %s".formatted(key, value, reason), remedy + (value.endsWith(" ms") ? UNIT : ""), cause);
		this.key = key;
	}

	String getKey() {
		return this.key;
	}

}
