package io.github.leaderelection.engine;

import java.io.IOException;
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
 * Tests for {@link Term}, and for the {@link Deadline} on which it depends.
 */
class TermTests {

	private static final Duration VALIDITY = Duration.ofSeconds(9);

	private final ManualClock clock = new ManualClock();

	private final Deadline session = new Deadline(this.clock.now().plus(VALIDITY), this.clock);

	private final Term term = term(Runnable::run);

	private final List<LossReason> told = new ArrayList<>();

	private Term term(Executor callbacks) {
		return TestTerm.term("jobs", 8, this.session, this.clock.now().plus(Duration.ofDays(1)), this.clock, callbacks,
				() -> {
				});
	}

	static Stream<Arguments> ends() throws IOException {
		return Scripts.of("engine/rules.md", "Terms");
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
			case "listen" -> present.onLost((words.length > 1) ? (reason) -> {
				throw new IllegalStateException("made on purpose");
			} : this.told::add);
			case "told" -> assertThat(this.told).hasToString(last.equals("nothing") ? "[]"
					: List.of(String.join(" ", words).substring(5).split(" and ")).toString());
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
	void deadlineExpiresAtTheGivenTimeOnlyIfItsOwnClocksAgree() {
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
	void closedRegistrationGetsNoPendingNotification() {
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
	void lossNotificationIsRetriedAfterTheExecutorFails() {
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
