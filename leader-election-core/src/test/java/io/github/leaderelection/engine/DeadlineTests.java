package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.stream.Stream;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Deadline}.
 */
class DeadlineTests {

	private static final Duration LENGTH = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Moment begun = this.clock.now();

	private final Deadline held = new Deadline(this.begun.plus(LENGTH), this.clock);

	static Stream<Arguments> deadlines() {
		return Scripts.of("""
				is held until it comes
				  pass 8999; held; pass 1; over EXPIRED
				remains until it comes on whichever clock is first
				  remains 9000; jump 5000; remains 4000; jump -10000; pass 1000; remains 8000; pass 8000; remains 0
				is extended
				  pass 8999; extend; remains 9000; pass 8999; held; pass 1; over EXPIRED
				is not revived by a renewal that is acknowledged late
				  pass 9000; can't extend; over EXPIRED
				has come when the machine was suspended
				  suspend 9000; over EXPIRED
				is not revived by a wall clock that is set back
				  jump 9000; over EXPIRED; jump -86400000; over EXPIRED; can't extend
				is not prolonged by a wall clock that is set back
				  jump -86400000; pass 9000; over EXPIRED
				counts again on both clocks when it is extended after the wall clock was set back
				  jump -3600000; extend; suspend 9000; over EXPIRED
				is over for the first reason that is given
				  end RESIGNED; end TAKEN_OVER; pass 60000; over RESIGNED; can't extend
				has come before any reason that is given after it
				  pass 9000; end TAKEN_OVER; over EXPIRED
				""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void deadlines(String rule, String script) {
		Scripts.run(script, (step) -> step(step.split(" ")[0], step.substring(step.indexOf(' ') + 1)));
	}

	private void step(String step, String what) {
		switch (step) {
			case "pass" -> this.clock.advance(Long.parseLong(what));
			case "jump" -> this.clock.jump(Duration.ofMillis(Long.parseLong(what)));
			case "suspend" -> this.clock.suspend(Duration.ofMillis(Long.parseLong(what)));
			case "end" -> this.held.end(LossReason.valueOf(what));
			case "extend" -> {
				Moment later = this.clock.now().plus(LENGTH);
				assertThat(this.held.extend(later)).isTrue();
				assertThat(this.held.at()).isEqualTo(later);
			}
			case "can't" -> assertThat(this.held.extend(this.clock.now().plus(LENGTH))).isFalse();
			case "remains" -> assertThat(this.held.remaining()).isEqualTo(Duration.ofMillis(Long.parseLong(what)));
			case "held" -> {
				assertThat(this.held.isHeld()).isTrue();
				assertThat(this.held.endedBy()).isNull();
			}
			case "over" -> {
				assertThat(this.held.isHeld()).isFalse();
				assertThat(this.held.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
				assertThat(this.held.remaining()).isZero();
				assertThat(this.held.endedBy()).isEqualTo(LossReason.valueOf(what));
			}
			default -> throw new IllegalArgumentException(step);
		}
	}

	@Test
	void isAskedForGivenTimeWithoutReadingTheClocks() {
		Moment deadline = this.begun.plus(LENGTH);
		assertThat(this.held.isHeldAt(deadline.nanos() - 1, deadline.millis() - 1)).isTrue();
		this.clock.advance(LENGTH);
		assertThat(this.held.isHeldAt(this.begun.nanos(), this.begun.millis())).isTrue();
		assertThat(this.held.isHeldAt(deadline.nanos(), this.begun.millis())).isFalse();
		assertThat(this.held.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
	}

	@Test
	void readsTheClocksItselfBeforeItIsOver() {
		Moment deadline = this.begun.plus(LENGTH);
		assertThat(this.held.isHeldAt(deadline.nanos(), deadline.millis())).isTrue();
		this.held.end(LossReason.TAKEN_OVER);
		assertThat(this.held.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
		assertThat(this.held.isHeldAt(-1, -1)).isFalse();
	}

}
