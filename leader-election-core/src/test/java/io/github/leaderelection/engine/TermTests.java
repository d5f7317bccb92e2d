package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.Moment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Term}, and for the {@link Deadline} that it stands and falls with.
 */
class TermTests {

	private static final Duration VALIDITY = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Deadline session = new Deadline(this.clock.now().plus(VALIDITY), this.clock);

	private final Term term = term(Runnable::run);

	private Term term(Executor callbacks) {
		return new Term("jobs", "leases/jobs", "me", 8, this.session, this.clock.now().plus(Duration.ofDays(1)),
				this.clock, callbacks, EngineObservers.NONE);
	}

	/** The session is valid for 9 s at first, and there is another term under it. */
	static Stream<Arguments> ends() {
		return Scripts
			.of("""
					is held until its deadline, and lets nobody in from then on
					  pass 8999; held; lets in; remains 1; pass 1; refuses; lost EXPIRED; other refuses; other lost EXPIRED
					remains until its lease is to be seen again
					  seen for 5000; remains 5000; pass 2000; seen for 60000; remains 7000
					ends if its lease is not seen again, whoever finds out
					  seen for 5000; pass 4999; held; pass 1; refuses; seen for 5000; remains 0; lost EXPIRED; other held
					remains until the deadline has come on whichever clock is first
					  remains 9000; jump 5000; remains 4000; jump -10000; pass 1000; remains 8000; pass 8000; remains 0; lost EXPIRED
					is not revived by a renewal that is acknowledged late
					  pass 9000; session can't go on; lost EXPIRED
					has expired when the machine was suspended
					  suspend 9000; lost EXPIRED; session can't go on
					is not revived by a wall clock that is set back, nor is its session
					  jump 9000; lost EXPIRED; jump -86400000; lost EXPIRED; other lost EXPIRED; session can't go on
					is not prolonged by a wall clock that is set back
					  jump -86400000; pass 9000; lost EXPIRED
					counts again on both clocks when the session goes on after the wall clock was set back
					  jump -3600000; session goes on; suspend 9000; lost EXPIRED
					goes on with the session
					  pass 5000; session goes on; pass 8999; held; remains 1; pass 1; lost EXPIRED
					ends with the session, and keeps the reason that it has told
					  session ends TAKEN_OVER; remains 0; lost TAKEN_OVER; end RESIGNED; lost TAKEN_OVER; other lost TAKEN_OVER
					ends for the first reason that is given to the session, unless the deadline has come before
					  session ends RESIGNED; session ends TAKEN_OVER; pass 60000; lost RESIGNED; session can't go on
					expires before any reason that is given to the session after the deadline
					  pass 9000; session ends TAKEN_OVER; lost EXPIRED; other lost EXPIRED
					ends without the session
					  end RESIGNED; remains 0; lost RESIGNED; refuses; other held; other remains 9000
					ends for the first reason that is given
					  end RESIGNED; end TAKEN_OVER; pass 60000; remains 0; lost RESIGNED
					expires before any reason that is given after the deadline
					  pass 9000; end RESIGNED; lost EXPIRED
					""");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void ends(String rule, String script) {
		Term other = term(Runnable::run);
		Scripts.run(script, (step) -> {
			boolean isOther = step.startsWith("other ");
			step(isOther ? other : this.term, (isOther ? step.substring(6) : step).split(" "));
		});
	}

	private void step(Term present, String[] words) {
		String last = words[words.length - 1];
		switch (words[0]) {
			case "pass" -> this.clock.advance(Long.parseLong(last));
			case "jump" -> this.clock.jump(Duration.ofMillis(Long.parseLong(last)));
			case "suspend" -> this.clock.suspend(Duration.ofMillis(Long.parseLong(last)));
			case "end" -> present.end(LossReason.valueOf(last));
			case "seen" -> present.validUntil(this.clock.now().plus(Duration.ofMillis(Long.parseLong(last))));
			case "session" -> {
				if (last.equals("on")) {
					Moment later = this.clock.now().plus(VALIDITY);
					assertThat(this.session.extend(later)).isEqualTo(words[1].equals("goes"));
					assertThat(this.session.at().equals(later)).isEqualTo(words[1].equals("goes"));
				}
				else {
					this.session.end(LossReason.valueOf(last));
				}
			}
			case "held" -> {
				assertThat(present.isHeld()).isTrue();
				assertThat(present.lossReason()).isEmpty();
				present.requireHeld();
			}
			case "lost" -> {
				assertThat(present.isHeld()).isFalse();
				assertThat(present.isEnding()).isTrue();
				assertThat(present.lossReason()).contains(LossReason.valueOf(last));
				assertThatExceptionOfType(LeadershipLostException.class).isThrownBy(present::requireHeld);
			}
			case "remains" -> assertThat(present.remaining()).isEqualTo(Duration.ofMillis(Long.parseLong(last)));
			case "refuses" -> assertThat(present.enter(false)).isNull();
			case "lets" -> {
				try (GatedCall call = present.enter(false)) {
					assertThat(call).isNotNull();
				}
			}
			default -> throw new IllegalArgumentException(words[0]);
		}
	}

	@Test
	void deadlineIsAskedForGivenTimeAndReadsTheClocksItselfBeforeItIsOver() {
		Moment now = this.clock.now();
		Moment deadline = now.plus(VALIDITY);
		assertThat(this.session.isHeldAt(deadline.nanos(), deadline.millis())).isTrue();
		this.clock.advance(VALIDITY);
		assertThat(this.session.isHeldAt(now.nanos(), now.millis())).isTrue();
		assertThat(this.session.isHeldAt(deadline.nanos(), now.millis())).isFalse();
		assertThat(this.session.isHeldAt(now.nanos(), now.millis())).isFalse();
		assertThat(this.session.isHeldAt(-1, -1)).isFalse();
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
		Term told = term(tasks::add);
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
		Term refused = term((task) -> {
			if (refusals.getAndDecrement() > 0) {
				throw new OutOfMemoryError("made on purpose");
			}
			tasks.add(task);
		});
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

}
