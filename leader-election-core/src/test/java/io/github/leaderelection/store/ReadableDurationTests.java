package io.github.leaderelection.store;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReadableDuration}.
 */
class ReadableDurationTests {

	@ParameterizedTest
	@CsvSource({ "PT0S, 0 s", "PT3S, 3 s", "PT24H, 1 d", "PT0.25S, 250 ms", "PT137.136S, 2 min 17 s",
			"PT2.3456S, 2.3 s", "PT59.99S, 59.9 s", "PT1M, 1 min", "PT1H1S, 1 h", "PT25H59M, 1 d 1 h",
			"PT0.0123456S, 12 ms", "PT0.0005S, 0.5 ms", "PT-137.136S, -2 min 17 s", "PT-0.25S, -250 ms" })
	void measuredDurationIsRounded(Duration duration, String text) {
		assertThat(ReadableDuration.of(duration)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "PT0S, 0 s", "PT1.5S, 1.5 s", "PT0.1S, 100 ms", "PT24H0.001S, 1 d 0.001 s", "PT10.0005S, 10.0005 s",
			"PT0.000000001S, 0.000001 ms", "PT-1.5S, -1.5 s", "P400DT2H3M4S, 400 d 2 h 3 min 4 s" })
	void configuredDurationIsShownInFull(Duration duration, String text) {
		assertThat(ReadableDuration.exact(duration)).isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ Long.MAX_VALUE + ", 106751991167300 d 15 h", Long.MIN_VALUE + ", -106751991167300 d 15 h" })
	void extremeDurationsAreSupported(long seconds, String text) {
		assertThat(ReadableDuration.of(Duration.ofSeconds(seconds))).isEqualTo(text);
	}

}
