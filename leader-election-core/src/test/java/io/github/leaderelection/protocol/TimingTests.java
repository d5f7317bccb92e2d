package io.github.leaderelection.protocol;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Timing}.
 */
class TimingTests {

	private final Timing timing = timing(300, 100, 200, 150, 800, 400);

	@Test
	void combinedTimingUsesTheStricterValues() {
		Timing stricter = timing(200, 150, 100, 50, 900, 500);
		assertThat(this.timing.with(stricter)).isEqualTo(stricter);
		assertThat(stricter.with(this.timing)).isEqualTo(stricter);
		assertThat(this.timing.with(timing(400, 50, 100, 300, 700, 500)))
			.isEqualTo(timing(300, 100, 100, 150, 800, 500));
		assertThat(this.timing.with(this.timing)).isEqualTo(this.timing);
	}

	@ParameterizedTest
	@CsvSource({ "150, 75", "50, 50" })
	void retryDelayIsAQuarterOfTheRenewIntervalUpToThePollInterval(long pollInterval, long delay) {
		assertThat(timing(300, 100, 200, pollInterval, 0, 0).retryDelay()).isEqualTo(Duration.ofMillis(delay));
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			# renew interval, timeout; how often it renews while nothing is held
			200, 200, 400
			# it leaves time for two calls
			300, 200, 500
			# it is an interval at least
			300, 400, 300
			""")
	void idleIntervalLeavesTimeToTakeALease(long renewInterval, long timeout, long interval) {
		assertThat(timing(renewInterval, 100, timeout, 150, 0, 0).idleInterval())
			.isEqualTo(Duration.ofMillis(interval));
	}

	private static Timing timing(long renewInterval, long margin, long timeout, long pollInterval, long drainTimeout,
			long cooldown) {
		return new Timing(Duration.ofSeconds(1), Duration.ofMillis(renewInterval), Duration.ofMillis(margin),
				Duration.ofMillis(timeout), Duration.ofMillis(pollInterval), Duration.ofMillis(drainTimeout),
				Duration.ofMillis(cooldown));
	}

}
