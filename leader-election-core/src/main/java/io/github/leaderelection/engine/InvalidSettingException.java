package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.InvalidConfigurationException;
import io.github.leaderelection.store.ReadableDuration;

/**
 * Thrown when {@link ElectionSettings} are not valid.
 */
public class InvalidSettingException extends InvalidConfigurationException {

	private static final long serialVersionUID = 1L;

	private final String name;

	private final String value;

	private final String reason;

	InvalidSettingException(String name, Duration value, String reason, String remedy) {
		super("%s (%s) %s".formatted(name, ReadableDuration.exact(value), reason), remedy, null);
		this.name = name;
		this.value = ReadableDuration.exact(value);
		this.reason = reason;
	}

	/**
	 * Return the name of the setting, in kebab case.
	 * @return the name
	 */
	public String getName() {
		return this.name;
	}

	/**
	 * Return the value of the setting, for people to read.
	 * @return the value
	 */
	public String getValue() {
		return this.value;
	}

	/**
	 * Return what is wrong, a phrase to follow name and value.
	 * @return the reason
	 */
	public String getReason() {
		return this.reason;
	}

}
