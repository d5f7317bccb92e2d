package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.LossReason;
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

	private static final Duration RARELY = Duration.ofSeconds(4);

	private static final Duration TTL = Duration.ofSeconds(10);

	private final ManualClock clock = new ManualClock();

	private final AtomicLong numbers = new AtomicLong();

	private final OwnSession own = new OwnSession(Rhythm.of(ElectionSettings.of(TTL)),
			(rhythm) -> new SessionProtocol("me", rhythm), this.numbers::incrementAndGet, this.clock);

	@Test
	void beginsWithoutBelief() {
		assertThat(this.own.belief()).isNull();
		assertThat(this.own.lastBelief()).isNull();
		assertThat(this.own.stored()).isNull();
		assertThat(this.own.sinceConfirmed(now())).isNull();
		assertThat(this.own.isOverdue(now())).isFalse();
		assertThat(this.own.nextCall(now())).isEqualTo(now().nanos());
		this.own.end(LossReason.TAKEN_OVER);
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(1, 1)));
	}

	@Test
	void vouchesOnceItIsCreated() {
		Belief belief = create();
		assertThat(belief.session()).isEqualTo(1);
		assertThat(belief.deadline()).isEqualTo(now().plus(Duration.ofSeconds(9)));
		assertThat(this.own.belief()).isSameAs(belief);
		assertThat(this.own.stored()).isEqualTo(session(1, 1));
		assertThat(this.own.current()).isEqualTo(session(1, 1));
		assertThat(this.own.sinceConfirmed(now())).isZero();
		assertThat(this.own.nextCall(now())).isEqualTo(now().plus(OFTEN).nanos());
	}

	@Test
	void vouchesFromBeforeItWasSent() {
		sending();
		Moment sentAt = now();
		this.clock.advance(1_000);
		this.own.created(true, now());
		assertThat(this.own.belief().deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
		assertThat(this.own.sinceConfirmed(now())).isEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void isLeftWhenItsCreationWasNotAcknowledged() {
		sending();
		this.own.failed(now());
		assertThat(this.own.belief()).isNull();
		assertThat(intent()).isNull();
		this.clock.advance(625);
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(2, 1)));
	}

	@Test
	void isLeftWhenThereIsOneOfItsNumber() {
		sending();
		this.own.created(false, now());
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(2, 1)));
	}

	@Test
	void isLeftWhenItsCreationWasAnsweredTooLate() {
		sending();
		this.clock.advance(9_000);
		this.own.created(true, now());
		assertThat(this.own.belief()).isNull();
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(2, 1)));
	}

	@Test
	void isLeftWhenTheWallClockWasSetForwardMeanwhile() {
		sending();
		this.clock.jump(Duration.ofSeconds(9));
		this.own.created(true, now());
		assertThat(this.own.belief()).isNull();
	}

	@Test
	void isExtendedByRenewals() {
		Belief belief = create();
		this.clock.advance(2_500);
		assertThat(sending()).isEqualTo(new SessionIntent.Renew(session(1, 2)));
		Moment sentAt = now();
		this.clock.advance(500);
		this.own.renewed(true, OFTEN, now());
		assertThat(this.own.belief()).isSameAs(belief);
		assertThat(belief.deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
		assertThat(this.own.sinceConfirmed(now())).isEqualTo(Duration.ofMillis(500));
		assertThat(this.own.nextCall(now())).isEqualTo(sentAt.plus(OFTEN).nanos());
	}

	@Test
	void renewsMoreRarelyWhileNothingIsToBeVouchedFor() {
		create();
		renew(RARELY);
		assertThat(this.own.nextCall(now())).isEqualTo(now().plus(RARELY).nanos());
	}

	@Test
	void hurriesWhenSomethingIsToBeVouchedFor() {
		create();
		renew(RARELY);
		Moment sentAt = now();
		this.clock.advance(1_000);
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(sentAt.plus(OFTEN).nanos());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(sentAt.plus(OFTEN).nanos());
	}

	@Test
	void doesNotWaitLongerBecauseItHurries() {
		create();
		this.own.failed(now());
		long soon = this.own.nextCall(now());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(soon);
	}

	@Test
	void doesNotHurryToBeCreated() {
		sending();
		this.own.failed(now());
		long soon = this.own.nextCall(now());
		this.own.hurry(now());
		assertThat(this.own.nextCall(now())).isEqualTo(soon);
	}

	@Test
	void sendsRenewalWithoutAnswerAgainAndCountsFromTheFirst() {
		Belief belief = create();
		this.clock.advance(2_500);
		assertThat(sending()).isEqualTo(new SessionIntent.Renew(session(1, 2)));
		Moment first = now();
		this.own.failed(now());
		assertThat(intent()).isNull();
		this.clock.advance(625);
		assertThat(sending()).isEqualTo(new SessionIntent.Renew(session(1, 2)));
		this.clock.advance(100);
		this.own.renewed(true, OFTEN, now());
		assertThat(belief.deadline()).isEqualTo(first.plus(Duration.ofSeconds(9)));
		assertThat(this.own.nextCall(now())).isEqualTo(first.plus(OFTEN).nanos());
	}

	@Test
	void readsWhatIsThereWhenARenewalIsRefusedAndFindsItsOwn() {
		Belief belief = create();
		this.clock.advance(2_500);
		sending();
		Moment first = now();
		this.own.failed(now());
		this.clock.advance(625);
		sending();
		this.own.renewed(false, OFTEN, now());
		assertThat(belief.isHeld()).isTrue();
		assertThat(sending()).isEqualTo(new SessionIntent.Read("me#1"));
		assertThat(this.own.read(session(1, 2), OFTEN, now())).isTrue();
		assertThat(belief.deadline()).isEqualTo(first.plus(Duration.ofSeconds(9)));
		this.clock.advance(2_500);
		assertThat(intent()).isEqualTo(new SessionIntent.Renew(session(1, 3)));
	}

	@Test
	void renewsAgainWhenAReadIsBehind() {
		Belief belief = create();
		this.clock.advance(2_500);
		sending();
		this.own.renewed(false, OFTEN, now());
		sending();
		assertThat(this.own.read(session(1, 1), OFTEN, now())).isTrue();
		assertThat(belief.isHeld()).isTrue();
		this.clock.advance(625);
		assertThat(intent()).isEqualTo(new SessionIntent.Renew(session(1, 2)));
	}

	@Test
	void losesEverythingWhenItHasEnded() {
		assertIsOver(session(1, 1).expired());
	}

	@Test
	void losesEverythingWhenItIsMissing() {
		assertIsOver(null);
	}

	@Test
	void losesEverythingWhenThereIsTombstone() {
		assertIsOver(session(1, 0));
	}

	private void assertIsOver(@Nullable Session stored) {
		Belief belief = create();
		this.clock.advance(2_500);
		sending();
		this.own.renewed(false, OFTEN, now());
		sending();
		assertThat(this.own.read(stored, OFTEN, now())).isFalse();
		assertThat(this.own.belief()).isNull();
		assertThat(this.own.lastBelief()).isSameAs(belief);
		assertThat(belief.endedBy()).isEqualTo(LossReason.TAKEN_OVER);
		assertThat(sending()).isEqualTo(new SessionIntent.Create(session(2, 1)));
		this.own.created(true, now());
		assertThat(this.own.belief()).isNotSameAs(belief);
		assertThat(this.own.belief().session()).isEqualTo(2);
		assertThat(belief.isHeld()).isFalse();
	}

	@Test
	void isLeftWhenItsDeadlineHasPassed() {
		create();
		this.clock.advance(2_500);
		sending();
		this.own.failed(now());
		this.clock.advance(6_499);
		assertThat(intent()).isEqualTo(new SessionIntent.Renew(session(1, 2)));
		this.clock.advance(1);
		assertThat(this.own.nextCall(now())).isEqualTo(now().nanos());
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(2, 1)));
	}

	@Test
	void isGoodForNothingBeforeItWasRenewedIfTheLastOneCouldNotBe() {
		create();
		this.clock.advance(2_500);
		sending();
		this.own.failed(now());
		this.clock.advance(6_500);
		assertThat(sending()).isEqualTo(new SessionIntent.Create(session(2, 1)));
		this.own.created(true, now());
		assertThat(this.own.belief()).isNull();
		assertThat(this.own.isFailing()).isTrue();
		assertThat(sending()).isEqualTo(new SessionIntent.Renew(session(2, 2)));
		this.own.renewed(true, OFTEN, now());
		assertThat(this.own.belief().session()).isEqualTo(2);
		assertThat(this.own.isFailing()).isFalse();
	}

	@Test
	void revivesNothingByRenewalThatIsAcknowledgedLate() {
		Belief belief = create();
		this.clock.advance(2_500);
		sending();
		this.clock.advance(6_500);
		assertThat(this.own.belief()).isNull();
		this.own.renewed(true, OFTEN, now());
		assertThat(belief.endedBy()).isEqualTo(LossReason.EXPIRED);
		assertThat(this.own.belief()).isNull();
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(2, 1)));
	}

	@Test
	void wallClockThatIsSetForwardEndsItForGood() {
		Belief belief = create();
		this.clock.jump(Duration.ofSeconds(9));
		assertThat(belief.isHeld()).isFalse();
		this.clock.jump(Duration.ofSeconds(-9));
		assertThat(this.own.belief()).isNull();
		assertThat(intent()).isEqualTo(new SessionIntent.Create(session(2, 1)));
	}

	@Test
	void endsItsBeliefOnRequest() {
		Belief belief = create();
		this.own.end(LossReason.SHUTDOWN);
		assertThat(belief.endedBy()).isEqualTo(LossReason.SHUTDOWN);
		assertThat(this.own.belief()).isNull();
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
		Rhythm before = this.own.protocol().rhythm();
		SessionProtocol protocol = this.own.protocol();
		this.own.join(before);
		assertThat(this.own.protocol()).isSameAs(protocol);
		Rhythm stricter = new Rhythm(TTL, Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofSeconds(1),
				Duration.ofSeconds(2));
		this.own.join(stricter);
		assertThat(this.own.protocol().rhythm()).isEqualTo(before.with(stricter));
		assertThat(create().deadline()).isEqualTo(now().plus(Duration.ofSeconds(7)));
		assertThat(this.own.nextCall(now())).isEqualTo(now().plus(Duration.ofSeconds(1)).nanos());
	}

	@Test
	void believesOnlyWhatOthersMustBelieveWhateverHappens() {
		for (int seed = 0; seed < 500; seed++) {
			new Life(new Dice(seed)).live();
		}
	}

	private Belief create() {
		sending();
		this.own.created(true, now());
		return this.own.belief();
	}

	private void renew(Duration interval) {
		this.clock.advance(2_500);
		sending();
		this.own.renewed(true, interval, now());
	}

	private SessionIntent sending() {
		SessionIntent intent = intent();
		this.own.sending(intent, now());
		return intent;
	}

	private @Nullable SessionIntent intent() {
		return this.own.intent(now());
	}

	private static Session session(long number, long revision) {
		return new Session("me", number, revision, TTL, null, false);
	}

	private Moment now() {
		return this.clock.now();
	}

	/** A process, and its session, which others end and remove. */
	private static final class Life {

		private final ManualClock clock = new ManualClock();

		private final AtomicLong numbers = new AtomicLong();

		private final OwnSession own = new OwnSession(Rhythm.of(ElectionSettings.of(TTL)),
				(rhythm) -> new SessionProtocol("me", rhythm), this.numbers::incrementAndGet, this.clock);

		private final Dice dice;

		private final Set<Long> left = new HashSet<>();

		/** What was sent, failed, and has not arrived yet. */
		private @Nullable SessionIntent late;

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
				SessionIntent intent = this.own.intent(this.clock.now());
				if (intent != null) {
					call(intent);
				}
				check();
			}
		}

		private void call(SessionIntent intent) {
			this.own.sending(intent, this.clock.now());
			if (intent instanceof SessionIntent.Create create) {
				assertThat(this.left.add(create.first().number())).as("a number that is new").isTrue();
			}
			this.clock.advance(this.dice.between(0, 1_000));
			boolean arrives = !this.dice.onceIn(4);
			boolean done = arrives && arrives(intent);
			this.clock.advance(this.dice.between(0, 1_000));
			if (!arrives || this.dice.onceIn(4)) {
				this.late = arrives ? null : intent;
				this.own.failed(this.clock.now());
			}
			else if (intent instanceof SessionIntent.Create) {
				this.own.created(done, this.clock.now());
			}
			else if (intent instanceof SessionIntent.Renew) {
				this.own.renewed(done, OFTEN, this.clock.now());
			}
			else {
				boolean unused = this.own.read(shown(((SessionIntent.Read) intent).id()), OFTEN, this.clock.now());
			}
		}

		private @Nullable Session shown(String id) {
			return (this.stored != null && this.stored.id().equals(id)) ? this.stored : null;
		}

		private boolean arrives(SessionIntent intent) {
			Session wanted = null;
			if (intent instanceof SessionIntent.Create create && shown(create.first().id()) == null) {
				wanted = create.first();
			}
			if (intent instanceof SessionIntent.Renew renew) {
				Session present = shown(renew.renewed().id());
				wanted = (present != null && !present.ended() && present.renewed().isSameRevisionAs(renew.renewed()))
						? renew.renewed() : null;
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
			Belief belief = this.own.belief();
			if (belief != null && this.stored != null && belief.session() == this.stored.number()) {
				assertThat(belief.deadline().nanos()).isLessThan(this.storedAt.plus(TTL).nanos());
			}
		}

	}

}
