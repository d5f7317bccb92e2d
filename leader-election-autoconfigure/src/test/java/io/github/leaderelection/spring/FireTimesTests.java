package io.github.leaderelection.spring;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.scheduling.support.SimpleTriggerContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FireTimes}.
 */
class FireTimesTests {

	private static final Instant ONE = Instant.parse("2026-03-01T13:00:00Z");

	private static final Instant TWO = ONE.plusSeconds(60);

	private static final Instant THREE = TWO.plusSeconds(60);

	private final Queue<Instant> triggered = new ArrayDeque<>(List.of(ONE, TWO, THREE));

	private final FireTimes fireTimes = new FireTimes((context) -> this.triggered.poll());

	private Instant now = ONE.minusSeconds(30);

	@Test
	void runIsForTheFireTimeThatWasNamedLast() {
		trigger();
		this.now = ONE;
		assertThat(take()).isEqualTo(ONE);
		trigger();
		this.now = TWO.plusMillis(3);
		assertThat(take()).isEqualTo(TWO);
	}

	@Test
	void schedulerMayBeEarly() {
		trigger();
		this.now = ONE.minusMillis(900);
		assertThat(take()).isEqualTo(ONE);
		trigger();
		this.now = TWO.minusMillis(900);
		assertThat(take()).isEqualTo(TWO);
	}

	@Test
	void firstRunIsForTheFirstFireTimeHoweverFarTheClockIsBehind() {
		trigger();
		assertThat(take()).isEqualTo(ONE);
	}

	@Test
	void runThatBeginsAfterTheNextWasNamedIsStillForItsOwn() {
		trigger();
		this.now = ONE;
		trigger();
		assertThat(take()).isEqualTo(ONE);
		this.now = TWO;
		assertThat(take()).isEqualTo(TWO);
	}

	@Test
	void fireTimesWhoseRunsNeverBeganAreLeftBehind() {
		trigger();
		trigger();
		this.now = TWO.plusSeconds(1);
		trigger();
		assertThat(take()).isEqualTo(TWO);
		assertThat(take()).isEqualTo(TWO);
		this.now = THREE;
		assertThat(take()).isEqualTo(THREE);
	}

	@Test
	void fireTimesAreWholeMilliseconds() {
		this.triggered.clear();
		this.triggered.add(ONE.plusNanos(1_234_567));
		trigger();
		assertThat(take()).isEqualTo(ONE.plusMillis(1));
	}

	@Test
	void triggerThatHasEndedNamesNothing() {
		this.triggered.clear();
		assertThat(trigger()).isNull();
		assertThat(take()).isNull();
	}

	private @Nullable Instant trigger() {
		return this.fireTimes.nextExecution(new SimpleTriggerContext(new TestClock()));
	}

	private @Nullable Instant take() {
		return this.fireTimes.take().fireTime();
	}

	private final class TestClock extends Clock {

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Instant instant() {
			return FireTimesTests.this.now;
		}

	}

}
