package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Belief}.
 */
class BeliefTests {

	private static final Duration LENGTH = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Moment begun = this.clock.now();

	private final Belief belief = new Belief(3, this.begun.plus(LENGTH), this.clock);

	@Test
	void tellsItsSessionAndItsDeadline() {
		assertThat(this.belief.session()).isEqualTo(3);
		assertThat(this.belief.deadline()).isEqualTo(this.begun.plus(LENGTH));
	}

	@Test
	void isHeldUntilItsDeadline() {
		this.clock.advance(8_999);
		assertThat(this.belief.isHeld()).isTrue();
		assertThat(this.belief.endedBy()).isNull();
		this.clock.advance(1);
		assertThat(this.belief.isHeld()).isFalse();
		assertThat(this.belief.endedBy()).isEqualTo(LossReason.EXPIRED);
	}

	@Test
	void isAskedForGivenTimeWithoutReadingTheClocks() {
		Moment deadline = this.begun.plus(LENGTH);
		assertThat(this.belief.isHeldAt(deadline.nanos() - 1, deadline.millis() - 1)).isTrue();
		this.clock.advance(LENGTH);
		assertThat(this.belief.isHeldAt(this.begun.nanos(), this.begun.millis())).isTrue();
		assertThat(this.belief.isHeldAt(deadline.nanos(), this.begun.millis())).isFalse();
		assertThat(this.belief.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
	}

	@Test
	void readsTheClocksItselfBeforeItIsOver() {
		Moment deadline = this.begun.plus(LENGTH);
		assertThat(this.belief.isHeldAt(deadline.nanos(), deadline.millis())).isTrue();
		this.belief.end(LossReason.TAKEN_OVER);
		assertThat(this.belief.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
		assertThat(this.belief.isHeldAt(-1, -1)).isFalse();
	}

	@Test
	void remainsUntilItsDeadlineOnWhicheverClockComesFirst() {
		assertThat(this.belief.remaining()).isEqualTo(LENGTH);
		this.clock.jump(Duration.ofSeconds(5));
		assertThat(this.belief.remaining()).isEqualTo(Duration.ofSeconds(4));
		this.clock.jump(Duration.ofSeconds(-10));
		this.clock.advance(1_000);
		assertThat(this.belief.remaining()).isEqualTo(Duration.ofSeconds(8));
		this.clock.advance(8_000);
		assertThat(this.belief.remaining()).isZero();
	}

	@Test
	void isExtended() {
		this.clock.advance(8_999);
		Moment later = this.clock.now().plus(LENGTH);
		assertThat(this.belief.extend(later)).isTrue();
		assertThat(this.belief.deadline()).isEqualTo(later);
		this.clock.advance(8_999);
		assertThat(this.belief.isHeld()).isTrue();
		this.clock.advance(1);
		assertThat(this.belief.isHeld()).isFalse();
	}

	@Test
	void isNotRevivedByBeatThatIsAcknowledgedLate() {
		this.clock.advance(LENGTH);
		assertThat(this.belief.extend(this.clock.now().plus(LENGTH))).isFalse();
		assertThat(this.belief.isHeld()).isFalse();
		assertThat(this.belief.endedBy()).isEqualTo(LossReason.EXPIRED);
		assertThat(this.belief.remaining()).isZero();
	}

	@Test
	void endsWhenTheMachineWasSuspended() {
		this.clock.suspend(LENGTH);
		assertThat(this.belief.isHeld()).isFalse();
	}

	@Test
	void isNotRevivedByWallClockThatIsSetBack() {
		this.clock.jump(LENGTH);
		assertThat(this.belief.isHeld()).isFalse();
		this.clock.jump(Duration.ofDays(-1));
		assertThat(this.belief.isHeld()).isFalse();
		assertThat(this.belief.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
		assertThat(this.belief.remaining()).isZero();
		assertThat(this.belief.extend(this.clock.now().plus(LENGTH))).isFalse();
	}

	@Test
	void isNotProlongedByWallClockThatIsSetBack() {
		this.clock.jump(Duration.ofDays(-1));
		this.clock.advance(LENGTH);
		assertThat(this.belief.isHeld()).isFalse();
	}

	@Test
	void countsAgainOnBothClocksAfterWallClockWasSetBackAndItWasExtended() {
		this.clock.jump(Duration.ofHours(-1));
		this.belief.extend(this.clock.now().plus(LENGTH));
		this.clock.suspend(LENGTH);
		assertThat(this.belief.isHeld()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void endsForTheFirstReasonGiven(LossReason reason) {
		this.belief.end(reason);
		this.belief.end(LossReason.TAKEN_OVER);
		this.clock.advance(60_000);
		assertThat(this.belief.isHeld()).isFalse();
		assertThat(this.belief.endedBy()).isEqualTo(reason);
		assertThat(this.belief.remaining()).isZero();
		assertThat(this.belief.extend(this.clock.now().plus(LENGTH))).isFalse();
	}

	@Test
	void expiresBeforeAnyOtherReasonGivenAfterTheDeadline() {
		this.clock.advance(LENGTH);
		this.belief.end(LossReason.TAKEN_OVER);
		assertThat(this.belief.endedBy()).isEqualTo(LossReason.EXPIRED);
	}

}
