package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Deadline}.
 */
class DeadlineTests {

	private static final Duration LENGTH = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Moment begun = this.clock.now();

	private final Deadline held = new Deadline(this.begun.plus(LENGTH), this.clock);

	@Test
	void isHeldUntilItsDeadline() {
		this.clock.advance(8_999);
		assertThat(this.held.isHeld()).isTrue();
		assertThat(this.held.endedBy()).isNull();
		this.clock.advance(1);
		assertThat(this.held.isHeld()).isFalse();
		assertThat(this.held.endedBy()).isEqualTo(LossReason.EXPIRED);
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

	@Test
	void remainsUntilItsDeadlineOnWhicheverClockComesFirst() {
		assertThat(this.held.remaining()).isEqualTo(LENGTH);
		this.clock.jump(Duration.ofSeconds(5));
		assertThat(this.held.remaining()).isEqualTo(Duration.ofSeconds(4));
		this.clock.jump(Duration.ofSeconds(-10));
		this.clock.advance(1_000);
		assertThat(this.held.remaining()).isEqualTo(Duration.ofSeconds(8));
		this.clock.advance(8_000);
		assertThat(this.held.remaining()).isZero();
	}

	@Test
	void isExtended() {
		this.clock.advance(8_999);
		Moment later = this.clock.now().plus(LENGTH);
		assertThat(this.held.extend(later)).isTrue();
		assertThat(this.held.at()).isEqualTo(later);
		this.clock.advance(8_999);
		assertThat(this.held.isHeld()).isTrue();
		this.clock.advance(1);
		assertThat(this.held.isHeld()).isFalse();
	}

	@Test
	void isNotRevivedByBeatThatIsAcknowledgedLate() {
		this.clock.advance(LENGTH);
		assertThat(this.held.extend(this.clock.now().plus(LENGTH))).isFalse();
		assertThat(this.held.isHeld()).isFalse();
		assertThat(this.held.endedBy()).isEqualTo(LossReason.EXPIRED);
		assertThat(this.held.remaining()).isZero();
	}

	@Test
	void endsWhenTheMachineWasSuspended() {
		this.clock.suspend(LENGTH);
		assertThat(this.held.isHeld()).isFalse();
	}

	@Test
	void isNotRevivedByWallClockThatIsSetBack() {
		this.clock.jump(LENGTH);
		assertThat(this.held.isHeld()).isFalse();
		this.clock.jump(Duration.ofDays(-1));
		assertThat(this.held.isHeld()).isFalse();
		assertThat(this.held.isHeldAt(this.begun.nanos(), this.begun.millis())).isFalse();
		assertThat(this.held.remaining()).isZero();
		assertThat(this.held.extend(this.clock.now().plus(LENGTH))).isFalse();
	}

	@Test
	void isNotProlongedByWallClockThatIsSetBack() {
		this.clock.jump(Duration.ofDays(-1));
		this.clock.advance(LENGTH);
		assertThat(this.held.isHeld()).isFalse();
	}

	@Test
	void countsAgainOnBothClocksAfterWallClockWasSetBackAndItWasExtended() {
		this.clock.jump(Duration.ofHours(-1));
		this.held.extend(this.clock.now().plus(LENGTH));
		this.clock.suspend(LENGTH);
		assertThat(this.held.isHeld()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void endsForTheFirstReasonGiven(LossReason reason) {
		this.held.end(reason);
		this.held.end(LossReason.TAKEN_OVER);
		this.clock.advance(60_000);
		assertThat(this.held.isHeld()).isFalse();
		assertThat(this.held.endedBy()).isEqualTo(reason);
		assertThat(this.held.remaining()).isZero();
		assertThat(this.held.extend(this.clock.now().plus(LENGTH))).isFalse();
	}

	@Test
	void expiresBeforeAnyOtherReasonGivenAfterTheDeadline() {
		this.clock.advance(LENGTH);
		this.held.end(LossReason.TAKEN_OVER);
		assertThat(this.held.endedBy()).isEqualTo(LossReason.EXPIRED);
	}

}
