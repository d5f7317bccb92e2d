package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.protocol.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of {@link StoreClock}. */
class StoreClockTests {

	private static final Duration PERIOD = Duration.ofSeconds(5);

	private final ManualClock clock = new ManualClock();

	@ParameterizedTest
	@CsvSource({ "0, 0, 0", "1, 0, 1000", "4, 0, 4000", "5, 0, 0", "12, 0, 2000", "0, 300, 4700", "1, 300, 700",
			"5, 5300, 4700" })
	void measuresTimeSinceTheLastMultipleOfThePeriod(int seconds, int more, int past) {
		assertThat(read("2026-03-01T00:00:00Z", seconds).past(PERIOD, Duration.ofMillis(more), this.clock.now()))
			.isEqualTo(Duration.ofMillis(past));
	}

	@Test
	void advancesWithTheLocalClock() {
		StoreClock read = read("2026-03-01T00:00:00Z", 3);
		Moment askedAt = this.clock.now();
		this.clock.advance(2_500);
		assertThat(read.past(PERIOD, Duration.ZERO, this.clock.now())).isEqualTo(Duration.ofMillis(500));
		assertThat(read.past(PERIOD, Duration.ZERO, askedAt.plus(Duration.ofSeconds(-4))))
			.isEqualTo(Duration.ofSeconds(4));
	}

	@ParameterizedTest
	@CsvSource({ "-1000000000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "+292278994-08-17T07:12:55.807Z",
			"+1000000000-12-31T23:59:50Z" })
	void periodsStayRegularWithAWrongClock(Instant wrong) {
		StoreClock clock = new StoreClock(wrong, this.clock.now());
		Duration past = clock.past(PERIOD, Duration.ZERO, this.clock.now());
		assertThat(past).isBetween(Duration.ZERO, PERIOD.minusNanos(1));
		Duration then = clock.past(PERIOD, Duration.ZERO, this.clock.now().plus(PERIOD));
		assertThat(then).isEqualTo(past);
	}

	private StoreClock read(String time, int seconds) {
		return new StoreClock(Instant.parse(time).plusSeconds(seconds), this.clock.now());
	}

}
