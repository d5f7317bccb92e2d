package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.Tenure.Phase;
import io.github.leaderelection.store.Lease;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ElectionProtocol}, rule by rule, as candidate {@code me}. Its ttl is
 * 10 s: it renews every 2.5 s, polls every second, and believes for 9 s.
 */
class ElectionProtocolTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	/** A time by the clock of the store. */
	private static final Instant READ_AT = Instant.ofEpochSecond(1_000_000);

	private final ManualClock clock = new ManualClock();

	private final ElectionProtocol protocol = new ElectionProtocol("me", ElectionSettings.of(TTL));

	private ElectionState state = this.protocol.begin("jobs", this.clock.now());

	private Step.Effect effect;

	@Nested
	class Taking {

		@Test
		void looksBeforeAnythingElse() {
			assertThat(intent()).isEqualTo(new Intent.Look());
		}

		@Test
		void createsAndTakesAtOnceWhatNobodyEverSaw() {
			looked(null);
			assertThat(intent()).isEqualTo(new Intent.Create(0));
			does(ElectionProtocolTests.this.protocol.created(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Look());
			Lease vacant = lease(null, 0, 0);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 1));
		}

		@Test
		void doesNotInsistOnCreatingWhatItIsToldExists() {
			looked(null);
			does(ElectionProtocolTests.this.protocol.createRefused(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Look());
			looked(null);
			assertThat(intent()).isNull();
			pass(1_000);
			looked(null);
			assertThat(intent()).isEqualTo(new Intent.Create(0));
		}

		@Test
		void timeForTheTimerDoesNotDependOnCallsThatAreDue() {
			looked(null);
			assertThat(ElectionProtocolTests.this.protocol.tickAt(state(), now()) - now().nanos()).isPositive();
			lead(8);
			pass(5_000);
			assertThat(intent()).isInstanceOf(Intent.Renew.class);
			assertThat(ElectionProtocolTests.this.protocol.tickAt(state(), now()) - now().nanos())
				.isEqualTo(Duration.ofSeconds(4).toNanos());
		}

		@Test
		void needsChangeWhileItPausesAfterOneThatFailed() {
			looked(lease("other", 7, 30));
			assertThat(ElectionProtocolTests.this.protocol.needsChange(state(), now())).isFalse();
			looked(lease(null, 7, 31));
			callFailed();
			looked(lease(null, 7, 31));
			assertThat(intent()).isNull();
			assertThat(ElectionProtocolTests.this.protocol.needsChange(state(), now())).isTrue();
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
			assertThat(sleep()).isLessThanOrEqualTo(Duration.ofSeconds(2));
			pass(1_999, left);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(left)).isEqualTo(new Intent.Take(left, 8));
		}

		@Test
		void takesItsOwnLeaseAtOnceUnderTheNextTerm() {
			Lease own = lease("me", 7, 30);
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 8));
		}

		@Test
		void takesTheLeaseOfAnotherOnlyWhenWatchedForItsTtl() {
			Lease held = lease("other", 7, 30);
			looked(held);
			pass(9_999, held);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void countsFromWhenItSawTheRevisionNotFromWhenItAsked() {
			pass(3_000);
			Lease held = lease("other", 7, 30);
			looked(held);
			pass(9_999, held);
			assertThat(intent()).isNull();
		}

		@Test
		void waitsForTheTtlOfTheHolderNotItsOwn() {
			Lease held = new Lease("jobs", "other", 7, 30, Duration.ofSeconds(60), null, null);
			looked(held);
			pass(59_999, held);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void doesNotWaitLongerThanTheTtlOfTheHolder() {
			Lease held = new Lease("jobs", "other", 7, 30, Duration.ofMillis(500), null, null);
			looked(held);
			pass(500);
			assertThat(intent()).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void startsToCountAgainAtEachRenewal() {
			looked(lease("other", 7, 30));
			pass(9_000);
			Lease renewed = lease("other", 7, 31);
			looked(renewed);
			pass(9_999, renewed);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(renewed)).isEqualTo(new Intent.Take(renewed, 8));
		}

		@Test
		void startsToCountAgainWhenTheRevisionIsLowerThanBefore() {
			looked(lease("other", 7, 30));
			pass(9_000);
			Lease restored = lease("other", 5, 12);
			looked(restored);
			pass(9_999, restored);
			assertThat(intent()).isNull();
		}

		@Test
		void grantsTermAboveTheHighestSeenEvenIfTheLeaseHasGoneBack() {
			looked(lease("other", 7, 30));
			Lease restored = lease(null, 5, 12);
			looked(restored);
			assertThat(intent()).isEqualTo(new Intent.Take(restored, 8));
		}

		@Test
		void doesNotMindTheWallClock() {
			Lease held = lease("other", 7, 30);
			looked(held);
			ElectionProtocolTests.this.clock.jump(Duration.ofDays(1));
			assertThat(intent()).isNull();
			ElectionProtocolTests.this.clock.jump(Duration.ofDays(-2));
			pass(10_000);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void looksAgainWhenSomeoneElseWasFaster() {
			looked(lease(null, 7, 30));
			takeRefused();
			assertThat(intent()).isEqualTo(new Intent.Look());
			looked(lease("other", 8, 31));
			assertThat(intent()).isNull();
		}

		@Test
		void isNotElectedByLookingOnly() {
			looked(lease("me", 8, 31));
			assertThat(state().tenure()).isNull();
			assertThat(effect()).isNull();
		}

		@Test
		void looksBeforeItTriesAgainWhenTheOutcomeOfTakingIsUnknown() {
			Lease vacant = lease(null, 7, 30);
			looked(vacant);
			callFailed();
			assertThat(intent()).isNull();
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Look());
			Lease own = lease("me", 8, 31);
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 9));
		}

		@Test
		void doesNotTakeWhatIsPushedWhileTheOutcomeOfTakingIsUnknown() {
			looked(lease(null, 7, 30));
			callFailed();
			noticed(lease("me", 8, 31));
			assertThat(intent()).isNull();
			pass(1_000);
			assertThat(intent()).isEqualTo(new Intent.Look());
		}

	}

	@Nested
	class Deadline {

		@Test
		void countsFromBeforeTheTakingWasSent() {
			Moment sentAt = now();
			looked(lease(null, 7, 30));
			pass(400);
			taken(lease("me", 8, 31), sentAt);
			assertThat(effect()).isEqualTo(new Step.Elected(8, sentAt.plus(Duration.ofSeconds(9))));
		}

		@Test
		void countsFromBeforeTheRenewalWasSent() {
			lead(8);
			pass(2_500);
			Moment sentAt = now();
			pass(2_000);
			renewed(8, sentAt);
			assertThat(effect()).isEqualTo(new Step.Extended(sentAt.plus(Duration.ofSeconds(9))));
			assertThat(tenure().deadline()).isEqualTo(sentAt.plus(Duration.ofSeconds(9)));
			pass(6_999);
			tick();
			assertThat(effect()).isNull();
			pass(1);
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
		}

		@Test
		void endsTheTermOnItsOwn() {
			lead(8);
			pass(8_999);
			tick();
			assertThat(effect()).isNull();
			pass(1);
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
			assertThat(tenure().phase()).isEqualTo(Phase.ENDED);
		}

		@Test
		void isNotMovedByReplyThatArrivesLate() {
			lead(8);
			pass(8_000);
			Moment sentAt = now();
			pass(1_000);
			renewed(8, sentAt);
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
			renewed(8, sentAt);
			assertThat(effect()).isNull();
			assertThat(tenure().phase()).isEqualTo(Phase.ENDED);
		}

		@Test
		void refusesTermWhoseTakingWasAnsweredTooLate() {
			Moment sentAt = now();
			looked(lease(null, 7, 30));
			pass(9_000);
			Lease own = lease("me", 8, 31);
			taken(own, sentAt);
			assertThat(effect()).isNull();
			assertThat(state().tenure()).isNull();
			assertThat(intent()).isEqualTo(new Intent.Look());
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 9));
		}

		@Test
		void comesEarlyWhenTheWallClockIsSetForward() {
			lead(8);
			ElectionProtocolTests.this.clock.jump(Duration.ofSeconds(9));
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
		}

		@Test
		void comesWhenTheMachineWasSuspended() {
			lead(8);
			Moment sentAt = now();
			ElectionProtocolTests.this.clock.suspend(Duration.ofHours(1));
			renewed(8, sentAt);
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
		}

		@Test
		void isNotDelayedByWallClockThatIsSetBack() {
			lead(8);
			ElectionProtocolTests.this.clock.jump(Duration.ofHours(-1));
			pass(9_000);
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
		}

		@Test
		void holdsAgainBothClocksAfterWallClockWasSetBackAndTheLeaseRenewed() {
			lead(8);
			ElectionProtocolTests.this.clock.jump(Duration.ofHours(-1));
			renewed(8, now());
			ElectionProtocolTests.this.clock.suspend(Duration.ofSeconds(9));
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
		}

		@Test
		void leavesTheMarginBeforeAnyoneElseMayTake() {
			ElectionProtocol follower = new ElectionProtocol("other", ElectionSettings.of(Duration.ofMillis(100)));
			ElectionState watching = follower.begin("jobs", now());
			Lease own = lead(8);
			watching = follower.looked(watching, own, new Look(now(), null, false), now()).state();
			pass(9_000);
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
			pass(999);
			watching = follower.looked(watching, own, new Look(now(), null, false), now()).state();
			assertThat(follower.intent(watching, now())).isNull();
			pass(1);
			assertThat(follower.intent(watching, now())).isEqualTo(new Intent.Take(own, 9));
		}

	}

	@Nested
	class Renewing {

		@Test
		void fallsIntoStepWithOtherElectionsOnceAndKeepsTheBeat() {
			lead(8);
			assertThat(mayGoAlong()).isTrue();
			renewed(8, now());
			pass(2_249);
			assertThat(mayGoAlong()).isFalse();
			pass(1);
			assertThat(mayGoAlong()).isTrue();
		}

		private boolean mayGoAlong() {
			return ElectionProtocolTests.this.protocol.mayGoAlong(state(), now());
		}

		@Test
		void renewsAtTheInterval() {
			lead(8);
			pass(2_499);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
		}

		@Test
		void triesAgainUntilTheDeadlineWhenCallsFail() {
			lead(8);
			pass(2_500);
			int attempts = 0;
			while (tenure().phase() == Phase.LEADING) {
				if (intent() != null) {
					assertThat(intent()).isEqualTo(new Intent.Renew(8));
					attempts++;
					callFailed();
					assertThat(effect()).isNull();
				}
				pass(25);
				tick();
			}
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
			assertThat(attempts).isBetween(10, 12);
		}

		@Test
		void goesOnAfterFailedCallAsIfNothingHadHappened() {
			lead(8);
			pass(2_500);
			callFailed();
			pass(6_000);
			Moment sentAt = now();
			renewed(8, sentAt);
			assertThat(effect()).isEqualTo(new Step.Extended(sentAt.plus(Duration.ofSeconds(9))));
		}

		@Test
		void endsAtOnceWhenRefused() {
			lead(8);
			pass(2_500);
			renewalRefused(8);
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.TAKEN_OVER, false));
		}

		@Test
		void ignoresAnswersForOtherTerms() {
			lead(8);
			renewalRefused(7);
			assertThat(effect()).isNull();
			renewed(7, now());
			assertThat(effect()).isNull();
			lapsed(7);
			assertThat(effect()).isNull();
			settled(7);
			assertThat(tenure().phase()).isEqualTo(Phase.LEADING);
		}

		@Test
		void ignoresAnswersForTermThatHasEnded() {
			lead(8);
			renewalRefused(8);
			Tenure ended = tenure();
			renewalRefused(8);
			lapsed(8);
			tick();
			assertThat(effect()).isNull();
			assertThat(tenure()).isEqualTo(ended);
		}

		@Test
		void ignoresAnswersWhenThereIsNoTermAtAll() {
			looked(lease("other", 7, 30));
			ElectionState before = state();
			renewed(8, now());
			renewalRefused(8);
			lapsed(8);
			released(8);
			settled(8);
			tick();
			assertThat(effect()).isNull();
			assertThat(state()).isEqualTo(before);
		}

		@Test
		void doesNotLeadAgainBeforeTheWorkOfTheLostTermHasEnded() {
			Lease own = lead(8);
			pass(9_000);
			tick();
			pass(1_000);
			looked(own);
			assertThat(intent()).isNull();
			settled(8);
			looked(own);
			assertThat(intent()).isEqualTo(new Intent.Take(own, 9));
		}

		@Test
		void watchesTheLeaseWhileTheWorkOfTheLostTermEnds() {
			lead(8);
			renewalRefused(8);
			assertThat(intent()).isEqualTo(new Intent.Look());
			looked(lease("other", 9, 40));
			pass(10_000);
			settled(8);
			assertThat(intentAfterLooks(lease("other", 9, 40))).isEqualTo(new Intent.Take(lease("other", 9, 40), 10));
		}

	}

	@Nested
	class Resigning {

		@Test
		void closesTheGateAndGoesOnRenewing() {
			lead(8);
			assertThat(resign(LossReason.RESIGNED)).isEqualTo(new Step.Drain(LossReason.RESIGNED));
			assertThat(tenure().phase()).isEqualTo(Phase.DRAINING);
			pass(2_500);
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
			renewed(8, now());
			assertThat(effect()).isInstanceOf(Step.Extended.class);
		}

		@Test
		void releasesWhenSettledAndNotBefore() {
			lead(8);
			resign(LossReason.RESIGNED);
			assertThat(intent()).isNull();
			settled(8);
			assertThat(intent()).isEqualTo(new Intent.Release(8, null));
			released(8);
			assertThat(state().tenure()).isNull();
		}

		@Test
		void leavesTheLeaseToExpireWhenTheDrainTakesTooLong() {
			lead(8);
			resign(LossReason.RESIGNED);
			for (int i = 0; i < 12; i++) {
				pass(2_000);
				renewed(8, now());
			}
			pass(999);
			tick();
			assertThat(effect()).isNull();
			pass(1);
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.RESIGNED, true));
			settled(8);
			assertThat(intent()).isNotInstanceOf(Intent.Release.class);
		}

		@Test
		void standsDownForTheCooldown() {
			lead(8);
			resign(LossReason.RESIGNED);
			settled(8);
			released(8);
			Lease vacant = lease(null, 8, 40);
			looked(vacant);
			pass(2_499, vacant);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(vacant)).isEqualTo(new Intent.Take(vacant, 9));
		}

		@Test
		void standsDownForTheCooldownWhenTheDrainTookTooLong() {
			Lease own = lead(8);
			resign(LossReason.CALLBACK_FAILED);
			renewed(8, now());
			pass(9_000);
			tick();
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.EXPIRED, false));
			settled(8);
			looked(own);
			pass(2_499, own);
			assertThat(intent()).isNull();
		}

		@Test
		void doesNotStandDownWhenTheTermWasLost() {
			lead(8);
			renewalRefused(8);
			settled(8);
			Lease vacant = lease(null, 9, 40);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 10));
		}

		@Test
		void endsAtOnceWhenRefusedWhileDraining() {
			lead(8);
			resign(LossReason.RESIGNED);
			renewalRefused(8);
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.TAKEN_OVER, false));
			settled(8);
			assertThat(state().tenure()).isNull();
		}

		@Test
		void triesToReleaseAgainUntilTheDeadlineOnly() {
			lead(8);
			resign(LossReason.SHUTDOWN);
			settled(8);
			callFailed();
			assertThat(intent()).isNull();
			pass(625);
			assertThat(intent()).isEqualTo(new Intent.Release(8, null));
			pass(8_375);
			tick();
			assertThat(effect()).isNull();
			assertThat(state().tenure()).isNull();
		}

		@Test
		void isAskedForOnce() {
			assertThat(resign(LossReason.RESIGNED)).isNull();
			lead(8);
			assertThat(resign(LossReason.RESIGNED)).isNotNull();
			assertThat(resign(LossReason.SHUTDOWN)).isNull();
			assertThat(tenure().reason()).isEqualTo(LossReason.RESIGNED);
		}

		@Test
		void doesNotRenewWhileItReleases() {
			lead(8);
			resign(LossReason.RESIGNED);
			settled(8);
			pass(2_500);
			assertThat(intent()).isEqualTo(new Intent.Release(8, null));
			Tenure releasing = tenure();
			renewed(8, now());
			renewalRefused(8);
			lapsed(8);
			assertThat(effect()).isNull();
			assertThat(tenure()).isEqualTo(releasing);
		}

	}

	@Nested
	class Withdrawing {

		@Test
		void isOverAtOnceWhenNotLeading() {
			looked(lease("other", 7, 30));
			withdraw();
			assertThat(effect()).isNull();
			assertThat(state().isOver()).isTrue();
			pass(60_000);
			assertThat(intent()).isNull();
		}

		@Test
		void handsOverWhenLeading() {
			lead(8);
			withdraw();
			assertThat(effect()).isEqualTo(new Step.Drain(LossReason.SHUTDOWN));
			assertThat(state().isOver()).isFalse();
			settled(8);
			assertThat(intent()).isEqualTo(new Intent.Release(8, null));
			released(8);
			assertThat(state().isOver()).isTrue();
			pass(60_000);
			assertThat(intent()).isNull();
		}

		@Test
		void givesBackWhatWasTakenMeanwhile() {
			looked(lease(null, 7, 30));
			withdraw();
			taken(lease("me", 8, 31), now());
			assertThat(effect()).isNull();
			assertThat(state().isOver()).isFalse();
			assertThat(intent()).isEqualTo(new Intent.Release(8, null));
		}

		@Test
		void canBeUndone() {
			withdraw();
			does(ElectionProtocolTests.this.protocol.stand(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Look());
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
		void recreatesOwnLeaseAboveItsOwnTerm() {
			lead(8);
			renewalRefused(8);
			settled(8);
			looked(null);
			pass(10_000);
			assertThat(intentAfterLooks(null)).isEqualTo(new Intent.Create(8));
		}

	}

	@Nested
	class Damage {

		@Test
		void keepsAwayFromWhatIsNotLease() {
			lookedAtDamage();
			pass(60_000);
			assertThat(intent()).isEqualTo(new Intent.Look());
			lookedAtDamage();
			assertThat(intent()).isNull();
		}

		@Test
		void goesOnWhenRepaired() {
			looked(lease("other", 7, 30));
			lookedAtDamage();
			pass(9_000);
			Lease repaired = lease("other", 7, 30);
			looked(repaired);
			pass(9_999, repaired);
			assertThat(intent()).isNull();
			pass(1);
			assertThat(intentAfterLooks(repaired)).isEqualTo(new Intent.Take(repaired, 8));
		}

		@Test
		void waitsForAPollIntervalBeforeItTakesWhatWasRepaired() {
			lookedAtDamage();
			Lease repaired = lease(null, 7, 30);
			noticed(repaired);
			pass(999, repaired);
			assertThat(intent()).isNull();
			assertThat(sleep()).isPositive();
			pass(1);
			assertThat(intentAfterLooks(repaired)).isEqualTo(new Intent.Take(repaired, 8));
		}

		@Test
		void hasNoTermBeyondTheGreatest() {
			Lease last = lease(null, Lease.MAX_TERM, 30);
			assertThat(ElectionProtocolTests.this.protocol.flaw(state(), last)).contains("'term' must be");
			looked(last);
			assertThat(intent()).isNull();
			assertThat(sleep()).isPositive();
		}

		@Test
		void hasNoRevisionBeyondTheGreatest() {
			Lease last = lease(null, 7, Lease.MAX_TERM);
			assertThat(ElectionProtocolTests.this.protocol.flaw(state(), last)).contains("'revision' must be");
			looked(last);
			assertThat(intent()).isNull();
			assertThat(sleep()).isPositive();
		}

		@Test
		void takesTheLastButOneAndSaysWhyItCanNotGoOnFromThere() {
			Lease lastButOne = lease(null, Lease.MAX_TERM - 1, 30);
			looked(lastButOne);
			assertThat(intent()).isEqualTo(new Intent.Take(lastButOne, Lease.MAX_TERM));
			looked(lease("other", Lease.MAX_TERM, 31));
			Lease repaired = lease(null, 7, 32);
			assertThat(ElectionProtocolTests.this.protocol.flaw(state(), repaired)).contains("Restart all instances");
		}

		@Test
		void standsBackFromWhatCanNotBeTakenThoughItLooksAsIfItCould() {
			Lease vacant = lease(null, 7, 30);
			looked(vacant);
			assertThat(intent()).isEqualTo(new Intent.Take(vacant, 8));
			takeRefused();
			assertThat(intent()).isEqualTo(new Intent.Look());
			looked(vacant);
			assertThat(intent()).isNull();
			assertThat(sleep()).isPositive();
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
			takeRefused(own);
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
		void countsFromWhenItArrived() {
			looked(lease("other", 7, 30));
			pass(9_000);
			Lease renewed = lease("other", 7, 31);
			noticed(renewed);
			pass(9_999, renewed);
			assertThat(intent()).isNull();
		}

		@Test
		void doesNotStartTheCountAgainWhenItRepeatsOrComesLate() {
			Lease held = lease("other", 7, 30);
			looked(held);
			pass(9_000);
			noticed(held);
			noticed(lease("other", 7, 29));
			noticed(lease(null, 6, 28));
			assertThat(state().sighting().lease()).isEqualTo(held);
			pass(1_000);
			assertThat(intentAfterLooks(held)).isEqualTo(new Intent.Take(held, 8));
		}

		@Test
		void endsTheOwnTermWhenItShowsLaterOne() {
			lead(8);
			noticed(lease("other", 9, 40));
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.TAKEN_OVER, false));
		}

		@Test
		void doesNotEndTheOwnTermByWhatIsOlder() {
			lead(8);
			noticed(lease("other", 7, 30));
			noticed(lease(null, 7, 30));
			noticed(lease("me", 8, 31));
			assertThat(effect()).isNull();
			assertThat(tenure().phase()).isEqualTo(Phase.LEADING);
		}

		@Test
		void makeReadingRarerWhileNobodyLeads() {
			lookedPushed(null, null);
			assertThat(untilNextLook()).isEqualTo(2_500);
			lookedPushed(leftTo("other"), READ_AT);
			assertThat(untilNextLook()).isEqualTo(2_500);
		}

		@Test
		void thatAreLostDelayWhoStandsDownByRenewIntervalAtMost() {
			ElectionSettings defaults = ElectionSettings.of(TTL);
			ElectionProtocol patient = new ElectionProtocol("me",
					new ElectionSettings(TTL, defaults.renewInterval(), defaults.safetyMargin(),
							defaults.operationTimeout(), defaults.pollInterval(), defaults.drainTimeout(), TTL));
			lead(8);
			does(patient.resign(state(), LossReason.RESIGNED, now()));
			does(patient.settled(state(), 8, now()));
			does(patient.released(state(), 8, now()));
			Moment released = now();
			does(patient.looked(state(), lease(null, 8, 32), new Look(now(), READ_AT, true), now()));
			// Taken by another from here on, and nothing of it arrives.
			Lease taken = lease("other", 9, 33);
			while (!taken.equals(state().sighting().lease())) {
				pass(1);
				if (patient.intent(state(), now()) instanceof Intent.Look) {
					does(patient.looked(state(), taken, new Look(now(), READ_AT, true), now()));
				}
			}
			assertThat(Duration.ofNanos(now().nanos() - released.nanos()))
				.isLessThanOrEqualTo(defaults.renewInterval());
		}

		@Test
		void leaveRenewalsToBeLookedForWhenTheyAreDue() {
			lookedPushed(renewed(Duration.ofMillis(400)), READ_AT);
			assertThat(untilNextLook()).isBetween(2_500L - 400 + 250, 2_500L - 400 + 500);
		}

		@Test
		void leaveRenewalsOfLongerTermsToBeLookedForMoreRarely() {
			Lease lease = renewed(Duration.ofMillis(400));
			lookedPushed(new Lease("jobs", "other", 7, 30, TTL.multipliedBy(4), lease.electedAt(), lease.renewedAt()),
					READ_AT);
			assertThat(untilNextLook()).isBetween(10_000L - 400 + 250, 10_000L - 400 + 500);
		}

		@Test
		void leaveTheFirstRenewalOfTermToBeLookedForAllTheTime() {
			lookedPushed(new Lease("jobs", "other", 7, 30, TTL, READ_AT, READ_AT), READ_AT);
			assertThat(untilNextLook()).isEqualTo(1_000);
			// Two dates of one change may differ.
			lookedPushed(new Lease("jobs", "other", 7, 30, TTL, READ_AT.minusMillis(1), READ_AT), READ_AT);
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void leaveRenewalThatIsOverdueToBeLookedForAllTheTime() {
			lookedPushed(renewed(Duration.ofMillis(3_000)), READ_AT);
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void leaveRenewalsToBeLookedForAllTheTimeWhereTheStoreTellsNoTime() {
			lookedPushed(renewed(Duration.ofMillis(400)), null);
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void neverDelayLooksByMoreThanRenewalWhateverTheClockOfTheStoreSays() {
			lookedPushed(renewed(Duration.ofMillis(400)), READ_AT.minusSeconds(3_600));
			assertThat(untilNextLook()).isBetween(2_500L + 250, 2_500L + 500);
			lookedPushed(renewed(Duration.ofMillis(400)), READ_AT.plusSeconds(3_600));
			assertThat(untilNextLook()).isEqualTo(1_000);
			lookedPushed(new Lease("jobs", "other", 7, 30, TTL, Instant.MIN, READ_AT.minus(Duration.ofDays(200_000))),
					READ_AT);
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void areFollowedByLookAfterPollInterval() {
			lookedPushed(leftTo("other"), READ_AT);
			noticed(new Lease("jobs", "other", 8, 50, TTL, READ_AT, READ_AT));
			assertThat(untilNextLook()).isEqualTo(1_000);
			pass(500);
			// The event may be late: how old the renewal is, is not known.
			noticed(new Lease("jobs", "other", 8, 51, TTL, READ_AT, READ_AT.plusMillis(2_500)));
			assertThat(untilNextLook()).isEqualTo(1_000);
		}

		@Test
		void letCandidatesLookAtDifferentTimes() {
			Set<Long> times = new HashSet<>();
			for (int i = 0; i < 10; i++) {
				ElectionProtocol follower = new ElectionProtocol("app@host-%d:1-x".formatted(i),
						ElectionSettings.of(TTL));
				ElectionState following = follower.begin("jobs", now());
				times.add(follower
					.looked(following, renewed(Duration.ofMillis(400)), new Look(now(), READ_AT, true), now())
					.state()
					.nextLook());
			}
			assertThat(times).hasSizeGreaterThan(7);
		}

		private void lookedPushed(Lease lease, Instant readAt) {
			does(ElectionProtocolTests.this.protocol.looked(state(), lease, new Look(now(), readAt, true), now()));
		}

		private Lease renewed(Duration age) {
			return new Lease("jobs", "other", 7, 30, TTL, READ_AT.minusSeconds(60), READ_AT.minus(age));
		}

		private long untilNextLook() {
			return Duration.ofNanos(state().nextLook() - now().nanos()).toMillis();
		}

		@Test
		void areNotUndoneByReadThatTheyOvertook() {
			looked(lease("other", 7, 30));
			Moment sentAt = now();
			pass(1);
			noticed(lease("third", 8, 32));
			does(ElectionProtocolTests.this.protocol.looked(state(), lease("other", 7, 30),
					new Look(sentAt, null, true), now()));
			assertThat(state().leader("me")).isEqualTo("third");
		}

		@Test
		void areUndoneByLaterReadAsAfterRestore() {
			looked(lease("other", 7, 30));
			pass(1);
			noticed(lease("third", 8, 32));
			pass(1);
			looked(lease("other", 7, 30));
			assertThat(state().leader("me")).isEqualTo("other");
		}

		@Test
		void canAskForLook() {
			looked(lease("other", 7, 30));
			does(ElectionProtocolTests.this.protocol.lookAgain(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Look());
		}

	}

	@Nested
	class Doubt {

		@Test
		void leaseThatIsSaidToBeGoneIsRenewedAtOnce() {
			lead(8);
			pass(1);
			assertThat(intent()).isNull();
			doubted();
			assertThat(tenure().phase()).isEqualTo(Phase.LEADING);
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
			renewalRefused(8);
			assertThat(effect()).isEqualTo(new Step.Lost(LossReason.TAKEN_OVER, false));
		}

		@Test
		void removalOfAnEarlierLeaseCostsRenewalOnly() {
			lead(8);
			pass(1);
			doubted();
			renewed(8, now());
			assertThat(effect()).isInstanceOf(Step.Extended.class);
			assertThat(intent()).isNull();
		}

		@Test
		void renewalThatWasUnderWayIsNoAnswer() {
			lead(8);
			pass(2_500);
			Moment sentAt = now();
			pass(1);
			doubted();
			pass(1);
			renewed(8, sentAt);
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
		}

		@Test
		void leaseThatIsSaidToBeHeldByAnotherUnderTheSameTermIsRenewedAtOnce() {
			lead(8);
			pass(1);
			noticed(lease("other", 8, 40));
			assertThat(tenure().phase()).isEqualTo(Phase.LEADING);
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
		}

		@Test
		void changesThatTellNothingMakeTheLeaderRenewNoMoreOftenThanFailures() {
			lead(8);
			pass(1);
			does(ElectionProtocolTests.this.protocol.lookAgain(state(), now()));
			assertThat(intent()).isNull();
			pass(624);
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
			renewed(8, now());
			pass(2_000);
			does(ElectionProtocolTests.this.protocol.lookAgain(state(), now()));
			assertThat(intent()).isEqualTo(new Intent.Renew(8));
		}

		@Test
		void followerLooks() {
			looked(lease("other", 7, 30));
			doubted();
			assertThat(intent()).isEqualTo(new Intent.Look());
		}

	}

	@Nested
	class Waking {

		@Test
		void wakesForTheNextLook() {
			looked(lease("other", 7, 30));
			assertThat(sleep()).isEqualTo(Duration.ofSeconds(1));
		}

		@Test
		void wakesWhenTheLeaseMayBeTaken() {
			looked(lease("other", 7, 30));
			pass(9_700, lease("other", 7, 30));
			looked(lease("other", 7, 30));
			assertThat(sleep()).isEqualTo(Duration.ofMillis(300));
		}

		@Test
		void sleepsWhileVanishedLeaseCountsAsHeld() {
			looked(lease(null, 7, 30));
			looked(null);
			assertThat(sleep()).isEqualTo(Duration.ofSeconds(1));
		}

		@Test
		void wakesForTheNextRenewal() {
			lead(8);
			assertThat(sleep()).isEqualTo(Duration.ofMillis(2_500));
		}

		@Test
		void wakesForTheDeadlineOnWhicheverClockComesFirst() {
			lead(8);
			ElectionProtocolTests.this.clock.jump(Duration.ofMillis(7_500));
			assertThat(sleep()).isEqualTo(Duration.ofMillis(1_500));
		}

		@Test
		void wakesForTheEndOfTheDrain() {
			lead(8);
			resign(LossReason.RESIGNED);
			for (int i = 0; i < 12; i++) {
				pass(2_000);
				renewed(8, now());
			}
			assertThat(sleep()).isEqualTo(Duration.ofSeconds(1));
		}

	}

	@Nested
	class Leading {

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
			assertThat(state().leader("me")).isEqualTo("other");
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

		private String leader() {
			return state().leader("me");
		}

	}

	// As the driver does it

	private Lease lead(long term) {
		looked(lease(null, term - 1, 30));
		Lease own = lease("me", term, 31);
		taken(own, now());
		assertThat(effect()).isInstanceOf(Step.Elected.class);
		return own;
	}

	private void looked(Lease lease) {
		does(this.protocol.looked(this.state, lease, new Look(now(), null, false), now()));
	}

	private void lookedAtDamage() {
		does(this.protocol.lookedAtDamage(this.state, new Look(now(), null, false), now()));
	}

	private void noticed(Lease lease) {
		does(this.protocol.noticed(this.state, lease, now()));
	}

	private void doubted() {
		does(this.protocol.doubted(this.state, now()));
	}

	private void taken(Lease lease, Moment sentAt) {
		does(this.protocol.taken(this.state, lease, sentAt, now()));
	}

	private void takeRefused() {
		takeRefused(this.state.sighting().lease());
	}

	private void takeRefused(Lease expected) {
		does(this.protocol.takeRefused(this.state, expected, now()));
	}

	private void renewed(long term, Moment sentAt) {
		does(this.protocol.renewed(this.state, term, sentAt, now()));
	}

	private void renewalRefused(long term) {
		does(this.protocol.renewalRefused(this.state, term, now()));
	}

	private void lapsed(long term) {
		does(this.protocol.lapsed(this.state, term, now()));
	}

	private void released(long term) {
		does(this.protocol.released(this.state, term, now()));
	}

	private void settled(long term) {
		does(this.protocol.settled(this.state, term, now()));
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

	private Step.Effect resign(LossReason reason) {
		does(this.protocol.resign(this.state, reason, now()));
		return this.effect;
	}

	private void does(Step step) {
		this.state = step.state();
		this.effect = step.effect();
	}

	private void pass(long millis) {
		this.clock.advance(millis);
	}

	/** Let the time pass, and look now and then: each shows the same. */
	private void pass(long millis, Lease lease) {
		for (long passed = 0; passed < millis; passed += 100) {
			pass(Math.min(100, millis - passed));
			intentAfterLooks(lease);
		}
	}

	private Intent intentAfterLooks(Lease lease) {
		if (intent() instanceof Intent.Look) {
			looked(lease);
		}
		return intent();
	}

	private Intent intent() {
		return this.protocol.intent(this.state, now());
	}

	private Duration sleep() {
		return Duration.ofNanos(this.protocol.wakeAt(this.state, now()) - now().nanos());
	}

	private Step.Effect effect() {
		return this.effect;
	}

	private ElectionState state() {
		return this.state;
	}

	private Tenure tenure() {
		return this.state.tenure();
	}

	private Moment now() {
		return this.clock.now();
	}

	private static Lease lease(String holder, long term, long revision) {
		return new Lease("jobs", holder, term, revision, TTL, null, null);
	}

	private static Lease leftTo(String successor) {
		return new Lease("jobs", null, 7, 30, TTL, null, null, successor);
	}

}
