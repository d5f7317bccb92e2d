package io.github.leaderelection.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.Scripts;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.SessionState.Phase;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OwnSession}, with a TTL of 10 s: it is renewed every 2.5 s, or every 4
 * s while nothing is held, and is valid for 9 s.
 */
class OwnSessionTests {

	private static final Duration OFTEN = Duration.ofMillis(2_500);

	private static final Duration TTL = Duration.ofSeconds(10);

	private final ManualClock clock = new ManualClock();

	private final AtomicLong numbers = new AtomicLong();

	private final OwnSession own = new OwnSession(ElectionSettings.of(TTL).timing(),
			(timing) -> new SessionProtocol("me", timing, this.numbers::incrementAndGet), this.clock);

	/** The deadline of the first session. */
	private @Nullable Deadline first;

	static Stream<Arguments> lives() throws IOException {
		return Scripts.of("engine/rules.md", "Sessions");
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void lives(String rule, String script) {
		Scripts.run(script, this::step);
	}

	private void step(String step) {
		String[] words = step.split(" ");
		switch (words[0]) {
			case "create" -> create();
			case "send" -> sending();
			case "inserted" -> {
				this.own.inserted(true, now());
				this.first = (this.first != null) ? this.first : this.own.valid();
			}
			case "renewed" -> this.own.renewed(true, (words.length > 1) ? OFTEN.multipliedBy(2) : OFTEN, now());
			case "needed" -> this.own.needed(now());
			case "unanswered" -> this.own.unanswered(now());
			case "shown" -> shown(words[1]);
			case "end" -> this.own.end(LossReason.valueOf(words[1]));
			case "pass" -> this.clock.advance(Long.parseLong(words[1]));
			case "jump" -> this.clock.jump(Duration.ofMillis(Long.parseLong(words[1])));
			case "next" -> assertThat(intent()).hasToString(step.substring(5));
			case "call" -> assertThat(this.own.state(now()).nextCall())
				.isEqualTo(now().plus(Duration.ofMillis(Long.parseLong(words[2]))).nanos());
			case "valid" ->
				assertThat(this.own.valid().at()).isEqualTo(now().plus(Duration.ofMillis(Long.parseLong(words[2]))));
			case "same" -> assertThat(this.own.valid()).isSameAs(this.first);
			case "first" -> assertThat(this.first.endedBy()).hasToString(words[3]);
			case "last" -> assertThat(this.own.lastDeadline().endedBy()).hasToString(words[3]);
			case "stored" -> assertThat(this.own.stored()).isEqualTo(this.own.current()).isEqualTo(session(1, 1));
			case "number" -> assertThat(this.own.current().number()).isEqualTo(Long.parseLong(words[1]));
			case "confirmed" ->
				assertThat(this.own.sinceConfirmed(now())).isEqualTo(Duration.ofMillis(Long.parseLong(words[1])));
			case "failing" -> assertThat(this.own.isFailing()).isTrue();
			case "is" -> assertThat(this.own.isOverdue(now())).isTrue();
			default -> stepWithout(step);
		}
	}

	private void shown(String what) {
		Session current = this.own.current();
		boolean goesOn = this.own.shown(switch (what) {
			case "none" -> null;
			case "ended" -> current.expired();
			default -> session(current.number(), Long.parseLong(what));
		}, OFTEN, now());
		assertThat(goesOn).isEqualTo(this.own.current().number() == current.number());
	}

	private void stepWithout(String step) {
		switch (step) {
			case "not inserted" -> this.own.inserted(false, now());
			case "not renewed" -> this.own.renewed(false, OFTEN, now());
			case "not valid" -> assertThat(this.own.valid()).isNull();
			case "not failing" -> assertThat(this.own.isFailing()).isFalse();
			case "not overdue" -> assertThat(this.own.isOverdue(now())).isFalse();
			case "no deadline" -> assertThat(this.own.lastDeadline()).isNull();
			case "nothing stored" -> assertThat(this.own.stored()).isNull();
			case "never confirmed" -> assertThat(this.own.sinceConfirmed(now())).isNull();
			default -> throw new IllegalArgumentException(step);
		}
	}

	@Test
	void usesTheStrictestTimingOfAllElections() {
		Timing before = this.own.protocol().timing();
		SessionProtocol protocol = this.own.protocol();
		this.own.join(before);
		assertThat(this.own.protocol()).isSameAs(protocol);
		Timing stricter = new Timing(TTL, Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(1),
				Duration.ofSeconds(2), Duration.ofSeconds(60), Duration.ofSeconds(60));
		this.own.join(stricter);
		assertThat(this.own.protocol().timing()).isEqualTo(before.with(stricter));
		assertThat(create().at()).isEqualTo(now().plus(Duration.ofSeconds(7)));
		assertThat(this.own.state(now()).nextCall()).isEqualTo(now().plus(Duration.ofSeconds(1)).nanos());
	}

	private Deadline create() {
		sending();
		step("inserted");
		return this.own.valid();
	}

	private void sending() {
		assertThat(intent()).isNotNull();
		this.own.sending(now());
	}

	private @Nullable Call intent() {
		return Call.next(this.own, now());
	}

	private static Session session(long number, long revision) {
		return new Session("me", number, revision, TTL, null, false);
	}

	private Moment now() {
		return this.clock.now();
	}

	/** The next request to the store. */
	private record Call(Phase phase, Session session) {

		static @Nullable Call next(OwnSession own, Moment now) {
			SessionState state = own.state(now);
			if (!now.isDue(state.nextCall())) {
				return null;
			}
			Session current = own.current();
			return new Call(state.phase(), (state.phase() != Phase.UNCLEAR) ? current.renewed() : current);
		}

		@Override
		public String toString() {
			return switch (this.phase) {
				case NEW -> "insert " + this.session.number();
				case ALIVE -> "renew %d.%d".formatted(this.session.number(), this.session.revision());
				case UNCLEAR -> "read";
			};
		}

	}

}
