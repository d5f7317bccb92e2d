package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Term}.
 */
class TermTests {

	private static final Duration BELIEF = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Term term = new Term("jobs", "me", 8, this.clock.now().plus(BELIEF), this.clock, Runnable::run,
			EngineObservers.NONE);

	@Test
	void tellsWhatItIs() {
		assertThat(this.term.election()).isEqualTo("jobs");
		assertThat(this.term.candidateId()).isEqualTo("me");
		assertThat(this.term.term()).isEqualTo(8);
		assertThat(this.term).hasToString("Leadership[election=jobs, term=8, candidate=me]");
	}

	@Test
	void isHeldUntilItsDeadline() {
		this.clock.advance(8_999);
		assertThat(this.term.isHeld()).isTrue();
		assertThat(this.term.lossReason()).isEmpty();
		this.term.requireHeld();
		this.clock.advance(1);
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.lossReason()).contains(LossReason.EXPIRED);
		assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(this.term::requireHeld);
	}

	@Test
	void remainsUntilItsDeadlineOnWhicheverClockComesFirst() {
		assertThat(this.term.remaining()).isEqualTo(BELIEF);
		this.clock.jump(Duration.ofSeconds(5));
		assertThat(this.term.remaining()).isEqualTo(Duration.ofSeconds(4));
		this.clock.jump(Duration.ofSeconds(-10));
		this.clock.advance(1_000);
		assertThat(this.term.remaining()).isEqualTo(Duration.ofSeconds(8));
		this.clock.advance(8_000);
		assertThat(this.term.remaining()).isZero();
	}

	@Test
	void isExtendedByRenewal() {
		this.clock.advance(5_000);
		assertThat(this.term.extend(this.clock.now().plus(BELIEF))).isTrue();
		this.clock.advance(8_999);
		assertThat(this.term.isHeld()).isTrue();
		this.clock.advance(1);
		assertThat(this.term.isHeld()).isFalse();
	}

	@Test
	void isNotRevivedByRenewalThatComesLate() {
		this.clock.advance(9_000);
		assertThat(this.term.extend(this.clock.now().plus(BELIEF))).isFalse();
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.lossReason()).contains(LossReason.EXPIRED);
	}

	@Test
	void endsWhenTheMachineWasSuspended() {
		this.clock.suspend(BELIEF);
		assertThat(this.term.isHeld()).isFalse();
	}

	@Test
	void isNotRevivedByWallClockThatIsSetBack() {
		this.clock.jump(BELIEF);
		assertThat(this.term.isHeld()).isFalse();
		this.clock.jump(Duration.ofDays(-1));
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.remaining()).isZero();
		assertThat(this.term.extend(this.clock.now().plus(BELIEF))).isFalse();
		assertThat(this.term.lossReason()).contains(LossReason.EXPIRED);
	}

	@Test
	void isNotProlongedByWallClockThatIsSetBack() {
		this.clock.jump(Duration.ofDays(-1));
		this.clock.advance(BELIEF);
		assertThat(this.term.isHeld()).isFalse();
	}

	@Test
	void endsForTheFirstReasonGiven() {
		this.term.end(LossReason.RESIGNED);
		this.term.end(LossReason.TAKEN_OVER);
		this.clock.advance(60_000);
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.remaining()).isZero();
		assertThat(this.term.lossReason()).contains(LossReason.RESIGNED);
		assertThat(this.term.extend(this.clock.now().plus(BELIEF))).isFalse();
	}

	@Test
	void expiresBeforeAnyOtherReasonGivenAfterTheDeadline() {
		this.clock.advance(9_000);
		this.term.end(LossReason.RESIGNED);
		assertThat(this.term.lossReason()).contains(LossReason.EXPIRED);
	}

}
