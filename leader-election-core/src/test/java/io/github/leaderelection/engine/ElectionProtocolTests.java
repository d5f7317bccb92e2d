package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.TermState.Handover;
import io.github.leaderelection.engine.TermState.Loss;
import io.github.leaderelection.engine.TermState.Phase;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol}, rule by rule, as candidate {@code me}. Its ttl is
 * 10 s: it polls every second, checks its own lease every 5 s, gives back what it has
 * lost 1 s later, drains for 25 s, and tries again after 625 ms.
 * <p>
 * After each step it is checked that the protocol is asked again neither too late nor for
 * nothing: it wants to be woken now if, and only if, it has something to say.
 */
class ElectionProtocolTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration HEAD_START = Duration.ofMillis(300);

	private static final long SESSION = 3;

	private final ManualClock clock = new ManualClock();

	private final ElectionSettings settings = ElectionSettings.of(TTL);

	private final SessionProtocol lives = new SessionProtocol("me", Rhythm.of(this.settings));

	private final ElectionProtocol protocol = new ElectionProtocol("me", this.settings, this.lives);

	private ElectionState state = this.protocol.begin("jobs", this.clock.now());

	private @Nullable SessionSighting holder;

	/** The phase that has begun last with a step, or how it has. */
	private @Nullable Object change;

	@Nested
	class Taking {

		@Test
		void looksBeforeAnythingElse() {
			assertThat(intent()).isEqualTo(new Intent.Read());
			assertThat(state().election()).isEqualTo("jobs");
			assertThat(protocol().settings().ttl()).isEqualTo(TTL);
		}

		@Test
		void createsAndTakesAtOnceWhatNobodyEverSaw() {
			looked(null);
			assertThat(intent()).isEqualTo(new Intent.Create(0));
			does(protocol().created(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
			Lease vacant = lease(null, 0, 0);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 1));
		}

		@Test
		void doesNotInsistOnCreatingWhatItIsToldExists() {
			looked(null);
			does(protocol().createRefused(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(null);
			assertThat(intent()).isNull();
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			looked(null);
			assertThat(intent()).isEqualTo(new Intent.Create(0));
		}

		@Test
		void takesVacantLeaseAtOnceUnderTheNextTerm() {
			Lease vacant = lease(null, 7, 30);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 8));
		}

		@Test
		void takesAtOnceWhatWasLeftToIt() {
			Lease left = leftTo("me");
			looked(left);
			assertThat(intent()).isEqualTo(new Intent.Take(left, 8));
		}

		@Test
		void letsASuccessorHaveItsWayForTwoPollIntervals() {
			Lease left = leftTo("other");
			looked(left);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
			pass(1_500, left);
			looked(left);
			assertThat(wakeIn()).isEqualTo(500);
			pass(499, left);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(left)).isEqualTo(new Intent.Take(left, 8));
		}

		@Test
		void asksNobodyWhetherTheHolderOfVacantLeaseLives() {
			looked(leftTo("other"));
			ElectionProtocolTests.this.holder = new SessionSighting(session(1).expired(), now().nanos(), now().nanos());
			assertThat(protocol().needsChange(state(), holder(), now())).isFalse();
			assertThat(protocol().intent(state(), holder(), now())).isNull();
		}

		@Test
		void takesItsOwnLeaseAtOnceUnderTheNextTerm() {
			Lease own = lease("me", 7, 30);
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 8));
		}

		@Test
		void grantsTermAboveTheHighestSeenEvenIfTheLeaseHasGoneBack() {
			looked(lease("other", 7, 30));
			Lease restored = lease(null, 5, 12);
			looked(restored);
			assertThat(intent()).isEqualTo(new Intent.Take(restored, 8));
		}

		@Test
		void looksAgainWhenSomeoneElseWasFaster() {
			looked(lease(null, 7, 30));
			takeRefused();
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(lease("other", 8, 31));
			renews(1);
			assertThat(intent()).isNull();
		}

		@Test
		void isNotElectedByLookingOnly() {
			looked(lease("me", 8, 31));
			assertThat(state().term()).isNull();
			assertThat(change()).isNull();
		}

		@Test
		void isElectedByTheAnswerToItsTaking() {
			looked(lease(null, 7, 30));
			Lease own = lease("me", 8, 31);
			taken(own, true);
			assertThat(change()).isEqualTo(Phase.LEADING);
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			assertThat(term().lease()).isEqualTo(own);
			assertThat(term().number()).isEqualTo(8);
			assertThat(state().presentLease()).isEqualTo(own);
			assertThat(state().highestTerm()).isEqualTo(8);
		}

		@Test
		void doesNotLeadByAnAnswerThatCameAfterTheBeliefHadEnded() {
			looked(lease(null, 7, 30));
			Lease own = lease("me", 8, 31);
			taken(own, false);
			assertThat(change()).isNull();
			assertThat(state().term()).isNull();
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 9));
		}

		@Test
		void needsChangeWhileItPausesAfterOneThatFailed() {
			looked(lease("other", 7, 30));
			renews(1);
			assertThat(needsChange()).isFalse();
			looked(lease(null, 7, 31));
			assertThat(needsChange()).isTrue();
			callFailed();
			assertThat(intent()).isNull();
			assertThat(needsChange()).isTrue();
			withdraw();
			assertThat(needsChange()).isFalse();
		}

		@Test
		void needsChangeOnlyWhileSomethingIsToBeGivenBack() {
			lead(8);
			assertThat(needsChange()).isFalse();
			resign(LossReason.RESIGNED);
			assertThat(needsChange()).isFalse();
			settled(8);
			assertThat(needsChange()).isTrue();
			released();
			lead(9);
			lapsed(9);
			// Before that it is kept for work that may not have ended yet.
			assertThat(needsChange()).isFalse();
			pass(1_000);
			assertThat(needsChange()).isTrue();
			released();
			assertThat(needsChange()).isFalse();
		}

		@Test
		void needsNoChangeBeforeTheFirstLook() {
			assertThat(needsChange()).isFalse();
		}

		@Test
		void pausesAfterFailedCallAndLooksBeforeAnythingElse() {
			looked(lease(null, 7, 30));
			callFailed();
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(lease(null, 7, 30));
			assertThat(intent()).isEqualTo(new Intent.Take(lease(null, 7, 30), 8));
		}

		@Test
		void goesAlongWithLooksOfOthersWhenItsOwnIsHalfDue() {
			assertThat(mayGoAlong()).isTrue();
			looked(lease("other", 7, 30));
			pass(499);
			assertThat(mayGoAlong()).isFalse();
			pass(1);
			assertThat(mayGoAlong()).isTrue();
			withdraw();
			assertThat(mayGoAlong()).isFalse();
		}

		@Test
		void remembersWhatItKnewWhenItComesBack() {
			PastElections.Past past = new PastElections.Past(false, now().plus(Duration.ofSeconds(2)).nanos(), 40);
			ElectionState begun = state();
			pass(5);
			become(protocol().recall(begun, past, now()));
			assertThat(state().standing()).isTrue();
			assertThat(state().election()).isEqualTo("jobs");
			assertThat(state().nextLook()).isEqualTo(begun.nextLook());
			Lease vacant = lease(null, 7, 30);
			looked(vacant);
			assertThat(intent()).isNull();
			pass(1_994, vacant);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(vacant)).isEqualTo(new Intent.Take(vacant, 41));
		}

		@Test
		void standsAsideWhereItDidSo() {
			become(protocol().recall(state(), new PastElections.Past(true, now().nanos() - 5, 40), now()));
			assertThat(state().standing()).isFalse();
			assertThat(state().notBefore()).isEqualTo(now().nanos());
			assertThat(intent()).isNull();
		}

	}

	@Nested
	class Watching {

		@Test
		void looksAtTheSessionOfWhoeverHoldsTheLease() {
			looked(lease("other", 7, 30));
			assertThat(intent()).isEqualTo(new Intent.Watch());
			assertThat(wakeIn()).isEqualTo(1_000);
			renews(1);
			assertThat(intent()).isNull();
		}

		@Test
		void leavesTheLeaseToWhoeverRenews() {
			Lease held = lease("other", 7, 30);
			looked(held);
			for (int revision = 1; revision < 20; revision++) {
				renews(revision);
				pass(9_999, held);
				assertThat(intentAfterLooks(held)).isNull();
				assertThat(needsChange()).isFalse();
			}
		}

		@Test
		void endsTheEpochOfWhoeverIsSilentBeforeItTakesTheLease() {
			Lease held = lease("other", 7, 30);
			looked(held);
			Session silent = renews(1);
			pass(9_999, held);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1);
			pass(1);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Expire(silent));
			assertThat(needsChange()).isFalse();
			sees(session(1).expired());
			pass(HEAD_START.toMillis(), held);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Take(held, 8));
			assertThat(needsChange()).isTrue();
		}

		@Test
		void endsNothingWhileItStandsDown() {
			Lease held = lease("other", 7, 30);
			looked(held);
			renews(1);
			pass(10_000, held);
			callFailed();
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
			pass(1_000);
			assertThat(intentAfterLooks(held)).isInstanceOf(Intent.Expire.class);
		}

		@Test
		void waitsForTheTtlOfTheHolderNotItsOwn() {
			Lease held = new Lease("jobs", "other", SESSION, 7, 30, Duration.ofSeconds(60), null, null);
			looked(held);
			Session silent = renews(1, Duration.ofSeconds(60));
			pass(59_999, held);
			assertThat(intentAfterLooks(held)).isNull();
			pass(1);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Expire(silent));
		}

		@Test
		void letsWhoeverEndedTheEpochGoFirst() {
			Lease held = lease("other", 7, 30);
			looked(held);
			renews(1);
			sees(session(1).expired());
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(300);
			pass(299);
			assertThat(intent()).isNull();
			assertThat(needsChange()).isFalse();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void takesAtOnceWhatItHasEndedItself() {
			Lease held = lease("other", 7, 30);
			looked(held);
			ended();
			assertThat(intent()).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void createsTombstoneForHolderThatHasNoSession() {
			Lease held = lease("other", 7, 30);
			looked(held);
			sees(null);
			assertThat(intent()).as("the lease may have been given back").isNull();
			assertThat(wakeIn()).isEqualTo(HEAD_START.toMillis());
			pass(HEAD_START.toMillis(), held);
			assertThat(intentAfterLooks(held)).isInstanceOfSatisfying(Intent.Bury.class, (intent) -> {
				assertThat(intent.tombstone().id()).isEqualTo(held.sessionId());
				assertThat(intent.tombstone().isTombstone()).isTrue();
				assertThat(intent.tombstone().ttl()).isEqualTo(held.ttl());
			});
		}

		@Test
		void endsTombstoneWhenItHasBeenThereForItsTtl() {
			Lease held = lease("other", 7, 30);
			looked(held);
			sees(null);
			pass(60_000, held);
			Session tombstone = held.tombstone();
			sees(tombstone);
			assertThat(intentAfterLooks(held)).isNull();
			pass(9_999, held);
			assertThat(intentAfterLooks(held)).isNull();
			pass(1);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Expire(tombstone));
		}

		@Test
		void countsTheSilenceOnEvenIfTheLeaseIsTakenUnderTheSameRevision() {
			looked(lease("other", 7, 30));
			Session silent = renews(1);
			pass(9_000, lease("other", 7, 30));
			looked(lease("other", 9, 32));
			pass(1_000);
			assertThat(intentAfterLooks(lease("other", 9, 32))).isEqualTo(new Intent.Expire(silent));
		}

		@Test
		void doesNotMindTheWallClock() {
			Lease held = lease("other", 7, 30);
			looked(held);
			renews(1);
			ElectionProtocolTests.this.clock.jump(Duration.ofDays(1));
			assertThat(intent()).isNull();
			ElectionProtocolTests.this.clock.jump(Duration.ofDays(-2));
			pass(10_000);
			assertThat(intentAfterLooks(held)).isInstanceOf(Intent.Expire.class);
		}

		@Test
		void doesNotSpinUntilItsTurnHasComeIfTheSessionWasRemovedAfterItsEnd() {
			Lease held = new Lease("jobs", "other", SESSION, 7, 30, Duration.ofMillis(100), null, null);
			looked(held);
			sightedWith(Duration.ofMillis(500), session(1));
			sightedWith(Duration.ofMillis(500), session(1).expired());
			sees(null);
			pass(100);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(200);
			pass(200);
			assertThat(intentAfterLooks(held)).isInstanceOf(Intent.Bury.class);
		}

		@Test
		void leavesTheMarginBeforeAnyoneElseMayEndTheSession() {
			Moment sentAt = now();
			Belief belief = new Belief(SESSION, ElectionProtocolTests.this.lives.deadline(sentAt),
					ElectionProtocolTests.this.clock);
			Lease held = lease("other", 7, 30);
			looked(held);
			renews(1);
			pass(9_000);
			assertThat(belief.isHeld()).isFalse();
			pass(999);
			assertThat(intentAfterLooks(held)).isNull();
			pass(1);
			assertThat(intentAfterLooks(held)).isInstanceOf(Intent.Expire.class);
		}

	}

	@Nested
	class NotSeeingItsLease {

		@Test
		void endsTheTerm() {
			lead(7);
			ElectionProtocolTests.this.clock.advance(8_999);
			assertThat(protocol().tick(state(), now())).isEqualTo(state());
			ElectionProtocolTests.this.clock.advance(1);
			does(protocol().tick(state(), now()));
			assertThat(change()).isEqualTo(new Loss(LossReason.EXPIRED, false, now()));
		}

		@Test
		void isNotUndoneByLookThatComesTooLate() {
			Lease own = lead(7);
			ElectionProtocolTests.this.clock.advance(9_000);
			looked(own);
			assertThat(change()).isEqualTo(new Loss(LossReason.EXPIRED, false, now()));
		}

	}

	@Nested
	class Asking {

		@Test
		void handsOverToWhomIsAskedFor() {
			asked(lead(8), new HandoverRequest(8, "next", "other"));
			assertThat(change()).isEqualTo(new Handover(LossReason.RESIGNED, "next", "other", now()));
		}

		@Test
		void handsOverToAnybodyIfNobodyIsAskedFor() {
			asked(lead(8), new HandoverRequest(8, null, "other"));
			assertThat(term().phase()).isEqualTo(Phase.DRAINING);
			assertThat(term().successor()).isNull();
		}

		@Test
		void ignoresWhatIsNotForThisTerm() {
			Lease own = lead(8);
			HandoverRequest request = new HandoverRequest(8, "next", "other");
			does(protocol().asked(state(), own, now()));
			asked(own, new HandoverRequest(7, "next", "other"));
			asked(lease("me", 7, 31), request);
			asked(lease("other", 8, 31), request);
			asked(own, new HandoverRequest(8, "me", "other"));
			assertThat(change()).isNull();
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
		}

		@Test
		void followerIgnoresIt() {
			looked(lease("me", 8, 31));
			asked(lease("me", 8, 31), new HandoverRequest(8, "next", "other"));
			assertThat(term()).isNull();
		}

		private void asked(Lease lease, HandoverRequest request) {
			does(protocol().asked(state(), lease.asking(request), now()));
		}

	}

	@Nested
	class Checking {

		@Test
		void looksAtItsLeaseAsOftenAsItBeats() {
			Lease own = lead(8);
			pass(2_499);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own);
			assertThat(change()).isNull();
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(2_500);
		}

		@Test
		void goesAlongWithLooksOfOthersHalfARenewIntervalEarlier() {
			lead(8);
			pass(1_249);
			assertThat(mayGoAlong()).isFalse();
			pass(1);
			assertThat(mayGoAlong()).isTrue();
			resign(LossReason.RESIGNED);
			assertThat(mayGoAlong()).isTrue();
			settled(8);
			assertThat(mayGoAlong()).isFalse();
		}

		@Test
		void goesOnUnderLeaseThatWasTouchedOnly() {
			lead(8);
			Lease touched = lease("me", 8, 35);
			looked(touched);
			assertThat(change()).isNull();
			assertThat(term().lease()).isEqualTo(touched);
			resign(LossReason.RESIGNED);
			settled(8);
			assertThat(intent()).isEqualTo(new Intent.Release(touched, null));
		}

		@Test
		void looksAgainIfServerShowsAnEarlierTerm() {
			Lease own = lead(8);
			pass(5_000);
			looked(lease("other", 7, 40));
			assertThat(change()).isNull();
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			assertThat(term().lease()).isEqualTo(own);
			assertThat(state().leader("me")).isEqualTo("me");
			assertThat(wakeIn()).isEqualTo(625);
			pass(625);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own);
			assertThat(change()).isNull();
			assertThat(wakeIn()).isEqualTo(2_500);
			pass(2_500);
			looked(lease("other", 7, 40));
			assertThat(change()).as("each time anew").isNull();
		}

		@Test
		void endsTheTermIfServerShowsAnEarlierTermTwice() {
			lead(8);
			looked(lease("other", 7, 40));
			looked(lease(null, 6, 41));
			assertThat(change()).isEqualTo(new Loss(LossReason.TAKEN_OVER, false, now()));
		}

		@Test
		void endsTheTermIfItsLeaseWasMadeAnew() {
			assertEndedBy(lease(null, 8, 0));
		}

		@Test
		void endsTheTermByAnotherTerm() {
			assertEndedBy(lease("me", 9, 31));
		}

		@Test
		void endsTheTermByLaterTermEvenIfItsRevisionsWereCountedFromTheBeginning() {
			assertEndedBy(lease("other", 9, 2));
		}

		@Test
		void endsTheTermByAnotherHolder() {
			assertEndedBy(lease("other", 8, 31));
		}

		@Test
		void endsTheTermByLeaseThatNobodyHolds() {
			assertEndedBy(lease(null, 8, 31));
		}

		@Test
		void endsTheTermByAnotherEpoch() {
			assertEndedBy(new Lease("jobs", "me", SESSION + 1, 8, 31, TTL, null, null));
			looked(null);
		}

		@Test
		void endsTheTermByAnEarlierEpoch() {
			assertEndedBy(new Lease("jobs", "me", SESSION - 1, 8, 31, TTL, null, null));
		}

		@Test
		void endsTheTermByAnotherTtlWhichAnotherSessionWouldVouchFor() {
			assertEndedBy(new Lease("jobs", "me", SESSION, 8, 31, TTL.plusMillis(1), null, null));
		}

		private void assertEndedBy(Lease seen) {
			lead(8);
			looked(seen);
			assertTakenOver();
			assertThat(state().presentLease()).isEqualTo(seen);
		}

		@Test
		void endsTheTermByNoLease() {
			lead(8);
			looked(null);
			assertTakenOver();
			assertThat(state().sighting().kind()).isEqualTo(Sighting.Kind.MISSING);
			settled(8);
			pass(9_999, null);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(8));
		}

		@Test
		void endsTheTermByDamage() {
			lead(8);
			lookedAtDamage();
			assertTakenOver();
			assertThat(state().isDamaged()).isTrue();
		}

		@Test
		void endsDrainByWhatItSeesAsWell() {
			lead(8);
			resign(LossReason.RESIGNED);
			pass(5_000);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(lease("other", 9, 32));
			assertThat(change()).isEqualTo(new Loss(LossReason.TAKEN_OVER, false, now()));
			assertThat(term().handover().reason()).isEqualTo(LossReason.RESIGNED);
			settled(8);
			assertThat(state().term()).isNull();
		}

		private void assertTakenOver() {
			assertThat(change()).isEqualTo(new Loss(LossReason.TAKEN_OVER, false, now()));
			assertThat(term().isLost()).isTrue();
			assertThat(term().loss().reason()).isEqualTo(LossReason.TAKEN_OVER);
			assertThat(term().kept()).isFalse();
			assertThat(state().leader("me")).isNotEqualTo("me");
		}

		@Test
		void looksAgainSoonAfterLookThatFailedBeforeItWasDue() {
			lead(8);
			pass(2_500);
			callFailed();
			assertThat(wakeIn()).isEqualTo(625);
		}

		@Test
		void looksAgainSoonAfterLookThatFailed() {
			lead(8);
			pass(5_000);
			callFailed();
			assertThat(change()).isNull();
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			assertThat(wakeIn()).isEqualTo(625);
			pass(625);
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

	}

	@Nested
	class Losing {

		@Test
		void endsWithTheBelief() {
			lead(8);
			lapsed(8);
			assertThat(change()).isEqualTo(new Loss(LossReason.EXPIRED, false, now()));
			assertThat(term().phase()).isEqualTo(Phase.STOPPING);
			assertThat(term().loss().reason()).isEqualTo(LossReason.EXPIRED);
			assertThat(term().kept()).isTrue();
		}

		@Test
		void endsWithTheEpoch() {
			lead(8);
			orphaned();
			assertThat(change()).isEqualTo(new Loss(LossReason.TAKEN_OVER, false, now()));
			assertThat(term().kept()).isFalse();
		}

		@Test
		void endsWhileItDrainsAsWell() {
			lead(8);
			resign(LossReason.RESIGNED);
			orphaned();
			assertThat(change()).isEqualTo(new Loss(LossReason.TAKEN_OVER, false, now()));
			settled(8);
			assertThat(intent()).as("is it there to be given back?").isEqualTo(new Intent.Read());
			looked(lease("other", 9, 32));
			assertThat(state().term()).isNull();
		}

		/** A look that shows nothing, or damage, may be behind, or be mended. */
		@Test
		void givesBackWhatItHasLostForReasonsThatHavePassed() {
			Lease own = lead(8);
			looked(null);
			assertThat(term().phase()).isEqualTo(Phase.STOPPING);
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Read());
			lookedAtDamage();
			assertThat(intent()).isNull();
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		/** Somebody has asked for something, or has paused the election, meanwhile. */
		@Test
		void givesBackWhatHasChangedMeanwhile() {
			Lease own = lead(8);
			lapsed(8);
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			does(protocol().releaseRefused(state(), own, now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own.paused(true));
			assertThat(intent()).isEqualTo(new Intent.Release(own.paused(true), null));
			does(protocol().releaseRefused(state(), own.paused(true), now()));
			looked(lease("other", 9, 40));
			assertThat(term().phase()).isEqualTo(Phase.LINGERING);
			assertThat(intent()).isNull();
		}

		@Test
		void endsOnce() {
			lead(8);
			lapsed(8);
			ElectionState before = state();
			lapsed(8);
			orphaned();
			tick();
			resign(LossReason.RESIGNED);
			assertThat(change()).isNull();
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void isNotEndedByWhatEndsAnotherTerm() {
			lead(8);
			ElectionState before = state();
			lapsed(7);
			settled(7);
			settledButForClosers(7);
			released(lease("me", 7, 29));
			assertThat(change()).isNull();
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void nothingEndsWhereThereIsNoTerm() {
			looked(lease("other", 7, 30));
			ElectionState before = state();
			lapsed(8);
			orphaned();
			settled(8);
			settledButForClosers(8);
			tick();
			resign(LossReason.RESIGNED);
			assertThat(change()).isNull();
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void givesBackMarginAfterItsBeliefHasEnded() {
			Lease own = lead(8);
			lapsed(8);
			looked(own);
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			released();
			assertThat(term().phase()).isEqualTo(Phase.LINGERING);
			assertThat(state().presentLease()).isEqualTo(own.released(null));
			settled(8);
			assertThat(state().term()).isNull();
			looked(own.released(null));
			assertThat(intent()).isEqualTo(new Intent.Take(own.released(null), 9));
		}

		@Test
		void givesBackAtOnceWhenTheWorkHasEnded() {
			Lease own = lead(8);
			lapsed(8);
			settled(8);
			assertThat(term().phase()).isEqualTo(Phase.RELEASING);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			released();
			assertThat(state().term()).isNull();
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void givesNothingBackThatSomebodyElseHas() {
			lead(8);
			orphaned();
			looked(lease("other", 9, 32));
			renews(1);
			for (int second = 0; second < 30; second++) {
				pass(1_000, lease("other", 9, 32));
				assertThat(intentAfterLooks(lease("other", 9, 32))).isNull();
			}
			settled(8);
			assertThat(state().term()).isNull();
		}

		@Test
		void doesNotLeadAgainBeforeTheWorkOfTheLostTermHasEnded() {
			Lease own = lead(8);
			lapsed(8);
			looked(own);
			pass(1_000, own);
			released();
			Lease vacant = own.released(null);
			looked(vacant);
			pass(60_000, vacant);
			assertThat(intentAfterLooks(vacant)).isNull();
			settled(8);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 9));
		}

		@Test
		void watchesTheLeaseWhileTheWorkOfTheLostTermEnds() {
			lead(8);
			lapsed(8);
			assertThat(intent()).isEqualTo(new Intent.Read());
			assertThat(mayGoAlong()).isTrue();
			looked(lease("other", 9, 40));
			assertThat(state().leader("me")).isEqualTo("other");
			assertThat(mayGoAlong()).isFalse();
			pass(500);
			assertThat(mayGoAlong()).isTrue();
			assertThat(wakeIn()).isEqualTo(500);
			does(protocol().lookAgain(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void looksNoMoreOnceItHasWithdrawn() {
			lead(8);
			orphaned();
			withdraw();
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).as("is it there to be given back?").isEqualTo(new Intent.Read());
			looked(lease("other", 9, 32));
			assertThat(intent()).isNull();
			assertThat(mayGoAlong()).isFalse();
			assertThat(wakeIn()).isEqualTo(10_000);
		}

		@Test
		void givesBackNoEarlierBecauseCallHasFailed() {
			Lease own = lead(8);
			lapsed(8);
			callFailed();
			pass(999);
			assertThat(intentAfterLooks(own)).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackAgainSoonAfterThatHasFailed() {
			Lease own = lead(8);
			lapsed(8);
			pass(1_000);
			callFailed();
			assertThat(intent()).isNull();
			pass(624);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void takesNoNoticeOfReleaseOfAnotherRevision() {
			Lease own = lead(8);
			lapsed(8);
			pass(1_000);
			ElectionState before = state();
			released(lease("me", 8, own.revision() - 1));
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void takesNoNoticeOfReleaseWhileItLeads() {
			Lease own = lead(8);
			ElectionState before = state();
			released(own);
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void doesNotStandDownWhenTheTermWasLost() {
			lead(8);
			orphaned();
			settled(8);
			Lease vacant = lease(null, 9, 40);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 10));
		}

	}

	@Nested
	class Resigning {

		@Test
		void closesTheGateAndGoesOnLookingAtItsLease() {
			Lease own = lead(8);
			assertThat(resign(LossReason.RESIGNED)).isEqualTo(new Handover(LossReason.RESIGNED, null, null, now()));
			assertThat(term().phase()).isEqualTo(Phase.DRAINING);
			assertThat(intent()).isNull();
			pass(5_000);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own);
			assertThat(term().phase()).isEqualTo(Phase.DRAINING);
		}

		@Test
		void releasesWhenSettledAndNotBefore() {
			Lease own = lead(8);
			resign(LossReason.RESIGNED);
			assertThat(intent()).isNull();
			settled(8);
			assertThat(term().phase()).isEqualTo(Phase.RELEASING);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			released();
			assertThat(state().term()).isNull();
			assertThat(state().presentLease()).isEqualTo(own.released(null));
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void leavesTheLeaseToSuccessor() {
			Lease own = lead(8);
			does(protocol().resign(state(), LossReason.RESIGNED, "heir", now()));
			assertThat(change()).isEqualTo(new Handover(LossReason.RESIGNED, "heir", null, now()));
			settled(8);
			assertThat(intent()).isEqualTo(new Intent.Release(own, "heir"));
			does(protocol().released(state(), own, "heir", now()));
			assertThat(state().presentLease()).isEqualTo(own.released("heir"));
		}

		@Test
		void leavesNothingToSuccessorAfterTheTermWasLost() {
			Lease own = lead(8);
			does(protocol().resign(state(), LossReason.RESIGNED, "heir", now()));
			lapsed(8);
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void triesToReleaseAgainForAsLongAsItTakes() {
			Lease own = lead(8);
			resign(LossReason.SHUTDOWN);
			settled(8);
			for (int attempt = 0; attempt < 100; attempt++) {
				assertThat(intent()).isEqualTo(new Intent.Release(own, null));
				callFailed();
				pass(624);
				assertThat(intent()).isNull();
				pass(1);
			}
			released();
			assertThat(state().term()).isNull();
		}

		@Test
		void losesTheTermWhenTheDrainTakesTooLong() {
			Lease own = lead(8);
			resign(LossReason.RESIGNED);
			pass(24_999, own);
			looked(own);
			tick();
			assertThat(change()).isNull();
			assertThat(tickIn()).isEqualTo(1);
			pass(1);
			tick();
			assertThat(change()).isEqualTo(new Loss(LossReason.RESIGNED, true, now()));
			assertThat(term().phase()).isEqualTo(Phase.STOPPING);
		}

		@Test
		void givesBackTtlAfterDrainThatTookTooLong() {
			Lease own = timeOutDrain();
			pass(9_999, own);
			assertThat(intentAfterLooks(own)).isNull();
			pass(1);
			assertThat(intentAfterLooks(own)).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackNoEarlierBecauseCallHasFailed() {
			Lease own = timeOutDrain();
			for (int i = 0; i < 9; i++) {
				callFailed();
				pass(1_000);
				assertThat(intent()).isNotInstanceOf(Intent.Release.class);
			}
			callFailed();
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackAtOnceWhenWorkThatTookTooLongHasEnded() {
			Lease own = timeOutDrain();
			settled(8);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			released();
			looked(own.released(null));
			assertThat(intent()).isNull();
		}

		private Lease timeOutDrain() {
			Lease own = lead(8);
			resign(LossReason.RESIGNED);
			pass(25_000, own);
			tick();
			assertThat(change()).isEqualTo(new Loss(LossReason.RESIGNED, true, now()));
			return own;
		}

		@Test
		void givesBackMarginAfterItsBeliefHasEndedInTheMiddleOfDrain() {
			Lease own = lead(8);
			resign(LossReason.RESIGNED);
			lapsed(8);
			assertThat(change()).isEqualTo(new Loss(LossReason.EXPIRED, false, now()));
			pass(1_000, own);
			assertThat(intentAfterLooks(own)).isEqualTo(new Intent.Release(own, null));
		}

		@ParameterizedTest
		@EnumSource(value = LossReason.class, names = { "RESIGNED", "CALLBACK_FAILED" })
		void standsDownForTheCooldown(LossReason reason) {
			Lease own = lead(8);
			resign(reason);
			settled(8);
			released();
			Lease vacant = own.released(null);
			looked(vacant);
			pass(2_499, vacant);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(vacant)).isEqualTo(new Intent.Take(vacant, 9));
		}

		@Test
		void standsDownForTheCooldownWhenTheTermWasLostMeanwhile() {
			lead(8);
			resign(LossReason.CALLBACK_FAILED);
			lapsed(8);
			settled(8);
			released();
			Lease vacant = lease(null, 8, 40);
			looked(vacant);
			pass(2_499, vacant);
			assertThat(intent()).isNull();
		}

		@Test
		void doesNotStandDownWhenItOnlyShutsDown() {
			Lease own = lead(8);
			resign(LossReason.SHUTDOWN);
			settled(8);
			released();
			looked(own.released(null));
			assertThat(intent()).isInstanceOf(Intent.Take.class);
		}

		@Test
		void isAskedForOnce() {
			assertThat(resign(LossReason.RESIGNED)).isNull();
			lead(8);
			assertThat(resign(LossReason.RESIGNED)).isNotNull();
			assertThat(resign(LossReason.SHUTDOWN)).isNull();
			assertThat(term().handover().reason()).isEqualTo(LossReason.RESIGNED);
			settled(8);
			assertThat(resign(LossReason.SHUTDOWN)).isNull();
		}

		@Test
		void isNotSettledBeforeItBegins() {
			lead(8);
			ElectionState before = state();
			settled(8);
			settledButForClosers(8);
			assertThat(state()).isEqualTo(before);
			resign(LossReason.RESIGNED);
			settled(8);
			before = state();
			settled(8);
			settledButForClosers(8);
			lapsed(8);
			orphaned();
			tick();
			assertThat(change()).isNull();
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void isNotSettledByTheWorkOfAnotherTerm() {
			lead(8);
			resign(LossReason.RESIGNED);
			ElectionState draining = state();
			settled(7);
			settledButForClosers(7);
			assertThat(state()).isEqualTo(draining);
			lapsed(8);
			ElectionState ended = state();
			settled(7);
			settledButForClosers(7);
			assertThat(state()).isEqualTo(ended);
		}

		@Test
		void leavesTheLeaseAsItIsToThoseWhoWaitForThisProcessToClose() {
			lead(8);
			withdraw();
			settledButForClosers(8);
			assertThat(state().isOver()).isTrue();
			assertThat(intent()).isNull();
		}

		@Test
		void leavesTheLeaseAsItIsWhoeverShowsItAgain() {
			Lease own = lead(8);
			withdraw();
			settledButForClosers(8);
			noticed(own);
			looked(own);
			callFailed();
			pass(60_000);
			looked(own);
			assertThat(state().isOver()).isTrue();
			assertThat(intent()).isNull();
		}

		@Test
		void leavesTheLeaseOfLostTermToThoseWhoWaitForThisProcessToClose() {
			lead(8);
			withdraw();
			lapsed(8);
			settledButForClosers(8);
			assertThat(state().isOver()).isTrue();
			assertThat(intent()).isNull();
		}

		@Test
		void tellsItsTimerUntilWhenItIsSureOfItsLease() {
			assertThat(tickIn()).isEqualTo(10_000);
			lead(8);
			assertThat(tickIn()).isEqualTo(9_000);
			resign(LossReason.RESIGNED);
			pass(1);
			assertThat(tickIn()).isEqualTo(8_999);
			settled(8);
			assertThat(tickIn()).isEqualTo(10_000);
		}

	}

	@Nested
	class Withdrawing {

		@Test
		void isOverAtOnceWhenNotLeading() {
			looked(lease("other", 7, 30));
			withdraw();
			assertThat(change()).isNull();
			assertThat(state().isOver()).isTrue();
			pass(60_000);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(10_000);
		}

		@Test
		void handsOverWhenLeading() {
			Lease own = lead(8);
			withdraw();
			assertThat(change()).isEqualTo(new Handover(LossReason.SHUTDOWN, null, null, now()));
			assertThat(state().isOver()).isFalse();
			settled(8);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			released();
			assertThat(state().isOver()).isTrue();
			pass(60_000);
			assertThat(intent()).isNull();
		}

		@Test
		void leadsOnWhereItOnlyStandsNoMore() {
			Lease own = lead(8);
			does(protocol().standNoMore(state(), now()));
			assertThat(state().standing()).isFalse();
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			pass(5_000);
			looked(own);
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
		}

		@Test
		void givesBackWhatWasTakenMeanwhile() {
			looked(lease(null, 7, 30));
			withdraw();
			Lease own = lease("me", 8, 31);
			taken(own, true);
			assertThat(change()).isNull();
			assertThat(state().isOver()).isFalse();
			assertThat(state().leader("me")).isNull();
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
			released();
			assertThat(state().isOver()).isTrue();
		}

		@Test
		void givesBackAtOnceWhatItHoldsAndDoesNotLead() {
			Lease own = lease("me", 7, 30);
			looked(own);
			withdraw();
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackAtOnceWhatItHoldsWhenItStandsNoMore() {
			Lease own = lease("me", 7, 30);
			looked(own);
			does(protocol().standNoMore(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackWhatItFindsThatItHoldsWhileItStandsDown() {
			lead(8);
			resign(LossReason.RESIGNED);
			settled(8);
			released();
			Lease own = lease("me", 9, 40);
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackLaterWhatIsThereThoughItWasGivenBack() {
			Lease own = lease("me", 7, 30);
			looked(own);
			does(protocol().standNoMore(state(), now()));
			released();
			looked(own);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesBackWhatItIsToldThatItHoldsWhileItStandsDown() {
			lead(8);
			resign(LossReason.RESIGNED);
			settled(8);
			released();
			Lease own = lease("me", 9, 40);
			noticed(own);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void givesNothingBackThatAnotherHoldsOrThatItKnowsNothingOf() {
			withdraw();
			assertThat(state().term()).isNull();
			looked(lease("other", 7, 30));
			assertThat(state().term()).isNull();
			looked(null);
			assertThat(state().term()).isNull();
		}

		@Test
		void givesBackGivenLeaseAtOnce() {
			Lease own = lease("me", 7, 30);
			looked(own);
			become(protocol().giveBack(state(), own, now()));
			assertThat(term().phase()).isEqualTo(Phase.RELEASING);
			assertThat(intent()).isEqualTo(new Intent.Release(own, null));
		}

		@Test
		void canBeUndone() {
			looked(lease("other", 7, 30));
			withdraw();
			does(protocol().stand(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

	}

	@Nested
	class Doubt {

		private final Lease vacant = lease(null, 7, 30);

		private final Lease own = lease("me", 8, 31);

		@Test
		void looksBeforeItTriesAgain() {
			takeFailed();
			assertThat(state().doubt()).isEqualTo(this.vacant);
			assertThat(intent()).isNull();
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(this.own);
			assertThat(state().doubt()).isNull();
			assertThat(intent()).isEqualTo(new Intent.Take(this.own, 9));
		}

		@Test
		void triesAgainWhatDidNotComeTrue() {
			takeFailed();
			pass(1_000);
			looked(this.vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(this.vacant, 8));
			taken(this.own, true);
			assertThat(state().doubt()).isNull();
		}

		@Test
		void makesTheTakingComeToNothingThatItDoesNotWantAnyMore() {
			takeFailed();
			withdraw();
			assertThat(state().isOver()).isFalse();
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(this.vacant);
			assertThat(state().doubt()).isEqualTo(this.vacant);
			assertThat(intent()).isEqualTo(new Intent.Release(this.vacant, null));
			does(protocol().released(state(), this.vacant, null, now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(this.vacant.released(null));
			assertThat(state().isOver()).isTrue();
		}

		@Test
		void keepsTheLeaseForWhomItWasLeftTo() {
			Lease left = leftTo("me");
			looked(left);
			does(protocol().takeFailed(state(), left, now()));
			withdraw();
			pass(1_000);
			looked(left);
			assertThat(intent()).isEqualTo(new Intent.Release(left, "me"));
		}

		@Test
		void releasesNothingBeforeItHasStoodDown() {
			looked(this.vacant);
			takeRefused();
			withdraw();
			looked(this.vacant);
			assertThat(state().doubt()).isNotNull();
			assertThat(intent()).isNull();
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(this.vacant)).isEqualTo(new Intent.Release(this.vacant, null));
		}

		@Test
		void doesNotDelayWhoStandsAgainMeanwhile() {
			takeFailed();
			withdraw();
			pass(1_000);
			looked(this.vacant);
			does(protocol().stand(state(), now()));
			does(protocol().released(state(), this.vacant, null, now()));
			looked(this.vacant.released(null));
			assertThat(intent()).isEqualTo(new Intent.Take(this.vacant.released(null), 8));
		}

		@Test
		void givesBackWhatHasComeTrueAndIsNotWantedAnyMore() {
			takeFailed();
			withdraw();
			pass(1_000);
			looked(this.own);
			assertThat(state().doubt()).isNull();
			assertThat(intent()).isEqualTo(new Intent.Release(this.own, null));
			released();
			assertThat(state().isOver()).isTrue();
		}

		@Test
		void givesBackWhatIsToldToHaveComeTrueAndIsNotWantedAnyMore() {
			takeFailed();
			withdraw();
			noticed(this.own);
			assertThat(intent()).isEqualTo(new Intent.Release(this.own, null));
		}

		@Test
		void endsWhenTheLeaseHasMovedOn() {
			assertEndedBy(lease("other", 7, 31));
			assertEndedBy(lease("other", 8, 30));
			assertEndedBy(null);
		}

		private void assertEndedBy(@Nullable Lease seen) {
			become(protocol().begin("jobs", now()));
			takeFailed();
			withdraw();
			pass(1_000);
			looked(seen);
			assertThat(state().doubt()).isNull();
			assertThat(state().isOver()).isTrue();
		}

		@Test
		void doesNotEndByWhatIsOlder() {
			takeFailed();
			withdraw();
			pass(1_000);
			looked(lease("other", 6, 28));
			assertThat(state().doubt()).isEqualTo(this.vacant);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
		}

		@Test
		void doesNotEndByDamage() {
			takeFailed();
			withdraw();
			pass(1_000);
			lookedAtDamage();
			assertThat(state().doubt()).isEqualTo(this.vacant);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
		}

		@Test
		void isKeptByWhoMightHaveTakenOneOfSeveral() {
			looked(this.vacant);
			takeRefused();
			assertThat(state().doubt()).isEqualTo(this.vacant);
			looked(lease("other", 8, 31));
			assertThat(state().doubt()).isNull();
		}

		@Test
		void releaseThatComesToNothingDoesNotKeepItBusy() {
			takeFailed();
			withdraw();
			assertThat(callsIn(60_000, this.vacant)).isBetween(20, 190);
		}

		@Test
		void takingThatComesToNothingDoesNotKeepItBusy() {
			assertThat(callsIn(60_000, this.vacant)).isBetween(20, 190);
		}

		/** Count the calls to a store that is never changed by any. */
		private int callsIn(long millis, Lease stored) {
			int calls = 0;
			for (long passed = 0; passed < millis; passed += 50) {
				for (Intent intent = intent(); intent != null && calls < 1_000; intent = intent()) {
					calls++;
					if (intent instanceof Intent.Read) {
						looked(stored);
					}
					else if (intent instanceof Intent.Take) {
						takeRefused();
					}
					else if (intent instanceof Intent.Release release) {
						does(protocol().released(state(), release.expected(), release.successor(), now()));
					}
				}
				pass(50);
			}
			return calls;
		}

		private void takeFailed() {
			looked(this.vacant);
			does(protocol().takeFailed(state(), this.vacant, now()));
		}

	}

	@Nested
	class Vanishing {

		@Test
		void treatsVanishedLeaseAsHeldForItsTtl() {
			looked(lease("other", 7, 30));
			pass(5_000);
			looked(null);
			pass(9_999, null);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(7));
		}

		@Test
		void waitsForTheTtlThatTheLeaseHad() {
			looked(new Lease("jobs", "other", SESSION, 7, 30, Duration.ofSeconds(40), null, null));
			looked(null);
			pass(39_999, null);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(7));
		}

		@Test
		void treatsVanishedLeaseAsHeldEvenIfItWasVacantOrItsOwn() {
			looked(lease(null, 7, 30));
			looked(null);
			assertThat(intent()).isNull();
			looked(lease("me", 8, 31));
			looked(null);
			assertThat(intent()).isNull();
		}

		@Test
		void countsAgainWhenTheLeaseWasThereInBetween() {
			looked(lease("other", 7, 30));
			looked(null);
			pass(9_000);
			looked(lease("other", 7, 30));
			looked(null);
			pass(9_999, null);
			assertThat(intent()).isNull();
		}

		@Test
		void takesTermAboveTheHighestKnownWhenRecreatedByAnother() {
			looked(lease("other", 7, 30));
			looked(null);
			Lease recreated = lease(null, 0, 0);
			looked(recreated);
			assertThat(intent()).isEqualTo(new Intent.Take(recreated, 8));
		}

		@Test
		void treatsLeaseAsHeldForItsOwnTtlIfItOnlyKnowsThatThereWasOne() {
			become(protocol().recall(state(), new PastElections.Past(false, now().nanos(), 7), now()));
			looked(null);
			pass(9_999, null);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(7));
		}

		@Test
		void looksAtPresentLeaseWithoutDelayIfItOnlyKnowsThatThereWasOne() {
			become(protocol().recall(state(), new PastElections.Past(false, now().nanos(), 7), now()));
			looked(lease(null, 9, 30));
			assertThat(intent()).isEqualTo(new Intent.Take(lease(null, 9, 30), 10));
		}

	}

	@Nested
	class Damage {

		@Test
		void keepsAwayFromWhatIsNotLease() {
			lookedAtDamage();
			pass(60_000);
			assertThat(intent()).isEqualTo(new Intent.Read());
			lookedAtDamage();
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
			assertThat(needsChange()).isFalse();
			assertThat(state().isDamaged()).isTrue();
			assertThat(change()).isNull();
		}

		@Test
		void keepsAwayFromItEvenIfTheLeaseWasThereToBeTaken() {
			looked(lease(null, 7, 30));
			lookedAtDamage();
			pass(20_000);
			lookedAtDamage();
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
		}

		@Test
		void keepsAwayFromItEvenIfTheHolderOfTheLeaseIsSilent() {
			looked(lease("other", 7, 30));
			lookedAtDamage();
			assertThat(intent()).isNull();
			renews(1);
			pass(20_000);
			lookedAtDamage();
			assertThat(intent()).isNull();
		}

		@Test
		void looksMoreRarelyWhereChangesArePushed() {
			does(protocol().lookedAtDamage(state(), true, now()));
			assertThat(wakeIn()).isEqualTo(2_500);
		}

		@Test
		void doesNotConcernTermThatHasEnded() {
			lead(8);
			lapsed(8);
			lookedAtDamage();
			assertThat(change()).isNull();
			assertThat(term().kept()).isTrue();
		}

		@Test
		void waitsForAPollIntervalBeforeItTakesWhatWasRepaired() {
			lookedAtDamage();
			Lease repaired = lease(null, 7, 30);
			noticed(repaired);
			pass(999, repaired);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(repaired)).isEqualTo(new Intent.Take(repaired, 8));
		}

		@Test
		void waitsForAPollIntervalBeforeItTakesWhatItSeesRepaired() {
			lookedAtDamage();
			Lease repaired = lease(null, 7, 30);
			looked(repaired);
			assertThat(intent()).isNull();
			pass(1_000);
			assertThat(intentAfterLooks(repaired)).isEqualTo(new Intent.Take(repaired, 8));
		}

		@Test
		void hasNoTermBeyondTheGreatest() {
			Lease last = lease(null, Lease.MAX_TERM, 30);
			assertThat(protocol().flaw(state(), last)).contains("'term' must be", "" + (Lease.MAX_TERM - 1));
			looked(last);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
		}

		@Test
		void hasNoRevisionBeyondTheGreatest() {
			Lease last = lease(null, 7, Lease.MAX_TERM);
			assertThat(protocol().flaw(state(), last)).contains("'revision' must be", "" + (Lease.MAX_TERM - 2));
			looked(last);
			assertThat(intent()).isNull();
			assertThat(wakeIn()).isEqualTo(1_000);
		}

		@Test
		void findsNoFaultWithTheLastButOne() {
			assertThat(protocol().flaw(state(), lease(null, Lease.MAX_TERM - 1, 30))).isNull();
			assertThat(protocol().flaw(state(), lease(null, 7, Lease.MAX_TERM - 2))).isNull();
			assertThat(protocol().flaw(state(), lease(null, 7, 30))).isNull();
			looked(lease("other", Lease.MAX_TERM - 1, 31));
			assertThat(protocol().flaw(state(), lease(null, 7, 30))).isNull();
		}

		@Test
		void takesTheLastButOneAndSaysWhyItCanNotGoOnFromThere() {
			Lease lastButOne = lease(null, Lease.MAX_TERM - 1, 30);
			looked(lastButOne);
			assertThat(intent()).isEqualTo(new Intent.Take(lastButOne, Lease.MAX_TERM));
			looked(lease("other", Lease.MAX_TERM, 31));
			Lease repaired = lease(null, 7, 32);
			assertThat(protocol().flaw(state(), repaired)).contains("" + Lease.MAX_TERM, "Restart all instances");
		}

		@Test
		void standsBackFromWhatCanNotBeTakenThoughItLooksAsIfItCould() {
			Lease vacant = lease(null, 7, 30);
			looked(vacant);
			takeRefused();
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(vacant);
			assertThat(intent()).isNull();
			pass(999, vacant);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(vacant)).isEqualTo(new Intent.Take(vacant, 8));
		}

		@Test
		void takesAtOnceWhatHasChangedSinceItCouldNotBeTaken() {
			Lease vacant = lease(null, 7, 30);
			looked(vacant);
			takeRefused();
			Lease own = lease("me", 8, 31);
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 9));
			Lease released = lease(null, 9, 33);
			noticed(released);
			does(protocol().takeRefused(state(), own, now()));
			looked(released);
			assertThat(intent()).isEqualTo(new Intent.Take(released, 10));
		}

		@Test
		void treatsRemovedDamageAsHeldForItsOwnTtlIfItNeverKnewBetter() {
			lookedAtDamage();
			looked(null);
			pass(9_999, null);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(0));
		}

		@Test
		void treatsRemovedDamageAsHeldForTheTtlKnownBefore() {
			looked(lease("other", 7, 30));
			pass(9_000);
			lookedAtDamage();
			pass(9_000);
			looked(null);
			pass(9_999, null);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(7));
		}

	}

	/** Who wants to know that there is no use in waiting. */
	@Nested
	class Blocked {

		@Test
		void isNotBeforeItHasLooked() {
			assertThat(blocked()).isFalse();
		}

		@Test
		void isNotBeforeItKnowsWhetherTheHolderLives() {
			looked(lease("other", 7, 30));
			assertThat(blocked()).isFalse();
			renews(1);
			assertThat(blocked()).isTrue();
		}

		@Test
		void isNotByWhoeverIsSilentOrWhoseEpochHasEnded() {
			Lease held = lease("other", 7, 30);
			looked(held);
			renews(1);
			pass(9_999, held);
			assertThat(blocked()).isTrue();
			pass(1);
			assertThat(blocked()).isFalse();
			sees(session(1).expired());
			assertThat(blocked()).isFalse();
		}

		@Test
		void isNotByWhoHasNoSessionHoweverLongOneIsWatchedInItsPlace() {
			Lease held = lease("other", 7, 30);
			looked(held);
			sees(null);
			assertThat(blocked()).isFalse();
			sees(held.tombstone());
			assertThat(blocked()).isFalse();
			pass(9_999, held);
			assertThat(blocked()).isFalse();
		}

		@Test
		void isNotByWhatCanBeTakenOrCreated() {
			looked(null);
			assertThat(blocked()).isFalse();
			looked(lease(null, 7, 30));
			assertThat(blocked()).isFalse();
			looked(lease("me", 8, 31));
			assertThat(blocked()).isFalse();
		}

		@Test
		void isByDamage() {
			lookedAtDamage();
			assertThat(blocked()).isTrue();
		}

		@Test
		void isByWhatHasVanishedUntilItHasOutlivedItsTtl() {
			looked(lease("other", 7, 30));
			looked(null);
			assertThat(blocked()).isTrue();
			pass(9_999, null);
			assertThat(blocked()).isTrue();
			pass(1);
			assertThat(blocked()).isFalse();
		}

		@Test
		void isNotWhileItLeadsOrDoesNotStand() {
			lead(7);
			assertThat(blocked()).isFalse();
			withdraw();
			settled(7);
			released();
			looked(lease("other", 8, 33));
			renews(1);
			assertThat(blocked()).isFalse();
			does(protocol().stand(state(), now()));
			assertThat(blocked()).isTrue();
		}

		private boolean blocked() {
			return protocol().isBlocked(state(), holder(), now());
		}

	}

	@Nested
	class Pushing {

		@Test
		void showsReleaseAtOnce() {
			looked(lease("other", 7, 30));
			Lease vacant = lease(null, 7, 31);
			noticed(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 8));
		}

		@Test
		void showsLeaseBeforeTheFirstLook() {
			Lease vacant = lease(null, 7, 31);
			noticed(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 8));
		}

		@Test
		void changesNothingByWhatRepeatsOrComesLate() {
			Lease held = lease("other", 7, 30);
			looked(held);
			pass(500);
			ElectionState before = state();
			noticed(held);
			noticed(lease("other", 7, 29));
			noticed(lease(null, 6, 28));
			noticed(lease(null, 6, 31));
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void endsTheOwnTermWhenItShowsLaterOne() {
			lead(8);
			noticed(lease("other", 9, 40));
			assertThat(change()).isEqualTo(new Loss(LossReason.TAKEN_OVER, false, now()));
			assertThat(state().leader("me")).isEqualTo("other");
		}

		@Test
		void doesNotEndTheOwnTermByWhatIsOlder() {
			lead(8);
			ElectionState before = state();
			noticed(lease("other", 7, 30));
			noticed(lease(null, 7, 30));
			noticed(lease("me", 8, 31));
			assertThat(change()).isNull();
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void makesLeaderLookAtOnceIfItShowsAnotherHolderOfTheSameTerm() {
			lead(8);
			pass(1);
			noticed(lease("other", 8, 40));
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void endsNoTermTwice() {
			lead(8);
			lapsed(8);
			noticed(lease("other", 9, 40));
			assertThat(change()).isNull();
			assertThat(term().loss().reason()).isEqualTo(LossReason.EXPIRED);
			assertThat(state().leader("me")).isEqualTo("other");
		}

		@Test
		void removalMakesLeaderLookAtOnce() {
			Lease own = lead(8);
			pass(1);
			assertThat(intent()).isNull();
			doubted();
			assertThat(term().phase()).isEqualTo(Phase.LEADING);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(own);
			assertThat(change()).isNull();
			assertThat(intent()).isNull();
		}

		@Test
		void removalMakesFollowerLookAtOnce() {
			looked(lease("other", 7, 30));
			doubted();
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void removalMakesNobodyGiveBackEarlier() {
			lead(8);
			lapsed(8);
			looked(lease("me", 8, 31));
			pass(1);
			doubted();
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void changesThatTellNothingMakeTheLeaderLookNoMoreOftenThanItPolls() {
			lead(8);
			pass(1);
			does(protocol().lookAgain(state(), now()));
			assertThat(intent()).isNull();
			pass(999);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Read());
			looked(lease("me", 8, 31));
			pass(2_000);
			does(protocol().lookAgain(state(), now()));
			assertThat(wakeIn()).isEqualTo(500);
		}

		@Test
		void changesThatTellNothingMakeFollowersLook() {
			looked(lease("other", 7, 30));
			does(protocol().lookAgain(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Read());
		}

		@Test
		void canAskForLookByGivenTime() {
			looked(lease("other", 7, 30));
			renews(1);
			does(protocol().lookBy(state(), now().plus(Duration.ofSeconds(2)).nanos()));
			assertThat(wakeIn()).isEqualTo(1_000);
			does(protocol().lookBy(state(), now().plus(Duration.ofMillis(400)).nanos()));
			assertThat(wakeIn()).isEqualTo(400);
		}

		@Test
		void makesReadingRarer() {
			lookedPushed(null);
			assertThat(untilNextLook()).isEqualTo(2_500);
			lookedPushed(lease(null, 7, 30));
			assertThat(untilNextLook()).isEqualTo(2_500);
			lookedPushed(lease("other", 8, 31));
			assertThat(untilNextLook()).isEqualTo(50_000);
			looked(lease("other", 8, 31));
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void makesReadingRarerByWhatIsPushedItself() {
			looked(lease("other", 7, 30));
			does(protocol().noticed(state(), lease("third", 8, 31), true, now()));
			assertThat(untilNextLook()).isEqualTo(50_000);
			does(protocol().noticed(state(), lease("other", 9, 32), false, now()));
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void neverMakesReadingMoreFrequentThanPolls() {
			ElectionSettings slow = new ElectionSettings(TTL, Duration.ofSeconds(1), Duration.ofSeconds(1),
					Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ZERO, Duration.ZERO);
			ElectionProtocol patient = new ElectionProtocol("me", slow, ElectionProtocolTests.this.lives);
			ElectionState following = patient.begin("jobs", now());
			following = patient.looked(following, lease(null, 7, 30), now(), true, now());
			assertThat(following.nextLook() - now().nanos()).isEqualTo(slow.pollInterval().toNanos());
		}

		@Test
		void isNotUndoneByReadThatItOvertook() {
			looked(lease("other", 7, 30));
			Moment sentAt = now();
			pass(1);
			noticed(lease("third", 8, 32));
			does(protocol().looked(state(), lease("other", 7, 30), sentAt, true, now()));
			assertThat(state().leader("me")).isEqualTo("third");
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void isUndoneByReadThatBeganWhenItArrived() {
			looked(lease("other", 7, 30));
			pass(1);
			noticed(lease("third", 8, 32));
			looked(lease("other", 7, 30));
			assertThat(state().leader("me")).isEqualTo("other");
		}

		@Test
		void doesNotKeepReadFromShowingWhatIsNewer() {
			looked(lease("other", 7, 30));
			Moment sentAt = now();
			pass(1);
			noticed(lease("third", 8, 32));
			does(protocol().looked(state(), lease("fourth", 9, 34), sentAt, true, now()));
			assertThat(state().leader("me")).isEqualTo("fourth");
		}

		@Test
		void isNotUndoneByReadThatItOvertookAndThatShowsNone() {
			looked(lease("other", 7, 30));
			Moment sentAt = now();
			pass(1);
			noticed(lease("third", 8, 32));
			does(protocol().looked(state(), null, sentAt, true, now()));
			assertThat(state().leader("me")).isEqualTo("third");
			pass(untilNextLook());
			looked(null);
			assertThat(state().leader("me")).isNull();
		}

	}

	@Nested
	class Telling {

		@Test
		void knowsItselfAsLeaderWhileItLeadsOrDrains() {
			assertThat(leader()).isNull();
			lead(8);
			assertThat(leader()).isEqualTo("me");
			resign(LossReason.RESIGNED);
			assertThat(leader()).isEqualTo("me");
			settled(8);
			assertThat(leader()).isNull();
		}

		@Test
		void knowsAnotherAsLeaderOnceSeen() {
			looked(lease("other", 7, 30));
			assertThat(leader()).isEqualTo("other");
			looked(lease(null, 7, 31));
			assertThat(leader()).isNull();
			looked(null);
			assertThat(leader()).isNull();
		}

		@Test
		void doesNotReportItselfByWhatIsStoredAlone() {
			looked(lease("me", 7, 30));
			assertThat(leader()).isNull();
		}

		@Test
		void tellsWhenTheTermBeganIfTheLeaseDoes() {
			assertThat(state().electedAt()).isNull();
			Instant date = Instant.ofEpochSecond(1_000_000);
			looked(lease("other", 7, 30).electedAt(date));
			assertThat(state().electedAt()).isEqualTo(date);
		}

		@Test
		void tellsForHowLongTheHolderMayStillBeBelievedIn() {
			assertRemaining(0, 0);
			looked(lease(null, 7, 30));
			assertRemaining(0, 0);
			looked(lease("other", 7, 31));
			assertRemaining(10_000, 0);
			renews(1);
			pass(4_000);
			assertRemaining(6_000, 0);
			pass(7_000);
			assertRemaining(0, 1_000);
			sees(session(1).expired());
			assertRemaining(0, 0);
			pass(2_000);
			assertRemaining(0, 2_000);
		}

		@Test
		void tellsForHowLongHolderWithoutSessionMayStillBeBelievedIn() {
			looked(lease("other", 7, 31));
			sees(null);
			pass(4_000);
			assertRemaining(6_000, 0);
		}

		private void assertRemaining(long remaining, long overdue) {
			assertThat(state().remaining(holder(), now())).isEqualTo(Duration.ofMillis(remaining));
			assertThat(state().overdue(holder(), now())).isEqualTo(Duration.ofMillis(overdue));
		}

		private @Nullable String leader() {
			return state().leader("me");
		}

	}

	/** Whatever happens in whatever order. */
	@Nested
	class Waking {

		@Test
		void isAskedForNeitherForNothingNorTooLate() {
			for (int seed = 0; seed < 150; seed++) {
				Dice dice = new Dice(seed);
				become(protocol().begin("jobs", now()));
				ElectionProtocolTests.this.holder = null;
				for (int step = 0; step < 150; step++) {
					happen(dice);
				}
			}
		}

		private void happen(Dice dice) {
			Lease known = (state().sighting() != null) ? state().sighting().lease() : null;
			switch (dice.below(24)) {
				case 0, 1 -> looked(any(dice, known));
				case 2 -> lookedPushed(any(dice, known));
				case 3 -> lookedAtDamage();
				case 4, 5 -> does(protocol().noticed(state(), any(dice, known), dice.onceIn(2), now()));
				case 6 -> doubted();
				case 7 -> does(protocol().lookAgain(state(), now()));
				case 8 -> callFailed();
				case 9 -> lapsed(state().highestTerm());
				case 10 -> orphaned();
				case 11 -> resign(dice.pick(List.of(LossReason.values())));
				case 12 -> settled(state().highestTerm());
				case 13 -> withdraw();
				case 14, 15 -> does(protocol().stand(state(), now()));
				case 16 -> renews(dice.below(3), dice.onceIn(4) ? Duration.ofMillis(100) : TTL);
				case 17 -> sees(null);
				case 18 -> does(protocol().standNoMore(state(), now()));
				case 19, 20 -> answer(dice);
				default -> pass(dice.pick(List.of(1, 99, 300, 625, 1_000, 2_500, 10_000)));
			}
			tick();
		}

		private void answer(Dice dice) {
			Intent intent = intent();
			if (intent instanceof Intent.Take take) {
				switch (dice.below(4)) {
					case 0 -> takeRefused();
					case 1 -> does(protocol().takeFailed(state(), take.expected(), now()));
					default -> taken(new Lease("jobs", "me", SESSION, take.term(), take.expected().revision() + 1, TTL,
							null, null), !dice.onceIn(4));
				}
			}
			else if (intent instanceof Intent.Release release) {
				does(protocol().released(state(), release.expected(), release.successor(), now()));
			}
			else if (intent instanceof Intent.Create) {
				does(dice.onceIn(2) ? protocol().createRefused(state(), now()) : protocol().created(state(), now()));
			}
			else if (intent instanceof Intent.Expire) {
				ended();
			}
			else if (intent instanceof Intent.Bury bury) {
				sees(bury.tombstone());
			}
		}

		private @Nullable Lease any(Dice dice, @Nullable Lease known) {
			if (known != null && dice.onceIn(2)) {
				return known;
			}
			long term = state().highestTerm() + dice.below(3) - 1;
			String name = new ArrayList<>(List.of("me", "other", "")).get(dice.below(3));
			Duration ttl = dice.onceIn(4) ? Duration.ofMillis(100) : TTL;
			return new Lease("jobs", name.isEmpty() ? null : name, dice.below(6), Math.max(0, term), dice.below(400),
					ttl, null, (name.isEmpty() && dice.onceIn(2)) ? "other" : null);
		}

	}

	// As the driver does it

	private Lease lead(long term) {
		looked(lease(null, term - 1, 30));
		Lease own = lease("me", term, 31);
		taken(own, true);
		assertThat(change()).isEqualTo(Phase.LEADING);
		return own;
	}

	private void looked(@Nullable Lease lease) {
		does(this.protocol.looked(this.state, lease, now(), false, now()));
	}

	private void lookedPushed(@Nullable Lease lease) {
		does(this.protocol.looked(this.state, lease, now(), true, now()));
	}

	private void lookedAtDamage() {
		does(this.protocol.lookedAtDamage(this.state, false, now()));
	}

	private void noticed(Lease lease) {
		does(this.protocol.noticed(this.state, lease, false, now()));
	}

	private void doubted() {
		does(this.protocol.doubted(this.state, now()));
	}

	private void taken(Lease lease, boolean alive) {
		does(this.protocol.taken(this.state, lease, alive, now(), now()));
	}

	private void takeRefused() {
		does(this.protocol.takeRefused(this.state, this.state.sighting().lease(), now()));
	}

	private void lapsed(long term) {
		does(this.protocol.lapsed(this.state, term, now()));
	}

	private void orphaned() {
		does(this.protocol.orphaned(this.state, now()));
	}

	/** The release that is asked for has been answered. */
	private void released() {
		Intent.Release release = (Intent.Release) intent();
		does(this.protocol.released(this.state, release.expected(), release.successor(), now()));
	}

	private void released(Lease expected) {
		does(this.protocol.released(this.state, expected, null, now()));
	}

	private void settled(long term) {
		does(this.protocol.settled(this.state, term, false, now()));
	}

	private void settledButForClosers(long term) {
		does(this.protocol.settled(this.state, term, true, now()));
	}

	private void callFailed() {
		does(this.protocol.callFailed(this.state, now()));
	}

	private void tick() {
		does(this.protocol.tick(this.state, now()));
	}

	private void withdraw() {
		does(this.protocol.withdraw(this.state, LossReason.SHUTDOWN, now()));
	}

	private @Nullable Object resign(LossReason reason) {
		does(this.protocol.resign(this.state, reason, now()));
		return this.change;
	}

	private void does(ElectionState next) {
		Phase before = phase(this.state);
		Phase after = phase(next);
		this.change = (after == null || after == before) ? null : switch (after) {
			case LEADING -> after;
			case DRAINING -> next.term().handover();
			case STOPPING -> next.term().loss();
			case LINGERING -> (before == Phase.STOPPING) ? null : next.term().loss();
			case RELEASING, LEFT -> null;
		};
		become(next);
	}

	private static @Nullable Phase phase(ElectionState state) {
		return (state.term() != null) ? state.term().phase() : null;
	}

	private void become(ElectionState next) {
		this.state = next;
		assertAwake();
	}

	// What is seen of the session of the other

	private Session renews(long revision) {
		return renews(revision, TTL);
	}

	private Session renews(long revision, Duration ttl) {
		Session session = new Session("other", SESSION, revision, ttl, null, false);
		sees(session);
		return session;
	}

	private void sees(@Nullable Session session) {
		sightedWith(HEAD_START, session);
	}

	private void sightedWith(Duration headStart, @Nullable Session session) {
		this.holder = this.lives.sighted(this.holder, session, now(), headStart);
		assertAwake();
	}

	/** This process has ended the session of the other. */
	private void ended() {
		this.holder = new SessionSighting(session(1).expired(), now().nanos(), now().nanos());
		assertAwake();
	}

	private static Session session(long revision) {
		return new Session("other", SESSION, revision, TTL, null, false);
	}

	private void pass(long millis) {
		this.clock.advance(millis);
		assertAwake();
	}

	/** Let the time pass, and look now and then: each shows the same. */
	private void pass(long millis, @Nullable Lease lease) {
		for (long passed = 0; passed < millis; passed += 100) {
			pass(Math.min(100, millis - passed));
			intentAfterLooks(lease);
		}
	}

	private @Nullable Intent intentAfterLooks(@Nullable Lease lease) {
		if (intent() instanceof Intent.Read) {
			looked(lease);
		}
		return intent();
	}

	/** Whether it is time is said by both, and both say the same. */
	private void assertAwake() {
		Intent intent = intent();
		boolean drained = !this.protocol.tick(this.state, now()).equals(this.state);
		boolean awake = this.protocol.wakeAt(this.state, this.holder, now()) - now().nanos() <= 0;
		boolean toldBySessions = intent instanceof Intent.Watch;
		if (!toldBySessions || awake) {
			assertThat(awake).as("%s wants %s", this.state, intent).isEqualTo(intent != null || drained);
		}
		assertThat(this.protocol.tickAt(this.state, now()) - now().nanos() <= 0).isEqualTo(drained);
	}

	private @Nullable Intent intent() {
		return this.protocol.intent(this.state, this.holder, now());
	}

	private boolean needsChange() {
		return this.protocol.needsChange(this.state, this.holder, now());
	}

	private boolean mayGoAlong() {
		return this.protocol.mayGoAlong(this.state, now());
	}

	private long wakeIn() {
		return Duration.ofNanos(this.protocol.wakeAt(this.state, this.holder, now()) - now().nanos()).toMillis();
	}

	private long tickIn() {
		return Duration.ofNanos(this.protocol.tickAt(this.state, now()) - now().nanos()).toMillis();
	}

	private long untilNextLook() {
		return Duration.ofNanos(this.state.nextLook() - now().nanos()).toMillis();
	}

	private ElectionProtocol protocol() {
		return this.protocol;
	}

	private @Nullable Object change() {
		return this.change;
	}

	private ElectionState state() {
		return this.state;
	}

	private @Nullable SessionSighting holder() {
		return this.holder;
	}

	private TermState term() {
		return this.state.term();
	}

	private Moment now() {
		return this.clock.now();
	}

	private static Lease lease(@Nullable String holder, long term, long revision) {
		return new Lease("jobs", holder, (holder != null) ? SESSION : 0, term, revision, TTL, null, null);
	}

	private static Lease leftTo(String successor) {
		return new Lease("jobs", null, 0, 7, 30, TTL, null, successor);
	}

}
