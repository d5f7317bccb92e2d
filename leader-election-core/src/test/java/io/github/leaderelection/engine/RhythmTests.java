package io.github.leaderelection.engine;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Rhythm}.
 */
class RhythmTests {

	private final Rhythm rhythm = rhythm(1_000, 300, 100, 200, 150);

	@Test
	void followsFromTheSettings() {
		ElectionSettings settings = new ElectionSettings(Duration.ofSeconds(10), Duration.ofSeconds(1),
				Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(4), Duration.ofSeconds(5),
				Duration.ofSeconds(6));
		assertThat(Rhythm.of(settings)).isEqualTo(rhythm(10_000, 1_000, 2_000, 3_000, 4_000));
	}

	@Test
	void believesForTheTtlLessTheMargin() {
		assertThat(this.rhythm.belief()).isEqualTo(Duration.ofMillis(900));
	}

	@Test
	void isGoodForTheStrictestOfBoth() {
		Rhythm stricter = rhythm(1_000, 200, 150, 100, 50);
		assertThat(this.rhythm.with(stricter)).isEqualTo(stricter);
		assertThat(stricter.with(this.rhythm)).isEqualTo(stricter);
		assertThat(this.rhythm.with(rhythm(1_000, 400, 50, 100, 300))).isEqualTo(rhythm(1_000, 300, 100, 100, 150));
		assertThat(this.rhythm.with(this.rhythm)).isEqualTo(this.rhythm);
	}

	@Test
	void triesAgainAfterQuarterOfAnIntervalOrPollIntervalAtMost() {
		assertThat(this.rhythm.retryDelay()).isEqualTo(Duration.ofMillis(75));
		assertThat(rhythm(1_000, 300, 100, 200, 50).retryDelay()).isEqualTo(Duration.ofMillis(50));
	}

	@Test
	void idlesForTwoIntervalsWhereThatLeavesTimeToTakeLease() {
		assertThat(rhythm(1_000, 200, 100, 200, 150).idleInterval()).isEqualTo(Duration.ofMillis(400));
	}

	@Test
	void idlesForAsLongAsLeavesTimeForTwoCalls() {
		assertThat(this.rhythm.idleInterval()).isEqualTo(Duration.ofMillis(500));
	}

	@Test
	void idlesForAnIntervalAtLeast() {
		assertThat(rhythm(1_000, 300, 100, 400, 150).idleInterval()).isEqualTo(Duration.ofMillis(300));
	}

	@Test
	void tellsTheShorterAndTheLonger() {
		Duration one = Duration.ofSeconds(1);
		Duration two = Duration.ofSeconds(2);
		assertThat(Rhythm.shorter(one, two)).isEqualTo(one);
		assertThat(Rhythm.shorter(two, one)).isEqualTo(one);
		assertThat(Rhythm.longer(one, two)).isEqualTo(two);
		assertThat(Rhythm.longer(two, one)).isEqualTo(two);
	}

	private static Rhythm rhythm(long ttl, long interval, long margin, long timeout, long pollInterval) {
		return new Rhythm(Duration.ofMillis(ttl), Duration.ofMillis(interval), Duration.ofMillis(margin),
				Duration.ofMillis(timeout), Duration.ofMillis(pollInterval));
	}

}
