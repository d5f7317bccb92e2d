package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LeadershipLostException;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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
					goes on with the session
					  pass 5000; session goes on; pass 8999; held; remains 1; pass 1; lost EXPIRED
					ends with the session, and keeps the reason that it has told
					  session ends TAKEN_OVER; remains 0; lost TAKEN_OVER; end RESIGNED; lost TAKEN_OVER; other lost TAKEN_OVER
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
		Term other = new Term("reports", "leases/reports", "me", 2, this.session,
				this.clock.now().plus(Duration.ofDays(1)), this.clock, Runnable::run, EngineObservers.NONE);
		Scripts.run(script, (step) -> {
			boolean isOther = step.startsWith("other ");
			step(isOther ? other : this.term, (isOther ? step.substring(6) : step).split(" "));
		});
	}

	private void step(Term present, String[] words) {
		String last = words[words.length - 1];
		switch (words[0]) {
			case "pass" -> this.clock.advance(Long.parseLong(last));
			case "end" -> present.end(LossReason.valueOf(last));
			case "seen" -> present.validUntil(this.clock.now().plus(Duration.ofMillis(Long.parseLong(last))));
			case "session" -> {
				if (last.equals("on")) {
					assertThat(this.session.extend(this.clock.now().plus(VALIDITY))).isTrue();
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

}
