package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Term}.
 */
class TermTests {

	private static final Duration VALIDITY = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Deadline session = new Deadline(this.clock.now().plus(VALIDITY), this.clock);

	private final Term term = new Term("jobs", "leases/jobs", "me", 8, this.session,
			this.clock.now().plus(Duration.ofDays(1)), this.clock, Runnable::run, EngineObservers.NONE);

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
	void endIsToldOnce() {
		List<LossReason> told = new ArrayList<>();
		this.term.onLost(told::add);
		assertThat(told).isEmpty();
		this.term.end(LossReason.RESIGNED);
		this.term.end(LossReason.EXPIRED);
		assertThat(told).containsExactly(LossReason.RESIGNED);
		this.term.onLost(told::add);
		assertThat(told).containsExactly(LossReason.RESIGNED, LossReason.RESIGNED);
	}

	@Test
	void endThatNobodyHasNoticedIsToldToWhoeverAsks() {
		List<LossReason> told = new ArrayList<>();
		this.clock.advance(9_000);
		this.term.onLost(told::add);
		assertThat(told).containsExactly(LossReason.EXPIRED);
	}

	@Test
	void endIsNotToldToWhoeverHasLeft() {
		List<LossReason> told = new ArrayList<>();
		this.term.onLost(told::add).close();
		this.term.end(LossReason.RESIGNED);
		assertThat(told).isEmpty();
	}

	@Test
	void endThatIsAboutToBeToldIsNotToldToWhoeverHasLeft() {
		List<Runnable> tasks = new ArrayList<>();
		Term told = new Term("jobs", "jobs", "me", 8, this.session, this.clock.now().plus(Duration.ofDays(1)),
				this.clock, tasks::add, EngineObservers.NONE);
		List<LossReason> reasons = new ArrayList<>();
		Leadership.Registration registration = told.onLost(reasons::add);
		told.end(LossReason.RESIGNED);
		registration.close();
		tasks.forEach(Runnable::run);
		assertThat(tasks).hasSize(1);
		assertThat(reasons).isEmpty();
	}

	@Test
	void callbackThatThrowsKeepsNoOtherFromBeingTold() {
		List<LossReason> told = new ArrayList<>();
		this.term.onLost((reason) -> {
			throw new IllegalStateException("made on purpose");
		});
		this.term.onLost(told::add);
		this.term.end(LossReason.TAKEN_OVER);
		assertThat(told).containsExactly(LossReason.TAKEN_OVER);
	}

	@Test
	void endIsOwedWhileItCannotBeTold() {
		List<Runnable> tasks = new ArrayList<>();
		AtomicInteger refusals = new AtomicInteger(2);
		Term refused = new Term("jobs", "jobs", "me", 8, this.session, this.clock.now().plus(Duration.ofDays(1)),
				this.clock, (task) -> {
					if (refusals.getAndDecrement() > 0) {
						throw new OutOfMemoryError("made on purpose");
					}
					tasks.add(task);
				}, EngineObservers.NONE);
		List<LossReason> told = new ArrayList<>();
		refused.onLost(told::add);
		refused.end(LossReason.EXPIRED);
		refused.end(LossReason.EXPIRED);
		assertThat(refused.isHeld()).isFalse();
		assertThat(tasks).isEmpty();
		refused.end(LossReason.EXPIRED);
		refused.end(LossReason.EXPIRED);
		tasks.forEach(Runnable::run);
		assertThat(told).containsExactly(LossReason.EXPIRED);
	}

	@Test
	void remainsUntilItsLeaseIsToBeSeenAgain() {
		this.term.validUntil(this.clock.now().plus(Duration.ofSeconds(5)));
		assertThat(this.term.remaining()).isEqualTo(Duration.ofSeconds(5));
		this.clock.advance(2_000);
		this.term.validUntil(this.clock.now().plus(Duration.ofSeconds(60)));
		assertThat(this.term.remaining()).isEqualTo(VALIDITY.minusSeconds(2));
	}

	@Test
	void endsIfItsLeaseIsNotSeenAgain() {
		this.term.validUntil(this.clock.now().plus(Duration.ofSeconds(5)));
		this.clock.advance(4_999);
		assertThat(this.term.isHeld()).isTrue();
		this.clock.advance(1);
		// Found by whoever wants to be let in, it stays so.
		assertThat(this.term.enter(false)).isNull();
		this.term.validUntil(this.clock.now().plus(Duration.ofSeconds(5)));
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.remaining()).isZero();
		assertThat(this.term.lossReason()).contains(LossReason.EXPIRED);
	}

	@Test
	void goesOnWithTheSession() {
		this.clock.advance(5_000);
		assertThat(this.session.extend(this.clock.now().plus(VALIDITY))).isTrue();
		this.clock.advance(8_999);
		assertThat(this.term.isHeld()).isTrue();
		assertThat(this.term.remaining()).isEqualTo(Duration.ofMillis(1));
		this.clock.advance(1);
		assertThat(this.term.isHeld()).isFalse();
	}

	@Test
	void endsWithTheSession() {
		this.session.end(LossReason.TAKEN_OVER);
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.isEnding()).isTrue();
		assertThat(this.term.remaining()).isZero();
		assertThat(this.term.lossReason()).contains(LossReason.TAKEN_OVER);
	}

	@Test
	void endsWithoutTheSession() {
		Term other = new Term("reports", "leases/reports", "me", 2, this.session,
				this.clock.now().plus(Duration.ofDays(1)), this.clock, Runnable::run, EngineObservers.NONE);
		this.term.end(LossReason.RESIGNED);
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.remaining()).isZero();
		assertThat(this.term.lossReason()).contains(LossReason.RESIGNED);
		assertThat(other.isHeld()).isTrue();
		assertThat(other.remaining()).isEqualTo(VALIDITY);
		assertThat(other.lossReason()).isEmpty();
		assertThat(this.session.isHeld()).isTrue();
	}

	@Test
	void letsNobodyInOnceItOrTheSessionHasEnded() {
		Term other = new Term("reports", "leases/reports", "me", 2, this.session,
				this.clock.now().plus(Duration.ofDays(1)), this.clock, Runnable::run, EngineObservers.NONE);
		GatedCall call = this.term.enter(false);
		assertThat(call).isNotNull();
		call.close();
		this.term.end(LossReason.RESIGNED);
		assertThat(this.term.enter(false)).isNull();
		this.clock.advance(VALIDITY);
		assertThat(other.enter(false)).isNull();
	}

	@Test
	void endsForTheFirstReasonGiven() {
		this.term.end(LossReason.RESIGNED);
		this.term.end(LossReason.TAKEN_OVER);
		this.clock.advance(60_000);
		assertThat(this.term.isHeld()).isFalse();
		assertThat(this.term.remaining()).isZero();
		assertThat(this.term.lossReason()).contains(LossReason.RESIGNED);
	}

	@Test
	void expiresBeforeAnyOtherReasonGivenAfterTheDeadline() {
		this.clock.advance(9_000);
		this.term.end(LossReason.RESIGNED);
		assertThat(this.term.lossReason()).contains(LossReason.EXPIRED);
	}

	@Test
	void keepsTheReasonThatItHasTold() {
		this.session.end(LossReason.TAKEN_OVER);
		assertThat(this.term.lossReason()).contains(LossReason.TAKEN_OVER);
		this.term.end(LossReason.RESIGNED);
		assertThat(this.term.lossReason()).contains(LossReason.TAKEN_OVER);
	}

}
