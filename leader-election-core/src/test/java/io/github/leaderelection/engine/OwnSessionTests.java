package io.github.leaderelection.engine;

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
 * Tests for {@link OwnSession}, with a ttl of 10 s: it renews every 2.5 s, or every 4 s
 * while nothing is held, and vouches for 9 s.
 */
class OwnSessionTests {

	private static final Duration OFTEN = Duration.ofMillis(2_500);

	private static final Duration TTL = Duration.ofSeconds(10);

	private final ManualClock clock = new ManualClock();

	private final AtomicLong numbers = new AtomicLong();

	private final OwnSession own = new OwnSession(ElectionSettings.of(TTL).timing(),
			(timing) -> new SessionProtocol("me", timing, this.numbers::incrementAndGet), this.clock);

	/** What the first session has vouched for. */
	private @Nullable Deadline first;

	static Stream<Arguments> lives() {
		return Scripts
			.of("""
					begins without a deadline
					  not valid; no deadline; nothing stored; never confirmed; not overdue; call in 0; end TAKEN_OVER; next insert 1
					vouches once it is created
					  send; inserted; valid for 9000; stored 1.1; number 1; confirmed 0 ago; call in 2500
					is left when its creation was answered too late
					  send; pass 9000; inserted; not valid; next insert 2
					is extended by renewals, from when they were sent
					  create; pass 2500; next renew 1.2; send; pass 500; renewed; valid for 8500; same deadline; confirmed 500 ago
					  call in 2000
					loses everything when it has ended
					  create; pass 2500; send; not renewed; next read; shown ended; not valid; last ended by TAKEN_OVER
					  next insert 2; send; inserted; valid for 9000; number 2; first ended by TAKEN_OVER
					is left when its deadline has passed
					  create; pass 2500; send; unanswered; pass 6499; next renew 1.2; pass 1; call in 0; next insert 2
					is good for nothing before it was renewed if the last one could not be
					  create; pass 2500; send; unanswered; pass 6500; next insert 2; send; inserted; not valid; failing
					  next renew 2.2; send; renewed; number 2; not failing
					is not revived by a renewal that is acknowledged late
					  create; pass 2500; send; pass 6500; not valid; renewed; last ended by EXPIRED; not valid; next insert 2
					ends for good when the wall clock is set forward
					  create; jump 9000; last ended by EXPIRED; jump -9000; not valid; next insert 2
					counts from before a revision was first sent, however often it was sent
					  send; pass 400; inserted; confirmed 400 ago; valid for 8600; call in 2100; pass 2100; send; pass 700; unanswered
					  confirmed 3200 ago; call in 625; pass 625; send; pass 100; renewed; confirmed 1425 ago; valid for 7575; call in 1075
					never goes on under what may still be inserted
					  send; unanswered; failing; call in 625; pass 625; next insert 2; send; not inserted; not failing; call in 0; next insert 3
					goes on when it reads that it was renewed
					  create; pass 2500; send; pass 300; not renewed; call in 0; next read; shown 2; number 1; confirmed 300 ago
					  valid for 8700; pass 2200; next renew 1.3
					goes on as before when it reads that it was not renewed yet
					  create; pass 2500; send; pass 300; not renewed; shown 1; confirmed 2800 ago; valid for 6200; call in 625
					  pass 625; send; renewed; confirmed 925 ago; pass 1575; not renewed; shown 2; call in 625
					ends when it reads what only another can have made
					  create; pass 2500; send; not renewed; shown 3; next insert 2; create; pass 2500; send; not renewed; shown 0
					  next insert 3; create; pass 2500; send; not renewed; shown none; next insert 4; create; pass 2500; not renewed
					  shown 2; next insert 5; confirmed 2500 ago
					is renewed as often as others expect once it is needed
					  needed; call in 0; create; pass 2500; send; renewed rarely; call in 5000; pass 1000; needed; call in 1500; pass 1500
					  send; renewed rarely; pass 4900; needed; call in -2400; not renewed; next read; needed; call in 0; next read
					ends on request
					  create; end SHUTDOWN; last ended by SHUTDOWN; not valid
					is overdue when a renewal that was due has had its time
					  create; pass 4999; not overdue; pass 1; is overdue
					""");
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
	void goesAtPaceThatIsGoodForAll() {
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

	/** What is to be asked next. */
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
