package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.HeartbeatProtocol.Life;
import io.github.leaderelection.engine.HeartbeatState.Phase;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HeartbeatProtocol}, rule by rule, as candidate {@code me}. Its ttl is
 * 10 s: it beats every 2.5 s, believes for 9 s, and tries again after 625 ms.
 */
class HeartbeatProtocolTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration HEAD_START = Duration.ofMillis(300);

	private final ManualClock clock = new ManualClock();

	private final Rhythm rhythm = Rhythm.of(ElectionSettings.of(TTL));

	private final HeartbeatProtocol protocol = new HeartbeatProtocol("me", this.rhythm);

	private HeartbeatState state = this.protocol.begin(this.clock.now());

	@Nested
	class Beating {

		@Test
		void isNamedAfterTheCandidateAndItsTtl() {
			assertThat(protocol().id()).isEqualTo("me/10000");
			assertThat(protocol().rhythm()).isSameAs(HeartbeatProtocolTests.this.rhythm);
			assertThat(Heartbeat.id("me", TTL)).isEqualTo(protocol().id());
		}

		@Test
		void isEnteredBeforeAnythingElse() {
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Enter(own(1, 1)));
		}

		@Test
		void beatsEachIntervalFromBeforeTheLastWasSent() {
			Moment sentAt = now();
			pass(400);
			become(protocol().entered(state().sent(), sentAt));
			pass(2_099);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(1, 2)));
			sentAt = now();
			pass(500);
			become(protocol().acknowledged(state().sent(), Duration.ofSeconds(5), sentAt));
			pass(4_499);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(1, 3)));
		}

		@Test
		void beatsUnderNewNumberEachTimeEvenIfTheLastMayStillArrive() {
			enter();
			Set<Long> numbers = new HashSet<>();
			for (int attempt = 0; attempt < 20; attempt++) {
				pass(2_500);
				HeartbeatIntent.Beat beat = (HeartbeatIntent.Beat) intent();
				assertThat(beat.next().epoch()).isEqualTo(1);
				assertThat(numbers.add(beat.next().beat())).isTrue();
				become(protocol().failed(state().sent(), now()));
			}
		}

		@Test
		void triesAgainSoonAfterFailure() {
			enter();
			pass(2_500);
			become(protocol().failed(state().sent(), now()));
			assertThat(state().phase()).isEqualTo(Phase.BEATING);
			assertThat(intent()).isNull();
			pass(624);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isInstanceOf(HeartbeatIntent.Beat.class);
		}

		@Test
		void anAcknowledgementChangesNothingOfWhatIsUnclear() {
			enter();
			become(protocol().left(state(), now()));
			assertThat(protocol().acknowledged(state(), Duration.ofSeconds(5), now())).isEqualTo(state());
		}

	}

	@Nested
	class Entering {

		@Test
		void looksWhatBecameOfAnAttemptThatFailed() {
			failToEnter();
			assertThat(intent()).isNull();
			pass(624);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
		}

		@Test
		void goesOnAboveWhatHasArrivedMeanwhile() {
			failToEnter();
			pass(625);
			Heartbeat arrived = own(1, 1);
			become(protocol().looked(state(), arrived, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Raise(arrived, 2));
		}

		@Test
		void goesOnAboveWhatItTriesToEnterIfSomebodyElseHasMadeJustThat() {
			failToEnter();
			pass(625);
			Heartbeat made = own(1, 4_711);
			become(protocol().looked(state(), made, now()));
			assertThat(intent()).as("its attempt may come when that was ended and removed")
				.isEqualTo(new HeartbeatIntent.Raise(made, 2));
		}

		@Test
		void goesOnUnderLaterEpochIfWhatHasArrivedWasEndedMeanwhile() {
			failToEnter();
			pass(625);
			become(protocol().looked(state(), own(5, 1), now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(5, 2)));
			become(protocol().left(state().sent(), now()));
			become(protocol().looked(state(), null, now()));
			assertThat(((HeartbeatIntent.Enter) intent()).first().epoch()).isGreaterThan(5);
		}

		@Test
		void triesAgainUnderLaterEpochSinceTheFirstMayStillArrive() {
			failToEnter();
			pass(625);
			become(protocol().looked(state(), null, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Enter(own(2, 2)));
		}

		@Test
		void raisesWhatHasArrivedLateToTheEpochOfTheNextAttempt() {
			failToEnter();
			pass(625);
			become(protocol().looked(state(), null, now()));
			become(protocol().occupied(state().sent(), now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
			Heartbeat late = own(1, 1);
			become(protocol().looked(state(), late, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Raise(late, 2));
			become(protocol().raised(state(), true, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(2, 3)));
		}

		@Test
		void looksAgainIfWhatIsOutdatedHasChangedMeanwhile() {
			findOutdated();
			become(protocol().raised(state(), false, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
			Heartbeat other = own(2, 9);
			become(protocol().looked(state(), other, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Raise(other, 3));
		}

		@Test
		void looksAgainIfNobodyKnowsWhetherTheEpochWasRaised() {
			findOutdated();
			become(protocol().failed(state(), now()));
			assertThat(intent()).isNull();
			pass(625);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
			become(protocol().looked(state(), own(2, 1), now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(2, 3)));
		}

		@Test
		void countsOnFromTheBeatThatItFindsForALowerOneIsNotSeen() {
			failToEnter();
			pass(625);
			become(protocol().looked(state(), own(2, 900), now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(2, 901)));
			become(protocol().left(state().sent(), now()));
			Heartbeat edited = own(1, 5_000);
			become(protocol().looked(state(), edited, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Raise(edited, 3));
			become(protocol().raised(state(), true, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(3, 5_001)));
		}

		@Test
		void looksIfItDoesNotKnowWhatIsOutdated() {
			assertThat(protocol().intent(new HeartbeatState(Phase.OUTDATED, 1, 1, 2, null, now().nanos()), now()))
				.isEqualTo(new HeartbeatIntent.Look());
		}

		@Test
		void looksAtOnceIfThereIsOneAlready() {
			become(protocol().occupied(state().sent(), now()));
			assertThat(state().phase()).isEqualTo(Phase.UNCLEAR);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
			become(protocol().looked(state(), own(1, 1), now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(1, 2)));
		}

		private void failToEnter() {
			become(protocol().failed(state().sent(), now()));
			assertThat(state().phase()).isEqualTo(Phase.UNCLEAR);
		}

		private void findOutdated() {
			failToEnter();
			pass(625);
			become(protocol().looked(state(), null, now()));
			become(protocol().occupied(state().sent(), now()));
			become(protocol().looked(state(), own(1, 1), now()));
			assertThat(state().phase()).isEqualTo(Phase.OUTDATED);
		}

	}

	@Nested
	class Ending {

		@Test
		void looksAtOnceWhenItsEpochWasEnded() {
			enter();
			become(protocol().left(state(), now()));
			assertThat(state().phase()).isEqualTo(Phase.UNCLEAR);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Look());
		}

		@Test
		void goesOnUnderTheEpochThatItWasEndedWith() {
			enter();
			become(protocol().left(state(), now()));
			become(protocol().looked(state(), own(2, 1), now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(2, 2)));
		}

		@Test
		void neverGoesOnUnderTheEpochThatWasRefused() {
			enter();
			become(protocol().left(state(), now()));
			Heartbeat rewound = own(1, 1);
			become(protocol().looked(state(), rewound, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Raise(rewound, 2));
		}

		@Test
		void entersAnewAboveAllEpochsWhenItWasRemoved() {
			enter();
			become(protocol().left(state(), now()));
			become(protocol().looked(state(), null, now()));
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Enter(own(2, 2)));
			become(protocol().entered(state().sent(), now()));
			assertThat(state().epoch()).isEqualTo(2);
			pass(2_500);
			assertThat(intent()).isEqualTo(new HeartbeatIntent.Beat(own(2, 3)));
		}

		@Test
		void usesNoEpochAndNoBeatTwiceWhateverHappens() {
			for (int seed = 0; seed < 200; seed++) {
				new Process(new Dice(seed)).live();
			}
		}

		@Test
		void ignoresLooksThatNobodyWaitsFor() {
			enter();
			HeartbeatState before = state();
			become(protocol().looked(state(), null, now()));
			become(protocol().looked(state(), own(9, 9), now()));
			assertThat(state()).isEqualTo(before);
		}

		/** A process, and its document, which others end, remove, and rewind. */
		private final class Process {

			private final Dice dice;

			private final Set<Heartbeat> sent = new HashSet<>();

			/** What was sent, failed, and has not arrived yet. */
			private @Nullable HeartbeatIntent late;

			private @Nullable Heartbeat stored;

			private long ended;

			/**
			 * Epochs of what it tried to enter, and nobody has told it whether it came.
			 */
			private final Set<Long> inDoubt = new HashSet<>();

			Process(Dice dice) {
				this.dice = dice;
				become(protocol().begin(now()));
			}

			void live() {
				for (int step = 0; step < 100; step++) {
					pass(2_500);
					if (this.late != null && this.dice.onceIn(3)) {
						arrives(this.late);
						this.late = null;
					}
					interfere();
					HeartbeatIntent intent = intent();
					if (intent != null) {
						call(intent);
					}
				}
			}

			private void interfere() {
				Heartbeat present = this.stored;
				if (present != null && this.dice.onceIn(6)) {
					this.stored = this.dice.onceIn(3) ? null : own(present.epoch() + 1, present.beat());
				}
			}

			private void call(HeartbeatIntent intent) {
				if (intent instanceof HeartbeatIntent.Enter enter) {
					become(state().sent());
					note(enter.first());
					assertThat(enter.first().epoch()).isGreaterThan(this.ended);
				}
				if (intent instanceof HeartbeatIntent.Beat beat) {
					become(state().sent());
					note(beat.next());
					assertThat(beat.next().epoch()).isGreaterThan(this.ended).isNotIn(this.inDoubt);
				}
				if (intent instanceof HeartbeatIntent.Raise raise) {
					assertThat(raise.epoch()).isGreaterThan(this.ended).isGreaterThan(raise.seen().epoch());
				}
				if (this.dice.onceIn(4)) {
					this.late = intent;
					if (intent instanceof HeartbeatIntent.Enter enter) {
						this.inDoubt.add(enter.first().epoch());
					}
					become(protocol().failed(state(), now()));
					return;
				}
				boolean done = arrives(intent);
				if (intent instanceof HeartbeatIntent.Enter) {
					become(done ? protocol().entered(state(), now()) : protocol().occupied(state(), now()));
				}
				else if (intent instanceof HeartbeatIntent.Beat beat) {
					this.ended = done ? this.ended : Math.max(this.ended, beat.next().epoch());
					become(done ? protocol().acknowledged(state(), Duration.ofSeconds(2), now())
							: protocol().left(state(), now()));
				}
				else if (intent instanceof HeartbeatIntent.Raise) {
					become(protocol().raised(state(), done, now()));
				}
				else {
					become(protocol().looked(state(), this.stored, now()));
				}
			}

			private void note(Heartbeat beat) {
				assertThat(this.sent.stream().noneMatch((each) -> each.beat() == beat.beat())).isTrue();
				this.sent.add(beat);
			}

			private boolean arrives(HeartbeatIntent intent) {
				Heartbeat present = this.stored;
				if (intent instanceof HeartbeatIntent.Enter enter && present == null) {
					this.stored = enter.first();
					return true;
				}
				if (intent instanceof HeartbeatIntent.Beat beat && present != null
						&& present.epoch() == beat.next().epoch()) {
					this.stored = beat.next();
					return true;
				}
				if (intent instanceof HeartbeatIntent.Raise raise && present != null
						&& present.isSameBeatAs(raise.seen())) {
					this.stored = own(raise.epoch(), present.beat());
					return true;
				}
				return false;
			}

		}

	}

	@Nested
	class Believing {

		@Test
		void timeUnderAnEpochIsOverWithItsBelief() {
			Moment longAgo = now();
			pass(20_000);
			Belief belief = believe(null, 1, now());
			assertThat(protocol().isOver(belief, longAgo, now())).isFalse();
			belief.end(LossReason.TAKEN_OVER);
			assertThat(protocol().isOver(belief, now(), now())).isTrue();
		}

		@Test
		void timeUnderAnEpochIsOverWithoutBeliefWhenItHasTriedForAsLong() {
			Moment since = now();
			pass(8_999);
			assertThat(protocol().isOver(null, since, now())).isFalse();
			pass(1);
			assertThat(protocol().isOver(null, since, now())).isTrue();
		}

		@Test
		void countsFromBeforeTheBeatWasSent() {
			Moment sentAt = now();
			pass(4_000);
			assertThat(protocol().deadline(sentAt)).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
			Belief belief = believe(null, 1, sentAt);
			assertThat(belief.epoch()).isEqualTo(1);
			assertThat(belief.deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
			pass(4_999);
			assertThat(belief.isHeld()).isTrue();
			pass(1);
			assertThat(belief.isHeld()).isFalse();
		}

		@Test
		void isExtendedByEachAcknowledgedBeat() {
			Belief belief = believe(null, 1, now());
			pass(8_999);
			Moment sentAt = now();
			assertThat(believe(belief, 1, sentAt)).isSameAs(belief);
			assertThat(belief.deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
		}

		@Test
		void beginsAnewByBeatThatIsAcknowledgedLateAndRevivesNothing() {
			Belief belief = believe(null, 1, now());
			pass(8_000);
			Moment sentAt = now();
			pass(1_000);
			Belief later = believe(belief, 1, sentAt);
			assertThat(later).isNotSameAs(belief);
			assertThat(later.isHeld()).isTrue();
			assertThat(later.epoch()).isEqualTo(1);
			assertThat(belief.isHeld()).isFalse();
			assertThat(belief.endedBy()).isEqualTo(LossReason.EXPIRED);
		}

		@Test
		void beginsAnewUnderAnotherEpoch() {
			Belief belief = believe(null, 1, now());
			Belief later = believe(belief, 2, now());
			assertThat(later).isNotSameAs(belief);
			assertThat(later.epoch()).isEqualTo(2);
		}

		@Test
		void doesNotBeginByAnAnswerThatTookTooLong() {
			Moment sentAt = now();
			pass(9_000);
			assertThat(believe(null, 1, sentAt)).isNull();
			Belief before = new Belief(1, now().plus(Duration.ofSeconds(1)), HeartbeatProtocolTests.this.clock);
			assertThat(believe(before, 2, sentAt)).isSameAs(before);
		}

		@Test
		void doesNotBeginIfTheWallClockWasSetForwardMeanwhile() {
			Moment sentAt = now();
			HeartbeatProtocolTests.this.clock.jump(Duration.ofSeconds(9));
			assertThat(believe(null, 1, sentAt)).isNull();
		}

		@Test
		void endsByWallClockThatIsSetForwardAndStaysSoWhenItIsSetBack() {
			Belief belief = believe(null, 1, now());
			HeartbeatProtocolTests.this.clock.jump(Duration.ofSeconds(9));
			assertThat(belief.isHeld()).isFalse();
			HeartbeatProtocolTests.this.clock.jump(Duration.ofSeconds(-9));
			assertThat(belief.isHeld()).isFalse();
			assertThat(believe(belief, 1, now())).isNotSameAs(belief);
			assertThat(belief.isHeld()).isFalse();
		}

		private @Nullable Belief believe(@Nullable Belief present, long epoch, Moment sentAt) {
			return protocol().believe(present, epoch, sentAt, now(), HeartbeatProtocolTests.this.clock);
		}

	}

	@Nested
	class Watching {

		@Test
		void countsFromWhenItHasSeenTheBeat() {
			pass(400);
			Heartbeat beat = other(3, 1);
			assertThat(sight(null, beat)).isEqualTo(new HeartbeatSighting(beat, now().nanos(), now().nanos()));
		}

		@Test
		void keepsCountingWhileItShowsTheSameBeat() {
			HeartbeatSighting first = sight(null, other(3, 1));
			pass(5_000);
			Heartbeat same = new Heartbeat("other/10000", 3, 1, TTL, Instant.EPOCH);
			HeartbeatSighting again = sight(first, same);
			assertThat(again.since()).isEqualTo(first.since());
			assertThat(again.freeAt()).isEqualTo(first.freeAt());
			assertThat(again.heartbeat()).isSameAs(same);
		}

		@Test
		void startsToCountAgainAtEachBeat() {
			assertCountsAgain(other(3, 1), other(3, 2));
		}

		@Test
		void startsToCountAgainAtAnEarlierBeat() {
			assertCountsAgain(other(3, 2), other(3, 1));
		}

		@Test
		void startsToCountAgainUnderAnEarlierEpoch() {
			assertCountsAgain(other(3, 2), other(2, 2));
		}

		@Test
		void startsToCountAgainWhenItIsFoundMissing() {
			assertCountsAgain(other(3, 2), null);
		}

		@Test
		void startsToCountAgainWhenItIsThereAgain() {
			assertCountsAgain(null, other(3, 2));
		}

		private void assertCountsAgain(@Nullable Heartbeat before, @Nullable Heartbeat after) {
			HeartbeatSighting first = sight(null, before);
			pass(5_000);
			long freeAt = (before != null && after != null) ? first.freeAt()
					: now().plus((after != null) ? Duration.ZERO : HEAD_START).nanos();
			assertThat(sight(first, after)).isEqualTo(new HeartbeatSighting(after, now().nanos(), freeAt));
		}

		@Test
		void keepsCountingWhileItIsMissing() {
			HeartbeatSighting first = sight(null, null);
			pass(5_000);
			assertThat(sight(first, null)).isEqualTo(first);
		}

		@Test
		void givesWhoeverHasEndedTheEpochHeadStart() {
			HeartbeatSighting first = sight(null, other(3, 1));
			pass(5_000);
			HeartbeatSighting ended = sight(first, other(4, 1));
			assertThat(ended.freeAt()).isEqualTo(now().plus(HEAD_START).nanos());
			assertThat(ended.since()).isEqualTo(now().nanos());
			pass(100);
			assertThat(sight(ended, other(4, 1)).freeAt()).isEqualTo(ended.freeAt());
			assertThat(sight(ended, other(4, 2)).freeAt()).isEqualTo(ended.freeAt());
		}

		@Test
		void knowsNothingOfHolderThatItHasNotLookedAt() {
			assertThat(life(null)).isEqualTo(Life.UNKNOWN);
		}

		@Test
		void takesHolderForAliveForItsOwnTtl() {
			Duration longer = Duration.ofSeconds(60);
			HeartbeatSighting seen = sight(null, new Heartbeat("other/60000", 3, 1, longer, null));
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(59_999);
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(1);
			assertThat(life(seen)).isEqualTo(Life.SILENT);
		}

		@Test
		void takesHolderForNoLongerAliveThanItsOwnTtl() {
			HeartbeatSighting seen = sight(null, new Heartbeat("other/100", 3, 1, Duration.ofMillis(100), null));
			pass(100);
			assertThat(life(seen)).isEqualTo(Life.SILENT);
		}

		@Test
		void takesHolderThatBeatsForAlive() {
			HeartbeatSighting seen = sight(null, other(3, 1));
			for (int beat = 2; beat < 10; beat++) {
				pass(9_999);
				seen = sight(seen, other(3, beat));
				assertThat(life(seen)).isEqualTo(Life.ALIVE);
			}
		}

		@Test
		void doesNotMindTheWallClock() {
			HeartbeatSighting seen = sight(null, other(3, 1));
			HeartbeatProtocolTests.this.clock.jump(Duration.ofDays(1));
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
		}

		@Test
		void takesHolderOfFormerEpochForEndedAtOnceAndForGood() {
			HeartbeatSighting seen = sight(null, other(4, 1));
			assertThat(life(seen)).isEqualTo(Life.ENDED);
			assertThat(life(sight(seen, other(4, 2)))).isEqualTo(Life.ENDED);
			pass(60_000);
			assertThat(life(seen)).isEqualTo(Life.ENDED);
		}

		@Test
		void neverTakesHolderWithoutHeartbeatForSilent() {
			HeartbeatSighting seen = sight(null, null);
			assertThat(life(seen)).isEqualTo(Life.MISSING);
			pass(60_000);
			assertThat(life(seen)).isEqualTo(Life.MISSING);
			assertThat(life(sight(seen, null))).isEqualTo(Life.MISSING);
		}

		@Test
		void watchesWhatWasEnteredForHolderWithoutHeartbeat() {
			HeartbeatSighting seen = sight(sight(null, null), protocol().mark(held(), now()));
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(9_999);
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(1);
			assertThat(life(seen)).isEqualTo(Life.SILENT);
		}

		@Test
		void entersForHolderWithoutHeartbeatWhatNobodyHasEntered() {
			HeartbeatProtocol neighbour = new HeartbeatProtocol("you", protocol().rhythm());
			Set<Heartbeat> marks = new HashSet<>();
			for (int i = 0; i < 1_000; i++) {
				marks.add(protocol().mark(held(), now()));
				marks.add(neighbour.mark(held(), now()));
				pass(1);
			}
			assertThat(marks).hasSize(2_000)
				.allSatisfy((mark) -> assertThat(mark.beat()).isBetween(0L, Heartbeat.MAX_EPOCH / 4));
		}

		@Test
		void endsByTheNextEpochWhatNobodyWaitsFor() {
			assertThat(HeartbeatProtocol.ended(other(3, 8)))
				.isEqualTo(new Heartbeat("other/10000", 4, 8, TTL, null, true));
		}

		@Test
		void endsWhatWasEnteredAboveTheLease() {
			Heartbeat mark = protocol().mark(held(), now());
			Heartbeat ended = HeartbeatProtocol.ended(mark, held());
			assertThat(ended.epoch()).isEqualTo(held().epoch() + 1);
			assertThat(ended.beat()).isEqualTo(mark.beat());
			assertThat(life(sight(null, ended))).isEqualTo(Life.ENDED);
		}

		@Test
		void waitsForTheTtlOfHeartbeatThatIsBehind() {
			HeartbeatSighting seen = sight(null, other(2, 1));
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(9_999);
			assertThat(life(seen)).isEqualTo(Life.ALIVE);
			pass(1);
			assertThat(life(seen)).isEqualTo(Life.SILENT);
		}

		private Life life(@Nullable HeartbeatSighting seen) {
			return protocol().life(held(), seen, now());
		}

		private static Lease held() {
			return new Lease("jobs", "other", 3, 7, 30, TTL, null, null);
		}

		private HeartbeatSighting sight(@Nullable HeartbeatSighting before, @Nullable Heartbeat heartbeat) {
			return protocol().sighted(before, heartbeat, now(), HEAD_START);
		}

		private Heartbeat other(long epoch, long beat) {
			return new Heartbeat("other/10000", epoch, beat, TTL, null);
		}

	}

	private void enter() {
		become(this.protocol.entered(this.state.sent(), now()));
		assertThat(this.state.phase()).isEqualTo(Phase.BEATING);
	}

	private @Nullable HeartbeatIntent intent() {
		return this.protocol.intent(this.state, now());
	}

	private void become(HeartbeatState next) {
		this.state = next;
	}

	private HeartbeatState state() {
		return this.state;
	}

	private HeartbeatProtocol protocol() {
		return this.protocol;
	}

	private Heartbeat own(long epoch, long beat) {
		return new Heartbeat("me/10000", epoch, beat, TTL, null);
	}

	private void pass(long millis) {
		this.clock.advance(millis);
	}

	private Moment now() {
		return this.clock.now();
	}

}
