package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.SessionState.Phase;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

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

	@Test
	void beginsWithoutDeadline() {
		assertThat(this.own.valid()).isNull();
		assertThat(this.own.lastDeadline()).isNull();
		assertThat(this.own.stored()).isNull();
		assertThat(this.own.sinceConfirmed(now())).isNull();
		assertThat(this.own.isOverdue(now())).isFalse();
		assertThat(this.own.state(now()).nextCall()).isEqualTo(now().nanos());
		this.own.end(LossReason.TAKEN_OVER);
		assertThat(intent()).isEqualTo(insert(1));
	}

	@Test
	void vouchesOnceItIsCreated() {
		Deadline deadline = create();
		assertThat(this.own.current().number()).isEqualTo(1);
		assertThat(deadline.at()).isEqualTo(now().plus(Duration.ofSeconds(9)));
		assertThat(this.own.valid()).isSameAs(deadline);
		assertThat(this.own.stored()).isEqualTo(session(1, 1));
		assertThat(this.own.current()).isEqualTo(session(1, 1));
		assertThat(this.own.sinceConfirmed(now())).isZero();
		assertThat(this.own.state(now()).nextCall()).isEqualTo(now().plus(OFTEN).nanos());
	}

	@Test
	void isLeftWhenItsCreationWasAnsweredTooLate() {
		sending();
		this.clock.advance(9_000);
		this.own.inserted(true, now());
		assertThat(this.own.valid()).isNull();
		assertThat(intent()).isEqualTo(insert(2));
	}

	@Test
	void isExtendedByRenewals() {
		Deadline deadline = create();
		this.clock.advance(2_500);
		assertThat(sending()).isEqualTo(renewal(1, 2));
		Moment sentAt = now();
		this.clock.advance(500);
		this.own.renewed(true, OFTEN, now());
		assertThat(this.own.valid()).isSameAs(deadline);
		assertThat(deadline.at()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
		assertThat(this.own.sinceConfirmed(now())).isEqualTo(Duration.ofMillis(500));
		assertThat(this.own.state(now()).nextCall()).isEqualTo(sentAt.plus(OFTEN).nanos());
	}

	@Test
	void losesEverythingWhenItHasEnded() {
		assertIsOver(session(1, 1).expired());
	}

	private void assertIsOver(@Nullable Session stored) {
		Deadline deadline = create();
		this.clock.advance(2_500);
		sending();
		this.own.renewed(false, OFTEN, now());
		assertThat(intent().phase()).isEqualTo(Phase.UNCLEAR);
		assertThat(this.own.shown(stored, OFTEN, now())).isFalse();
		assertThat(this.own.valid()).isNull();
		assertThat(this.own.lastDeadline()).isSameAs(deadline);
		assertThat(deadline.endedBy()).isEqualTo(LossReason.TAKEN_OVER);
		assertThat(sending()).isEqualTo(insert(2));
		this.own.inserted(true, now());
		assertThat(this.own.valid()).isNotSameAs(deadline);
		assertThat(this.own.current().number()).isEqualTo(2);
		assertThat(deadline.isHeld()).isFalse();
	}

	@Test
	void isLeftWhenItsDeadlineHasPassed() {
		create();
		this.clock.advance(2_500);
		sending();
		this.own.unanswered(now());
		this.clock.advance(6_499);
		assertThat(intent()).isEqualTo(renewal(1, 2));
		this.clock.advance(1);
		assertThat(this.own.state(now()).nextCall()).isEqualTo(now().nanos());
		assertThat(intent()).isEqualTo(insert(2));
	}

	@Test
	void isGoodForNothingBeforeItWasRenewedIfTheLastOneCouldNotBe() {
		create();
		this.clock.advance(2_500);
		sending();
		this.own.unanswered(now());
		this.clock.advance(6_500);
		assertThat(sending()).isEqualTo(insert(2));
		this.own.inserted(true, now());
		assertThat(this.own.valid()).isNull();
		assertThat(this.own.isFailing()).isTrue();
		assertThat(sending()).isEqualTo(renewal(2, 2));
		this.own.renewed(true, OFTEN, now());
		assertThat(this.own.current().number()).isEqualTo(2);
		assertThat(this.own.isFailing()).isFalse();
	}

	@Test
	void revivesNothingByRenewalThatIsAcknowledgedLate() {
		Deadline deadline = create();
		this.clock.advance(2_500);
		sending();
		this.clock.advance(6_500);
		assertThat(this.own.valid()).isNull();
		this.own.renewed(true, OFTEN, now());
		assertThat(deadline.endedBy()).isEqualTo(LossReason.EXPIRED);
		assertThat(this.own.valid()).isNull();
		assertThat(intent()).isEqualTo(insert(2));
	}

	@Test
	void wallClockThatIsSetForwardEndsItForGood() {
		Deadline deadline = create();
		this.clock.jump(Duration.ofSeconds(9));
		assertThat(deadline.isHeld()).isFalse();
		this.clock.jump(Duration.ofSeconds(-9));
		assertThat(this.own.valid()).isNull();
		assertThat(intent()).isEqualTo(insert(2));
	}

	@Test
	void endsItsDeadlineOnRequest() {
		Deadline deadline = create();
		this.own.end(LossReason.SHUTDOWN);
		assertThat(deadline.endedBy()).isEqualTo(LossReason.SHUTDOWN);
		assertThat(this.own.valid()).isNull();
	}

	@Test
	void isOverdueWhenRenewalThatWasDueHasHadItsTime() {
		create();
		this.clock.advance(4_999);
		assertThat(this.own.isOverdue(now())).isFalse();
		this.clock.advance(1);
		assertThat(this.own.isOverdue(now())).isTrue();
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

	@Test
	void trustsOnlyWhatOthersMustTrustWhateverHappens() {
		for (int seed = 0; seed < 500; seed++) {
			new Life(new Dice(seed)).live();
		}
	}

	private Deadline create() {
		sending();
		this.own.inserted(true, now());
		return this.own.valid();
	}

	private Call sending() {
		Call call = intent();
		this.own.sending(now());
		return call;
	}

	private @Nullable Call intent() {
		return Call.next(this.own, now());
	}

	private static Call insert(long number) {
		return new Call(Phase.NEW, session(number, 1));
	}

	private static Call renewal(long number, long revision) {
		return new Call(Phase.ALIVE, session(number, revision));
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

	}

	/** A process, and its session, which others end and remove. */
	private static final class Life {

		private final ManualClock clock = new ManualClock();

		private final AtomicLong numbers = new AtomicLong();

		private final OwnSession own = new OwnSession(ElectionSettings.of(TTL).timing(),
				(timing) -> new SessionProtocol("me", timing, this.numbers::incrementAndGet), this.clock);

		private final Dice dice;

		private final Set<Long> left = new HashSet<>();

		/** What was sent, failed, and has not arrived yet. */
		private @Nullable Call late;

		private @Nullable Session stored;

		/** When what is stored was stored. */
		private Moment storedAt = this.clock.now();

		Life(Dice dice) {
			this.dice = dice;
		}

		void live() {
			for (int step = 0; step < 100; step++) {
				this.clock.advance(this.dice.between(100, 3_000));
				if (this.late != null && this.dice.onceIn(3)) {
					arrives(this.late);
					this.late = null;
				}
				if (this.stored != null && this.dice.onceIn(12)) {
					this.left.add(this.stored.number());
					this.stored = this.dice.onceIn(2) ? null : this.stored.expired();
				}
				Call call = Call.next(this.own, this.clock.now());
				if (call != null) {
					make(call);
				}
				check();
			}
		}

		private void make(Call call) {
			if (call.phase() != Phase.UNCLEAR) {
				this.own.sending(this.clock.now());
			}
			if (call.phase() == Phase.NEW) {
				assertThat(this.left.add(call.session().number())).as("a number that is new").isTrue();
			}
			this.clock.advance(this.dice.between(0, 1_000));
			boolean arrives = !this.dice.onceIn(4);
			boolean done = arrives && arrives(call);
			this.clock.advance(this.dice.between(0, 1_000));
			if (!arrives || this.dice.onceIn(4)) {
				this.late = arrives ? null : call;
				this.own.unanswered(this.clock.now());
				return;
			}
			switch (call.phase()) {
				case NEW -> this.own.inserted(done, this.clock.now());
				case ALIVE -> this.own.renewed(done, OFTEN, this.clock.now());
				case UNCLEAR -> {
					boolean unused = this.own.shown(shown(call.session().id()), OFTEN, this.clock.now());
				}
			}
		}

		private @Nullable Session shown(String id) {
			return (this.stored != null && this.stored.id().equals(id)) ? this.stored : null;
		}

		private boolean arrives(Call call) {
			Session present = shown(call.session().id());
			Session wanted = null;
			if (call.phase() == Phase.NEW && present == null) {
				wanted = call.session();
			}
			if (call.phase() == Phase.ALIVE && present != null && !present.ended()
					&& present.renewed().isSameRevisionAs(call.session())) {
				wanted = call.session();
			}
			if (wanted == null) {
				return false;
			}
			this.stored = wanted;
			this.storedAt = this.clock.now();
			return true;
		}

		/**
		 * Others end it a ttl after they have seen it, which is not before it was stored.
		 */
		private void check() {
			Deadline deadline = this.own.valid();
			if (deadline != null && this.stored != null && this.own.current().number() == this.stored.number()) {
				assertThat(deadline.at().nanos()).isLessThan(this.storedAt.plus(TTL).nanos());
			}
		}

	}

}
