package io.github.leaderelection.job;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.job.RecordedRun.Begin;
import io.github.leaderelection.job.SimulatedElection.SimulatedTerm;
import io.github.leaderelection.store.InMemoryRecordStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RecordedJobs} of two processes that share a store, step by step.
 */
class RecordedJobsTests {

	private static final JobKey KEY = new JobKey(SimulatedElection.NAME, "report");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private static final Instant ONE = NOON.plusSeconds(3600);

	private Instant now = NOON.plusSeconds(1);

	private InMemoryRecordStore store = new InMemoryRecordStore(() -> this.now);

	private final RecordStore asked = new AskedStore();

	private final EngineClock clock = new EngineClock() {

		@Override
		public long nanos() {
			return millis() * 1_000_000;
		}

		@Override
		public long millis() {
			return RecordedJobsTests.this.now.toEpochMilli();
		}

	};

	private boolean answersAreLost;

	/** Which requests are lost: each start, say, or end, of a run. */
	private String lost = "";

	/** The request that was lost last, should it arrive after all. */
	private Supplier<?> onItsWay;

	/** What happens between a reading and its answer. */
	private Runnable meanwhile;

	/** What happens between a start and its answer. */
	private Runnable duringStart;

	private boolean unusable;

	private Duration answersTake = Duration.ZERO;

	/** How long the store takes to tell its time. */
	private Duration timeTakes = Duration.ZERO;

	private int requests;

	private final Peer first = new Peer("first", 1);

	private final Peer second = new Peer("second", 1);

	@Test
	void fireTimeIsStartedOnce() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		assertThat(begin.result()).isEqualTo(Result.RAN);
		begin.run().end(null);
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		this.first.depose();
		this.second.elect(2);
		assertThat(this.second.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(this.second.launched).isEmpty();
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	/** The term has begun just before, and nobody had known the job. */
	@Test
	void firstFireTimeOfAllIsStartedIfItComesBeforeTheRecord() {
		SimulatedTerm unused = this.first.election.begin(1);
		this.now = ONE.plusMillis(3);
		Begin begin = this.first.tick(ONE);
		assertThat(begin.result()).isEqualTo(Result.RAN);
		begin.run().end(null);
		this.first.depose();
		unused = this.second.election.begin(2);
		assertThat(this.second.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(this.first.refused).isEmpty();
		assertThat(this.second.refused).containsExactly(Result.ALREADY_RUN);
	}

	@Test
	void tickForWhichNothingIsDueIsNotRefused() {
		Peer ticking = new Peer("ticking",
				new Job(KEY, Timetable.every(Duration.ofSeconds(10), true), Duration.ofMinutes(10), 1));
		ticking.elect(1);
		this.now = NOON.plusSeconds(2);
		ticking.begin(PlannedRun.tick()).run().end(null);
		assertThat(ticking.begin(PlannedRun.tick()).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(ticking.refused).isEmpty();
	}

	@Test
	void newLeaderCatchesUpWhatNobodyHasStarted() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		this.second.elect(2);
		assertThat(this.second.launched).containsExactly(PlannedRun.catchUp());
		Begin begin = this.second.begin(this.second.launched.get(0));
		assertThat(begin.run().run().cause()).isEqualTo(Cause.CATCH_UP);
		assertThat(begin.run().run().fireTime()).isEqualTo(ONE);
		assertThat(this.second.tick(ONE).result()).isEqualTo(Result.STILL_RUNNING);
	}

	@Test
	void launchThatDidNotBeginIsRepeatedButNotAtOnce() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		this.second.elect(2);
		this.second.endLaunch();
		assertThat(this.second.launched).hasSize(1);
		this.now = this.now.plusSeconds(1);
		this.second.jobs.turn();
		assertThat(this.second.launched).hasSize(2).containsOnly(PlannedRun.catchUp());
	}

	@Test
	void launchThatWasKeptBackIsNotRepeated() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		this.second.elect(2);
		this.second.jobs.strayed(KEY, () -> false);
		this.second.endLaunch();
		assertThat(this.second.jobs.status(KEY).failure()).contains("kept back in front of the gate");
		this.now = ONE.plusSeconds(60);
		this.second.jobs.turn();
		assertThat(this.second.launched).hasSize(1);
		this.now = ONE.plus(Duration.ofMinutes(11));
		this.second.jobs.turn();
		assertThat(this.second.launched).hasSize(1);
		assertThat(this.second.heard).containsExactly("missed 1");
		this.now = ONE.plusSeconds(3600);
		Begin begin = this.second.begin(PlannedRun.tick());
		assertThat(begin.run().run().fireTime()).isEqualTo(this.now);
		assertThat(this.second.jobs.status(KEY).failure()).isNull();
	}

