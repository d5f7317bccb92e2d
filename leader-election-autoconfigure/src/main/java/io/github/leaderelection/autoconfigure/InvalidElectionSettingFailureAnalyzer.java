package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Explains {@link InvalidElectionSettingException}.
 */
class InvalidElectionSettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidElectionSettingException> {

	/** Whoever has written a greater one has meant milliseconds. */
	private static final Pattern SMALL_NUMBER = Pattern.compile("[0-9]{1,5}");

	private final Environment environment;

	/**
	 * Create an instance.
	 * @param environment what the settings have been read from
	 */
	InvalidElectionSettingFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidElectionSettingException cause) {
		String number = numberOfMillis(cause);
		String hint = (number != null)
				? " A number without a unit means milliseconds: for seconds write %ss.".formatted(number) : "";
		return new FailureAnalysis(cause.getReason(), cause.getRemedy() + hint, cause);
	}

	/**
	 * Return what is written there if it is a number that was taken for a duration, and
	 * {@code null} otherwise.
	 */
	private @Nullable String numberOfMillis(InvalidElectionSettingException cause) {
		try {
			String written = this.environment.getProperty(cause.getKey(), "").strip();
			return (SMALL_NUMBER.matcher(written).matches()
					&& ReadableDuration.exact(Duration.ofMillis(Long.parseLong(written))).equals(cause.getValue()))
							? written : null;
		}
		catch (RuntimeException ex) {
			// A placeholder that stands for nothing: somebody else tells of it.
			return null;
		}
	}

}