	/** By a lock in front of the scheduler, as it seems. */
	@Test
	void launchThatTheSchedulerHasDroppedWasKeptBack() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		this.second.elect(2);
		this.second.scheduled.complete(null);
		this.second.jobs.turn();
		assertThat(this.second.jobs.status(KEY).failure()).isNull();
		this.now = this.now.plusSeconds(5);
		this.second.jobs.turn();
		assertThat(this.second.jobs.status(KEY).failure()).contains("kept back in front of the gate");
		this.now = this.now.plusSeconds(60);
		this.second.jobs.turn();
		assertThat(this.second.launched).hasSize(1);
		this.second.jobs.trigger(KEY.election(), KEY.job());
		assertThat(this.second.launched).hasSize(2);
	}

	@Test
	void callThatTheOwnRunKeepsBackIsNothing() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.begin(PlannedRun.tick());
		this.first.jobs.strayed(KEY, () -> false);
		begin.run().end(null);
		assertThat(this.first.jobs.status(KEY).failure()).isNull();
	}

	@Test
	void otherTimetableInTheSameTermCountsFromNow() {
		this.first.elect(1);
		this.now = ONE.plusSeconds(20);
		Peer anew = new Peer("first",
				new Job(KEY,
						Timetable.of("each second", (after) -> after.plusSeconds(1).truncatedTo(ChronoUnit.SECONDS)),
						Duration.ofMinutes(10), 1));
		anew.elect(1);
		assertThat(anew.launched).isEmpty();
		assertThat(record().missed()).isZero();
	}

	@Test
	void strayedCallOfAFollowerIsNothing() {
		this.first.jobs.strayed(KEY, () -> false);
		assertThat(this.first.jobs.status(KEY).failure()).isNull();
	}

	@Test
	void tickIsForTheLastFireTimeThatHasCome() {
		this.first.elect(1);
		this.now = ONE.plusSeconds(3600 + 2);
		Begin begin = this.first.begin(PlannedRun.tick());
		assertThat(begin.run().run().fireTime()).isEqualTo(ONE.plusSeconds(3600));
		assertThat(this.first.heard).containsExactly("missed 1");
		begin.run().end(null);
		assertThat(this.first.begin(PlannedRun.tick()).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(this.first.refused).isEmpty();
	}

	@Test
	void firstTickOfAllMissesNothing() {
		Peer dense = new Peer("dense",
				new Job(KEY,
						Timetable.of("each second", (after) -> after.plusSeconds(1).truncatedTo(ChronoUnit.SECONDS)),
						Duration.ofMinutes(10), 1));
		SimulatedTerm unused = dense.election.begin(1);
		this.now = ONE.plusMillis(3);
		Begin begin = dense.begin(PlannedRun.tick());
		assertThat(begin.run().run().fireTime()).isEqualTo(ONE);
		assertThat(record().missed()).isZero();
	}

	@Test
	void tickMayBeASecondEarly() {
		this.first.elect(1);
		this.now = ONE.minusMillis(1001);
		assertThat(this.first.begin(PlannedRun.tick()).result()).isEqualTo(Result.ALREADY_RUN);
		this.now = ONE.minusMillis(1000);
		Begin begin = this.first.begin(PlannedRun.tick());
		assertThat(begin.run().run().fireTime()).isEqualTo(ONE);
	}

	/** Or it would run early from then on. */
	@Test
	void tickThatIsCloserToWhatIsCoveredIsNotEarly() {
		Peer dense = new Peer("dense", new Job(KEY, TimetableTests.everySeconds(1), Duration.ofMinutes(10), 1));
		this.now = ONE;
		dense.elect(1);
		this.now = ONE.plusSeconds(1);
		dense.begin(PlannedRun.tick()).run().end(null);
		this.now = ONE.plusMillis(1400);
		assertThat(dense.begin(PlannedRun.tick()).result()).isEqualTo(Result.ALREADY_RUN);
	}

	@Test
	void launchThatBeganDelaysNoOther() {
		this.first.elect(1);
		this.first.jobs.trigger(KEY.election(), KEY.job());
		this.first.begin(this.first.launched.get(0)).run().end(null);
		this.now = ONE.plusSeconds(20);
		this.first.endLaunch();
		assertThat(this.first.launched).hasSize(2).contains(PlannedRun.catchUp());
	}

	@Test
	void launchOfAnEarlierTermDelaysNoOther() {
		this.first.elect(1);
		this.first.jobs.trigger(KEY.election(), KEY.job());
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		this.first.elect(2);
		assertThat(this.first.launched).hasSize(1);
		this.first.endLaunch();
		assertThat(this.first.launched).hasSize(2).contains(PlannedRun.catchUp());
	}

	/** Or a clock that is a day ahead would cover all fire times of that day. */
	@Test
	void recordIsNotMadeByAClockOfWhichTheStoreHasSaidNothingInTime() {
		this.timeTakes = RunStore.TIMEOUT.plusMillis(1);
		assertThat(linesOf(() -> this.first.elect(1))).singleElement()
			.asString()
			.contains("Runs of jobs can't be recorded: its time has come too late");
		assertThat(record()).isNull();
		this.timeTakes = RunStore.TIMEOUT;
		this.first.jobs.turn();
		assertThat(record()).isNotNull();
	}

	@Test
	void nothingIsCaughtUpFromBeforeTheJobWasKnown() {
		this.now = ONE.plusSeconds(20);
		this.first.elect(1);
		assertThat(this.first.launched).isEmpty();
	}

	@Test
	void whatExceedsTheDeadlineIsMissedAndToldOnce() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plus(Duration.ofMinutes(11));
		this.second.elect(2);
		assertThat(this.second.launched).isEmpty();
		assertThat(this.second.heard).containsExactly("missed 1");
		this.second.depose();
		this.first.elect(3);
		assertThat(this.first.heard).isEmpty();
		assertThat(record().missed()).isOne();
	}

	@Test
	void lastOfWhatIsMissedBeforeACatchUpIsTold() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(2 * 3600 + 60);
		this.second.elect(2);
		assertThat(this.second.begin(this.second.launched.get(0)).result()).isEqualTo(Result.RAN);
		assertThat(this.second.heard).containsExactly("missed 2");
		assertThat(this.second.lastMissed).isEqualTo(ONE.plusSeconds(3600));
		assertThat(record().missed()).isEqualTo(2);
	}

	@Test
	void jobIsOverdueFromItsDeadlineUntilItIsSettled() {
		assertThat(overdue(this.first)).isNull();
		this.first.elect(1);
		assertThat(overdue(this.first)).isZero();
		this.first.depose();
		this.second.jobs.turn();
		this.now = ONE.plus(Duration.ofMinutes(10));
		assertThat(overdue(this.first)).isZero();
		this.now = ONE.plus(Duration.ofMinutes(12));
		assertThat(overdue(this.first)).isEqualTo(Duration.ofMinutes(2));
		assertThat(overdue(this.second)).isEqualTo(Duration.ofMinutes(2));
		this.second.elect(2);
		assertThat(overdue(this.second)).isZero();
		assertThat(this.second.jobs.status(KEY).record().missed()).isOne();
		assertThat(overdue(this.first)).isEqualTo(Duration.ofMinutes(2));
	}

	@Test
	void jobIsNotOverdueWhileItRunsHere() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		this.second.jobs.turn();
		this.now = ONE.plusSeconds(2 * 3600);
		assertThat(overdue(this.first)).isZero();
		assertThat(overdue(this.second)).isEqualTo(Duration.ofMinutes(50));
		begin.run().end(null);
		assertThat(overdue(this.first)).isZero();
		assertThat(this.first.jobs.status(KEY).record().skipped()).isEqualTo(2);
	}

	private Duration overdue(Peer peer) {
		return peer.jobs.status(KEY).overdue(this.now);
	}

	@Test
	void fireTimesDuringARunAreSkippedAndCounted() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		this.now = ONE.plusSeconds(2 * 3600 + 60);
		assertThat(this.first.tick(ONE.plusSeconds(3600)).result()).isEqualTo(Result.STILL_RUNNING);
		begin.run().end(null);
		assertThat(record().skipped()).isEqualTo(2);
		assertThat(this.first.heard).contains("skipped 2");
		this.first.jobs.turn();
		assertThat(this.first.launched).isEmpty();
	}

	/** Whoever leads next would have caught up, had the run not ended before. */
	@Test
	void fireTimesAfterTheTermOfARunAreNotSkippedDuringIt() {
		this.first.elect(1);
		this.now = ONE;
		RecordedRun hanging = this.first.tick(ONE).run();
		this.first.depose();
		this.now = ONE.plusSeconds(3 * 3600 + 5);
		hanging.end(null);
		assertThat(record().skipped()).isZero();
		this.first.elect(2);
		assertThat(this.first.launched).containsExactly(PlannedRun.catchUp());
		RecordedRun caughtUp = this.first.begin(this.first.launched.get(0)).run();
		assertThat(caughtUp.run().fireTime()).isEqualTo(ONE.plusSeconds(3 * 3600));
		caughtUp.end(null);
		assertThat(this.first.heard).containsExactly("missed 2");
		assertThat(record().missed()).isEqualTo(2);
	}

	/** What the end of a run owes may come when another process has opened the record. */
	@Test
	void fireTimesThatTheNextLeaderFindsAreNotToldAsSkipped() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		this.now = ONE.plusSeconds(2 * 3600 + 60);
		this.lost = "end";
		begin.run().end(null);
		this.first.depose();
		this.second.elect(2);
		this.lost = "";
		this.first.jobs.turn();
		this.second.jobs.turn();
		this.second.begin(this.second.launched.get(0)).run().end(null);
		assertThat(this.first.heard).isEmpty();
		assertThat(this.second.heard).containsExactly("unfinished 1", "missed 1");
		assertThat(record().skipped()).isZero();
	}

	@Test
	void skippedFireTimesAreToldWhenTheyAreRecorded() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		this.now = ONE.plusSeconds(3600);
		this.lost = "end";
		begin.run().end(null);
		assertThat(this.first.heard).isEmpty();
		this.first.jobs.turn();
		assertThat(this.first.heard).isEmpty();
		this.lost = "";
		this.first.jobs.turn();
		assertThat(this.first.heard).containsExactly("skipped 1");
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	@Test
	void failureIsRecorded() {
		this.first.elect(1);
		this.now = ONE;
		this.first.tick(ONE).run().end(new IllegalStateException());
		assertThat(record().last().outcome()).isEqualTo(Outcome.FAILED);
		assertThat(record().last().finishedAt()).isEqualTo(this.now);
	}

	@Test
	void unfinishedRunIsToldAndNotAttemptedAgain() {
		this.first.elect(1);
		this.now = ONE;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.RAN);
		this.first.depose();
		this.second.elect(2);
		assertThat(this.second.heard).containsExactly("unfinished 1");
		assertThat(this.second.launched).isEmpty();
		this.second.jobs.turn();
		assertThat(record().last().outcome()).isEqualTo(Outcome.UNFINISHED);
		this.second.depose();
		Peer third = new Peer("third", 1);
		third.elect(3);
		assertThat(third.heard).isEmpty();
	}

	@Test
	void unfinishedRunIsAttemptedAgainWhereTheJobSaysSo() {
		this.first.elect(1);
		this.now = ONE;
		Begin lost = this.first.tick(ONE);
		this.first.depose();
		Peer patient = new Peer("patient", 2);
		patient.elect(2);
		assertThat(patient.launched).containsExactly(PlannedRun.catchUp());
		Begin again = patient.begin(patient.launched.get(0));
		assertThat(again.run().run().attempt()).isEqualTo(2);
		assertThat(again.run().previous().id()).isEqualTo(lost.run().run().id());
		lost.run().end(null);
		assertThat(record().last().id()).isEqualTo(again.run().run().id());
		assertThat(record().last().outcome()).isEqualTo(Outcome.RUNNING);
	}

	@Test
	void lateEndOfALostRunIsRecordedIfNobodyHasTakenNotice() {
		this.first.elect(1);
		this.now = ONE;
		Begin lost = this.first.tick(ONE);
		this.first.depose();
		lost.run().end(null);
		this.second.elect(2);
		assertThat(this.second.heard).isEmpty();
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	@Test
	void otherTimetableBeginsAnew() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		Peer changed = new Peer("changed", new Job(KEY, TimetableTests.everySeconds(60), Duration.ofMinutes(10), 1));
		changed.elect(2);
		assertThat(changed.launched).isEmpty();
		assertThat(record().covered()).isEqualTo(this.now);
	}

	@Test
	void triggeredRunChangesNothingAboutTheTimetable() {
		this.first.elect(1);
		assertThatExceptionOfType(NotLeaderException.class)
			.isThrownBy(() -> this.second.jobs.trigger(KEY.election(), KEY.job()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.first.jobs.trigger(KEY.election(), "unknown"));
		this.first.jobs.trigger(KEY.election(), KEY.job());
		assertThatIllegalStateException().isThrownBy(() -> this.first.jobs.trigger(KEY.election(), KEY.job()));
		Begin begin = this.first.begin(this.first.launched.get(0));
		assertThat(begin.run().run().fireTime()).isNull();
		begin.run().end(null);
		this.now = ONE;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.RAN);
	}

	@Test
	void jobThatOtherCodeRunsIsStartedForItsFirstFireTimeToo() {
		this.first.elect(1);
		assertThat(this.first.jobs.run(KEY.election(), "imported", NOON, (run) -> {
		})).isEqualTo(Result.RAN);
		this.first.depose();
		this.second.elect(2);
		assertThat(this.second.jobs.run(KEY.election(), "imported", NOON, (run) -> {
		})).isEqualTo(Result.ALREADY_RUN);
	}

	@Test
	void triggeredRunSettlesNothingThatCameBeforeIt() {
		this.first.elect(1);
		this.first.jobs.trigger(KEY.election(), KEY.job());
		this.now = ONE.plusSeconds(60);
		this.first.begin(this.first.launched.get(0)).run().end(null);
		assertThat(record().skipped()).isZero();
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.RAN);
	}

	@Test
	void schedulerThatWasBusyForTooLongStartsNothing() {
		this.first.elect(1);
		this.now = ONE.plus(Duration.ofMinutes(10)).plusMillis(1);
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(this.first.heard).containsExactly("missed 1");
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(record().missed()).isOne();
	}

	@Test
	void startThatIsFoundOutTooLateMakesRoomAndIsMissed() {
		this.first.elect(1);
		this.now = ONE;
		this.answersAreLost = true;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		assertThat(record().last().outcome()).isEqualTo(Outcome.RUNNING);
		this.answersAreLost = false;
		this.now = ONE.plus(Duration.ofMinutes(10)).plusMillis(1);
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		assertThat(this.first.heard).containsExactly("missed 1");
		assertThat(record().last().outcome()).isEqualTo(Outcome.WITHDRAWN);
		this.now = this.now.plusSeconds(2);
		this.first.jobs.turn();
		assertThat(this.first.launched).isEmpty();
		assertThat(record().missed()).isOne();
	}

	@Test
	void startThatIsAnsweredWhenItsTermHasEndedIsTakenBack() {
		this.first.elect(1);
		this.now = ONE;
		this.duringStart = () -> this.first.election.term().end();
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.NOT_LEADER);
		assertThat(record().last().outcome()).isEqualTo(Outcome.WITHDRAWN);
		this.duringStart = null;
		this.second.elect(2);
		assertThat(this.second.begin(this.second.launched.get(0)).run().run().fireTime()).isEqualTo(ONE);
	}

	/** Or the fire time would be covered by a run that never began. */
	@Test
	void startThatArrivesWhenItWasTakenBackIsNotRecorded() {
		this.first.elect(1);
		this.now = ONE;
		this.lost = "start";
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		this.lost = "";
		this.first.depose();
		assertThat((Set<?>) this.onItsWay.get()).isEmpty();
		assertThat(record().last()).isNull();
		this.now = ONE.plusSeconds(2);
		this.second.elect(2);
		assertThat(this.second.begin(this.second.launched.get(0)).run().run().fireTime()).isEqualTo(ONE);
	}

	@Test
	void startThatCouldNotBeTakenBackBeforeTheNextTermOfTheSameProcessIsTakenBackFirst() {
		this.first.elect(1);
		this.now = ONE;
		this.answersAreLost = true;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		this.answersAreLost = false;
		this.lost = "end";
		this.first.depose();
		this.first.elect(2);
		assertThat(this.first.launched).isEmpty();
		this.lost = "";
		this.first.jobs.turn();
		assertThat(this.first.heard).isEmpty();
		assertThat(record().last().outcome()).isEqualTo(Outcome.WITHDRAWN);
		assertThat(this.first.begin(this.first.launched.get(0)).run().run().fireTime()).isEqualTo(ONE);
	}

	/** Or a run would be taken for one that never began, while it goes on. */
	@Test
	void requestToTakeAStartBackThatArrivesWhenItsRunHasBegunIsTooLate() {
		Instant two = ONE.plusSeconds(3600);
		Peer patient = new Peer("third", new Job(KEY, TimetableTests.everySeconds(3600), Duration.ofHours(3), 1));
		patient.elect(1);
		this.now = ONE;
		this.answersAreLost = true;
		assertThat(patient.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		this.answersAreLost = false;
		this.now = two;
		this.lost = "end";
		assertThat(patient.tick(two).result()).isEqualTo(Result.UNREACHABLE);
		this.lost = "";
		Begin begin = patient.tick(ONE);
		assertThat(begin.result()).isEqualTo(Result.RAN);
		assertThat((Set<?>) this.onItsWay.get()).isEmpty();
		assertThat(record().last().id()).isEqualTo(begin.run().run().id());
		assertThat(record().last().outcome()).isEqualTo(Outcome.RUNNING);
		begin.run().end(null);
		assertThat(patient.tick(two).result()).isEqualTo(Result.RAN);
	}

	/** Or the run would be taken for one that never began, and begin again. */
	@Test
	void readingFromBeforeARunDropsNoEnd() {
		this.first.elect(1);
		this.now = ONE;
		this.lost = "start";
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		this.meanwhile = () -> {
			this.lost = "";
			RecordedRun run = this.first.tick(ONE).run();
			this.lost = "end";
			run.end(null);
		};
		this.first.jobs.turn();
		assertThat(record().last().outcome()).isEqualTo(Outcome.RUNNING);
		assertThat(this.first.launched).isEmpty();
		this.lost = "";
		this.first.jobs.turn();
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	@Test
	void jobThatComesAgainWaitsForTheRunThatGoesOn() {
		this.first.elect(1);
		this.now = ONE;
		RecordedRun run = this.first.tick(ONE).run();
		this.first.jobs.unregister(KEY);
		this.first.jobs.register(job(1), (planned, done) -> {
			this.first.launched.add(planned);
			return new CompletableFuture<>();
		});
		this.first.jobs.turn();
		assertThat(this.first.launched).isEmpty();
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.STILL_RUNNING);
		this.first.depose();
		this.first.elect(2);
		assertThat(this.first.heard).isEmpty();
		run.end(null);
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.ALREADY_RUN);
		this.now = ONE.plusSeconds(3600);
		assertThat(this.first.tick(this.now).result()).isEqualTo(Result.RAN);
	}

	@Test
	void runWhoseEndCouldNotBeNotedEndsLater() {
		AtomicBoolean exhausted = new AtomicBoolean();
		Timetable timetable = TimetableTests.everySeconds(3600);
		Peer peer = new Peer("third", new Job(KEY, Timetable.of("3600", (after) -> {
			if (exhausted.get()) {
				throw new OutOfMemoryError("as the test wants");
			}
			return timetable.next(TimetableTests.covered(after));
		}), Duration.ofMinutes(10), 1));
		peer.elect(1);
		this.now = ONE;
		RecordedRun run = peer.tick(ONE).run();
		exhausted.set(true);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> run.end(null));
		assertThat(record().last().outcome()).isEqualTo(Outcome.RUNNING);
		exhausted.set(false);
		peer.jobs.turn();
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
		assertThat(peer.jobs.status(KEY).running()).isFalse();
		assertThat(peer.ends).isOne();
	}

	/** It must cost no other job anything, and no run its end. */
	@Test
	void timetableThatThrowsIsAskedAgainASecondLater() {
		AtomicBoolean broken = new AtomicBoolean();
		Timetable timetable = TimetableTests.everySeconds(3600);
		Peer peer = new Peer("third", new Job(KEY, Timetable.of("3600", (after) -> {
			if (broken.get()) {
				throw new IllegalStateException("as the test wants");
			}
			return timetable.next(TimetableTests.covered(after));
		}), Duration.ofMinutes(10), 1));
		peer.elect(1);
		this.now = ONE;
		RecordedRun run = peer.tick(ONE).run();
		broken.set(true);
		run.end(null);
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
		this.now = ONE.plusSeconds(3620);
		List<String> lines = linesOf(() -> {
			assertThat(peer.begin(PlannedRun.tick()).result()).isEqualTo(Result.UNREACHABLE);
			assertThat(peer.jobs.turn()).isEqualTo(Duration.ofSeconds(1));
			this.now = this.now.plusSeconds(1);
			assertThat(peer.jobs.turn()).isEqualTo(Duration.ofSeconds(1));
		});
		assertThat(lines)
			.containsExactly("WARN A run of job 'e/report' is due and can't be started; it is tried again each second");
		broken.set(false);
		this.now = this.now.plusSeconds(1);
		peer.jobs.turn();
		assertThat(peer.launched).containsExactly(PlannedRun.catchUp());
	}

	@Test
	void endIsRecordedByTheThreadOfTheRun() {
		AtomicBoolean ending = new AtomicBoolean();
		List<RecordedJobs> jobs = new ArrayList<>();
		Timetable timetable = TimetableTests.everySeconds(3600);
		Peer peer = new Peer("third", new Job(KEY, Timetable.of("3600", (after) -> {
			if (ending.getAndSet(false)) {
				jobs.get(0).turn();
			}
			return timetable.next(TimetableTests.covered(after));
		}), Duration.ofMinutes(10), 1));
		jobs.add(peer.jobs);
		peer.elect(1);
		this.now = ONE;
		RecordedRun run = peer.tick(ONE).run();
		ending.set(true);
		run.end(null);
		assertThat(ending).isFalse();
		assertThat(peer.ends).isOne();
	}

	@Test
	void recordThatIsGoneIsMadeAnew() {
		this.first.elect(1);
		this.now = ONE;
		this.unusable = true;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		this.unusable = false;
		this.first.jobs.turn();
		assertThat(this.first.jobs.status(KEY).failure()).isNull();
	}

	@Test
	void recordThatIsRemovedCostsNoFireTime() {
		this.first.elect(1);
		this.now = ONE;
		this.first.tick(ONE).run().end(null);
		this.now = ONE.plusSeconds(3600);
		this.store = new InMemoryRecordStore(() -> this.now);
		assertThat(this.first.tick(this.now).result()).isEqualTo(Result.RAN);
		assertThat(record().covered()).isEqualTo(this.now);
	}

	/** As when the leases were dropped, and their terms began with 1 again. */
	@Test
	void recordOfALaterTermThanThePresentOneIsDamagedAndSaysSoOnce() {
		this.first.elect(3);
		this.first.depose();
		List<String> lines = linesOf(() -> {
			this.second.elect(1);
			this.now = ONE;
			assertThat(this.second.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
			this.second.jobs.turn();
			assertThat(this.second.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		});
		assertThat(lines).singleElement(InstanceOfAssertFactories.STRING)
			.startsWith(
					"ERROR The record of job 'e/report' is damaged, so that it can't be started: its fence is above "
							+ "term 1, which is held now. Was the lease removed, or an older one restored? Repair it, or "
							+ "remove it");
		assertThat(this.second.jobs.status(KEY).failure()).startsWith("its fence is above term 1");
		assertThatExceptionOfType(UnusableRecordException.class)
			.isThrownBy(() -> this.second.jobs.trigger(KEY.election(), KEY.job()))
			.withMessageContaining("The record of job 'e/report' can't be used: its fence is above term 1");
		assertThat(this.second.launched).isEmpty();

		this.store = new InMemoryRecordStore(() -> this.now);
		assertThat(this.second.tick(ONE).result()).isEqualTo(Result.RAN);
		assertThat(this.second.jobs.status(KEY).failure()).isNull();
	}

	@Test
	void fenceThatIsRaisedUnderTheLeaderIsDamage() {
		this.first.elect(1);
		StoredRecord raised = StoredRuns.stored(record().opened(3, "3600", NOON));
		assertThat(this.store.replace(List.of(raised), Duration.ofSeconds(1))).isNotEmpty();
		this.now = ONE;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		assertThat(this.first.jobs.status(KEY).failure()).startsWith("its fence is above term 1");
	}

	@Test
	void recordOfALaterTermIsNoDamageToOneWhoseTermHasEnded() {
		this.first.elect(1);
		this.second.elect(2);
		this.now = ONE;
		this.first.election.term().end();
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.NOT_LEADER);
		assertThat(this.first.jobs.status(KEY).failure()).isNull();
	}

	@Test
	void otherTimetableIsToldWithWhatNoLongerCounts() {
		this.first.elect(1);
		this.first.depose();
		this.now = ONE.plusSeconds(20);
		Peer changed = new Peer("changed", new Job(KEY, TimetableTests.everySeconds(60), Duration.ofMinutes(10), 1));
		List<String> lines = linesOf(() -> changed.elect(2));
		assertThat(lines).containsExactly("INFO Job 'e/report' has another timetable, '60' in place of '3600'. Fire "
				+ "times from " + NOON.plusSeconds(1) + " to " + this.now + " do not count any more");
		this.now = this.now.plusSeconds(5);
		changed.depose();
		assertThat(linesOf(() -> changed.elect(3))).isEmpty();
	}

	@Test
	void recordThatSomebodyKeepsLockedKeepsNoOthersWaiting() {
		Set<String> locked = new HashSet<>();
		RecordedJobs jobs = jobsWithPendingEnds(locked);
		locked.removeIf((id) -> !id.equals("e/locked"));
		for (int i = 0; i < 6; i++) {
			jobs.turn();
		}
		StoredRuns stored = new StoredRuns(this.store);
		assertThat(stored.find(new JobKey("e", "one")).last().outcome()).isEqualTo(Outcome.SUCCEEDED);
		assertThat(stored.find(new JobKey("e", "other")).last().outcome()).isEqualTo(Outcome.SUCCEEDED);
		assertThat(stored.find(new JobKey("e", "locked")).last().outcome()).isEqualTo(Outcome.RUNNING);
	}

	@Test
	void storeThatDoesNotAnswerIsNotWaitedForOncePerRun() {
		Set<String> locked = new HashSet<>();
		RecordedJobs jobs = jobsWithPendingEnds(locked);
		for (int i = 0; i < 3; i++) {
			Instant before = this.now;
			jobs.turn();
			assertThat(this.now).isEqualTo(before.plus(RunStore.TIMEOUT));
		}
		locked.clear();
		jobs.turn();
		assertThat(new StoredRuns(this.store).find(new JobKey("e", "other")).last().outcome())
			.isEqualTo(Outcome.SUCCEEDED);
	}

	/** Runs of three jobs have ended, and their records were locked before. */
	private RecordedJobs jobsWithPendingEnds(Set<String> locked) {
		RecordStore slow = (RecordStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RecordStore.class }, (proxy, request, arguments) -> {
					if (request.getName().equals("replace") && ((Collection<?>) arguments[0]).stream()
						.anyMatch((record) -> locked.contains(((StoredRecord) record).id()))) {
						this.now = this.now.plus((Duration) arguments[1]);
						throw new LeaseStoreException("somebody else's transaction is open", null);
					}
					return request.invoke(this.store, arguments);
				});
		RecordedJobs jobs = new RecordedJobs(() -> this.first.election, slow, "", List.of(), this.clock);
		SimulatedTerm unused = this.first.election.begin(1);
		for (String job : List.of("one", "locked", "other")) {
			assertThat(jobs.run(SimulatedElection.NAME, job, NOON, (run) -> locked.add("e/" + job)))
				.isEqualTo(Result.RAN);
		}
		return jobs;
	}

	@Test
	void furtherAttemptKnowsThatTheOneBeforeItIsUnfinished() {
		Peer attempting = new Peer("third", 2);
		attempting.elect(1);
		this.now = ONE;
		attempting.tick(ONE);
		Peer next = new Peer("fourth", 2);
		next.elect(2);
		Begin again = next.begin(next.launched.get(0));
		assertThat(again.run().run().attempt()).isEqualTo(2);
		assertThat(again.run().previous().outcome()).isEqualTo(Outcome.UNFINISHED);
		assertThat(again.run().previous().finishedAt()).isNull();
		assertThat(next.unfinished.outcome()).isEqualTo(Outcome.UNFINISHED);
	}

	@Test
	void durationOfARunEndsWhenTheRunDoes() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		this.now = this.now.plusSeconds(3);
		this.answersTake = Duration.ofSeconds(4);
		begin.run().end(null);
		assertThat(this.first.duration).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void recordThatCannotBeUsedConcernsItsOwnJobOnly() {
		this.first.elect(1);
		this.now = ONE;
		this.unusable = true;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.UNREACHABLE);
		assertThat(this.first.jobs.status(KEY).failure()).isEqualTo("it was edited");
		JobKey other = new JobKey(SimulatedElection.NAME, "other");
		this.first.jobs.register(job(other, 1), null);
		assertThat(this.first.jobs.status(other).failure()).isNull();
		this.unusable = false;
		this.now = this.now.plusSeconds(2);
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.RAN);
		assertThat(this.first.jobs.status(KEY).failure()).isNull();
	}

	@Test
	void fireTimeOfTheFarFutureIsRefused() {
		this.first.elect(1);
		Instant far = this.now.plus(RunCodec.MOST_AHEAD);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.first.jobs.run(SimulatedElection.NAME, "own", far.plusMillis(1), (run) -> {
			}))
			.withMessageContaining("of job 'e/own' is more than a year ahead");
		assertThat(this.first.jobs.run(SimulatedElection.NAME, "own", far, (run) -> {
		})).isEqualTo(Result.RAN);
	}

	@Test
	void fireTimesAreWholeMilliseconds() {
		assertThat(PlannedRun.at(ONE.plusNanos(123_456)).fireTime()).isEqualTo(ONE);
	}

	@Test
	void interruptOfARunDoesNotKeepItsEndFromBeingRecorded() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		Thread.currentThread().interrupt();
		begin.run().end(null);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(record().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	@Test
	void runIsKnownToItsThread() {
		this.first.elect(1);
		this.now = ONE;
		Begin begin = this.first.tick(ONE);
		assertThat(this.first.jobs.currentRun()).isEmpty();
		try (WorkScope scope = begin.run().enter()) {
			assertThat(this.first.jobs.currentRun()).map(JobRun::fireTime).hasValue(ONE);
			assertThat(this.first.jobs.previousRun()).isEmpty();
		}
		assertThat(this.first.jobs.currentRun()).isEmpty();
	}

	@Test
	void listenerThatThrowsCostsNothing() {
		this.first.failure = new StackOverflowError();
		this.first.elect(1);
		this.now = ONE;
		assertThat(this.first.tick(ONE).result()).isEqualTo(Result.RAN);
	}

	@Test
	void namesAreUnique() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.first.jobs.register(job(1), null))
			.withMessageContaining("two jobs 'e/report'")
			.withMessageContaining("another name");
		assertThatIllegalArgumentException().isThrownBy(() -> Job.requireValidName("a/b"))
			.withMessageContaining("slash");
		assertThatIllegalArgumentException().isThrownBy(() -> Job.requireValidName(" "))
			.withMessageContaining("Job name ' ' is blank");
	}

	/** The store of the test, behind a network that is as the test says. */
	private final class AskedStore implements RecordStore {

		private RecordStore store() {
			return RecordedJobsTests.this.store;
		}

		@Override
		public RecordReading read(Collection<String> ids, Duration timeout) {
			RecordReading reading = answer("read", () -> store().read(ids, timeout));
			Runnable happening = RecordedJobsTests.this.meanwhile;
			RecordedJobsTests.this.meanwhile = null;
			if (happening != null) {
				happening.run();
			}
			return RecordedJobsTests.this.unusable ? new RecordReading(Map.of(), Map.of(KEY.id(), "it was edited"))
					: reading;
		}

		@Override
		public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
			return answer("insert", () -> store().insert(records, timeout));
		}

		@Override
		public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
			RunRecord next = StoredRuns.decoded(KEY, changed.iterator().next(), RecordedJobsTests.this.now);
			String kind = kind(next);
			Set<String> replaced = answer(kind,
					() -> RecordedJobsTests.this.unusable ? Set.of() : store().replace(changed, timeout));
			if (kind.equals("start") && RecordedJobsTests.this.duringStart != null) {
				RecordedJobsTests.this.duringStart.run();
			}
			return replaced;
		}

		private String kind(RunRecord next) {
			JobRun last = next.last();
			JobRun before = (record() != null) ? record().last() : null;
			if (last == null || last.equals(before)) {
				return "open or cover";
			}
			return (last.outcome() == Outcome.RUNNING) ? "start" : "end";
		}

		@Override
		public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
			return answer("remove", () -> store().remove(seen, timeout));
		}

		@Override
		public Instant now(Duration timeout) {
			Instant answer = store().now(timeout);
			RecordedJobsTests.this.now = RecordedJobsTests.this.now.plus(RecordedJobsTests.this.timeTakes);
			return answer;
		}

		private <T> T answer(String request, Supplier<T> answer) {
			RecordedJobsTests.this.requests++;
			if (request.equals(RecordedJobsTests.this.lost)) {
				RecordedJobsTests.this.onItsWay = answer;
				throw new LeaseStoreException("the request was lost", null);
			}
			T answered = answer.get();
			RecordedJobsTests.this.now = RecordedJobsTests.this.now.plus(RecordedJobsTests.this.answersTake);
			if (RecordedJobsTests.this.answersAreLost) {
				throw new LeaseStoreException("the answer was lost", null);
			}
			return answered;
		}

	}

	private static List<String> linesOf(Runnable work) {
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		Logger logger = (Logger) LoggerFactory.getLogger(RecordedJobs.class.getPackageName());
		appender.start();
		logger.addAppender(appender);
		try {
			work.run();
		}
		finally {
			logger.detachAppender(appender);
		}
		return appender.list.stream()
			.filter((event) -> event.getLevel().isGreaterOrEqual(Level.INFO))
			.map((event) -> event.getLevel() + " " + event.getFormattedMessage())
			.toList();
	}

	private RunRecord record() {
		StoredRecord stored = this.store.read(List.of(KEY.id()), Duration.ofSeconds(1)).records().get(KEY.id());
		return (stored != null) ? StoredRuns.decoded(KEY, stored, this.now) : null;
	}

	private static Job job(int attempts) {
		return job(KEY, attempts);
	}

	private static Job job(JobKey key, int attempts) {
		return new Job(key, TimetableTests.everySeconds(3600), Duration.ofMinutes(10), attempts);
	}

	/** A process. */
	private final class Peer implements JobListener {

		private final List<PlannedRun> launched = new ArrayList<>();

		private final List<Runnable> launches = new ArrayList<>();

		private final CompletableFuture<?> scheduled = new CompletableFuture<>();

		private final List<String> heard = new ArrayList<>();

		private final List<Result> refused = new ArrayList<>();

		private final SimulatedElection election;

		private final RecordedJobs jobs;

		private Error failure;

		private Instant lastMissed;

		private JobRun unfinished;

		private Duration duration;

		private int ends;

		Peer(String name, int attempts) {
			this(name, job(attempts));
		}

		Peer(String name, Job job) {
			this.election = new SimulatedElection(name);
			this.jobs = new RecordedJobs(() -> this.election, RecordedJobsTests.this.asked, "", List.of(this),
					RecordedJobsTests.this.clock);
			this.jobs.register(job, (run, done) -> {
				this.launched.add(run);
				this.launches.add(done);
				return this.scheduled;
			});
		}

		void elect(long term) {
			SimulatedTerm unused = this.election.begin(term);
			this.jobs.turn();
		}

		/** The scheduler has done with what was launched last. */
		void endLaunch() {
			this.launches.get(this.launches.size() - 1).run();
			this.jobs.turn();
		}

		void depose() {
			this.election.term().end();
			this.jobs.turn();
		}

		Begin tick(Instant fireTime) {
			return begin(PlannedRun.at(fireTime));
		}

		Begin begin(PlannedRun run) {
			return this.jobs.begin(KEY, run, this.election.term());
		}

		@Override
		public void onStarted(JobRun run, Duration late) {
			if (this.failure != null) {
				throw this.failure;
			}
		}

		@Override
		public void onUnfinished(JobRun run, boolean again) {
			this.heard.add("unfinished " + run.attempt());
			this.unfinished = run;
		}

		@Override
		public void onEnded(JobRun run, Duration duration) {
			this.duration = duration;
			this.ends++;
		}

		@Override
		public void onRefused(JobKey key, Result result) {
			this.refused.add(result);
		}

		@Override
		public void onMissed(JobKey key, Instant last, int number) {
			this.heard.add("missed " + number);
			this.lastMissed = last;
		}

		@Override
		public void onSkipped(JobKey key, int number) {
			this.heard.add("skipped " + number);
		}

	}

}
