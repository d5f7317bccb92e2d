package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The contract of a {@link RunStore}. Each test begins with an empty store.
 */
public abstract class RunStoreContractTests {

	/** Never reached where a server answers, on however slow a machine. */
	protected static final Duration TIMEOUT = Duration.ofSeconds(60);

	protected static final JobKey JOB = new JobKey("billing", "nightly-report");

	protected static final Instant AS_OF = Instant.parse("2025-03-01T00:00:00Z");

	protected static final Instant FIRST = AS_OF.plusSeconds(60);

	protected static final Instant SECOND = FIRST.plusSeconds(60);

	protected static final Instant THIRD = SECOND.plusSeconds(60);

	protected static final String TIMETABLE = "cron 0 * * * * *";

	static final int RACERS = 16;

	/** Return the store, empty. */
	protected abstract RunStore store();

	// Opening

	@Test
	void jobThatWasNeverOpenedHasNoRecord() {
		RunReading reading = store().find(List.of(JOB), TIMEOUT);
		assertThat(reading.records()).isEmpty();
		assertThat(reading.damaged()).isEmpty();
	}

	@Test
	void nothingAskedForIsNothingOpenedOrFound() {
		assertThat(store().open(List.of(), TIMEOUT).records()).isEmpty();
		assertThat(store().find(List.of(), TIMEOUT).records()).isEmpty();
	}

	@Test
	void openingMakesARecordWithEverythingCoveredSoFar() {
		RunRecord record = open(3);
		assertThat(record).isEqualTo(new RunRecord(JOB, 3, AS_OF, TIMETABLE, 0, 0, null));
		assertThat(find()).isEqualTo(record);
	}

	@Test
	void openingUnderALaterTermRaisesTheFenceAndCoversNothing() {
		open(3);
		RunRecord record = open(new RunOpening(JOB, 5, TIMETABLE, SECOND)).records().get(JOB);
		assertThat(record).isEqualTo(new RunRecord(JOB, 5, AS_OF, TIMETABLE, 0, 0, null));
		assertThat(find()).isEqualTo(record);
	}

	@Test
	void openingAgainUnderTheSameTermShowsTheRecord() {
		RunRecord first = open(3);
		assertThat(open(3)).isEqualTo(first);
	}

	@Test
	void openingUnderAnEarlierTermShowsNothingAndChangesNothing() {
		RunRecord record = open(3);
		RunReading reading = open(new RunOpening(JOB, 2, "another", THIRD));
		assertThat(reading.records()).isEmpty();
		assertThat(reading.damaged()).isEmpty();
		assertThat(find()).isEqualTo(record);
	}

	@Test
	void anotherTimetableCoversEverythingUpToItsOpening() {
		open(3);
		RunRecord record = open(new RunOpening(JOB, 4, "every 5 m", SECOND)).records().get(JOB);
		assertThat(record).isEqualTo(new RunRecord(JOB, 4, SECOND, "every 5 m", 0, 0, null));
		assertThat(find()).isEqualTo(record);
	}

	@Test
	void anotherTimetableUnderTheSameTermReplacesTheFirst() {
		open(3);
		RunRecord record = open(new RunOpening(JOB, 3, "", SECOND)).records().get(JOB);
		assertThat(record).isEqualTo(new RunRecord(JOB, 3, SECOND, "", 0, 0, null));
	}

	@Test
	void anotherTimetableUncoversNothing() {
		open(3);
		start(first("one", 3), null);
		RunRecord record = open(new RunOpening(JOB, 4, "every 5 m", AS_OF)).records().get(JOB);
		assertThat(record.covered()).isEqualTo(FIRST);
		assertThat(record.timetable()).isEqualTo("every 5 m");
		assertThat(record.isLast("one")).isTrue();
	}

	@Test
	void manyRecordsAreOpenedTogetherEachByItsOwnTerm() {
		JobKey later = new JobKey("billing", "later");
		JobKey fresh = new JobKey("other", "nightly-report");
		open(3);
		open(new RunOpening(later, 9, TIMETABLE, AS_OF));
		RunReading reading = store().open(List.of(new RunOpening(JOB, 4, TIMETABLE, SECOND),
				new RunOpening(later, 8, TIMETABLE, SECOND), new RunOpening(fresh, 1, "", SECOND)), TIMEOUT);
		assertThat(reading.damaged()).isEmpty();
		assertThat(reading.records()).containsOnly(Map.entry(JOB, new RunRecord(JOB, 4, AS_OF, TIMETABLE, 0, 0, null)),
				Map.entry(fresh, new RunRecord(fresh, 1, SECOND, "", 0, 0, null)));
	}

	@Test
	void findReturnsTheRecordsAskedForOnly() {
		JobKey second = new JobKey("billing", "second");
		open(3);
		open(new RunOpening(second, 1, TIMETABLE, AS_OF));
		open(new RunOpening(new JobKey("billing", "third"), 1, TIMETABLE, AS_OF));
		RunReading reading = store().find(List.of(JOB, second, new JobKey("billing", "none"), JOB), TIMEOUT);
		assertThat(reading.records()).containsOnlyKeys(JOB, second);
		assertThat(reading.damaged()).isEmpty();
	}

	@Test
	void whatIsFinerThanMillisecondsIsCutOff() {
		Instant fine = FIRST.plusNanos(1_999_999);
		Instant cut = FIRST.plusMillis(1);
		assertThat(open(new RunOpening(JOB, 1, TIMETABLE, fine)).records().get(JOB).covered()).isEqualTo(cut);
		assertThat(start(run("zero", cut.plusNanos(999_999), 1, 1), null).last()).as("is covered").isNull();
		RunRecord started = start(run("one", cut.plusNanos(1_000_001), 1, 1), null);
		assertThat(started.last()).isNotNull();
		assertThat(started.last().fireTime()).isEqualTo(cut.plusMillis(1));
		assertThat(started.covered()).isEqualTo(cut.plusMillis(1));
		assertThat(cover(1, cut.plusNanos(1_999_999), THIRD.plusNanos(1_999_999), 1)).isTrue();
		assertThat(find().covered()).isEqualTo(THIRD.plusMillis(1));
	}

	// Starting

	@Test
	void startIsRecordedWithAllThatIsKnownOfIt() {
		open(3);
		JobRun run = new JobRun("one", JOB.election(), JOB.job(), FIRST, Cause.CATCH_UP, 1, 3, "shop@web-1", null, null,
				Outcome.RUNNING);
		RunRecord record = store().start(new RunStart(run, null), TIMEOUT);
		JobRun last = record.last();
		assertThat(last).isNotNull();
		assertThat(last).usingRecursiveComparison().ignoringFields("startedAt").isEqualTo(run);
		assertThat(last.startedAt()).isNotNull();
		assertThat(record.covered()).isEqualTo(FIRST);
		assertThat(record.fence()).isEqualTo(3);
		assertThat(find()).isEqualTo(record);
	}

	@Test
	void datesAndOutcomeOfAStartAreSetByTheStore() {
		open(3);
		JobRun run = new JobRun("one", JOB.election(), JOB.job(), FIRST, Cause.SCHEDULED, 1, 3, "a", Instant.EPOCH,
				Instant.EPOCH, Outcome.SUCCEEDED);
		JobRun last = store().start(new RunStart(run, null), TIMEOUT).last();
		assertThat(last.startedAt()).isAfter(Instant.EPOCH);
		assertThat(last.finishedAt()).isNull();
		assertThat(last.outcome()).isEqualTo(Outcome.RUNNING);
	}

	@Test
	void startOfAJobThatWasNeverOpenedIsAnError() {
		assertThatExceptionOfType(UnusableRecordException.class).isThrownBy(() -> start(first("one", 1), null))
			.withMessageContaining("The record of job '")
			.withMessageContaining("billing/nightly-report' can't be used: there is none");
	}

	@Test
	void startUnderAnEarlierTermThanWasOpenedIsRefused() {
		open(3);
		RunRecord opened = open(4);
		assertThat(start(first("one", 3), null)).isEqualTo(opened);
		assertThat(find()).isEqualTo(opened);
	}

	@Test
	void startUnderALaterTermThanWasOpenedRaisesTheFence() {
		open(3);
		assertThat(start(first("one", 4), null).fence()).isEqualTo(4);
		assertThat(start(run("two", SECOND, 1, 3), "one").isLast("one")).isTrue();
		assertThat(open(new RunOpening(JOB, 3, TIMETABLE, AS_OF)).records()).isEmpty();
	}

	@Test
	void startOfTheSameFireTimeIsRefused() {
		open(3);
		RunRecord started = start(first("one", 3), null);
		assertThat(start(first("two", 3), "one")).isEqualTo(started);
		open(4);
		assertThat(start(first("three", 4), "one").isLast("one")).isTrue();
	}

	@Test
	void startOfAnEarlierFireTimeIsRefused() {
		open(3);
		start(run("two", SECOND, 1, 3), null);
		assertThat(start(first("one", 3), "two").isLast("two")).isTrue();
	}

	@Test
	void startOfAFireTimeThatWasCoveredIsRefused() {
		open(3);
		assertThat(start(run("zero", AS_OF, 1, 3), null).last()).isNull();
		cover(3, AS_OF, FIRST, 1);
		assertThat(start(first("one", 3), null).last()).isNull();
		assertThat(start(run("two", SECOND, 1, 3), null).isLast("two")).isTrue();
	}

	@Test
	void startWhoseExpectedRunIsNotTheLastOneIsRefused() {
		open(3);
		assertThat(start(first("one", 3), "zero").last()).as("none is").isNull();
		start(first("one", 3), null);
		assertThat(start(run("two", SECOND, 1, 3), null).isLast("one")).as("one is").isTrue();
		assertThat(start(run("two", SECOND, 1, 3), "zero").isLast("one")).as("another is").isTrue();
		assertThat(start(run("two", SECOND, 1, 3), "one").isLast("two")).isTrue();
	}

	@Test
	void repeatedStartFindsItselfRecorded() {
		open(3);
		RunRecord started = start(first("one", 3), null);
		assertThat(start(first("one", 3), null)).isEqualTo(started);
	}

	@Test
	void repeatedStartOfARunThatHasEndedDoesNotStartItAgain() {
		open(3);
		start(first("one", 3), null);
		finish(end("one", Outcome.SUCCEEDED));
		RunRecord ended = find();
		assertThat(start(first("one", 3), null)).isEqualTo(ended);
	}

	@Test
	void repeatedStartOfARunThatWasFollowedByAnotherIsRefused() {
		open(3);
		start(first("one", 3), null);
		start(run("two", SECOND, 1, 3), "one");
		assertThat(start(first("one", 3), null).isLast("two")).isTrue();
	}

	@Test
	void repeatedStartOfARunThatWasWithdrawnIsRefused() {
		open(3);
		start(first("one", 3), null);
		finish(end("one", Outcome.WITHDRAWN));
		RunRecord withdrawn = find();
		assertThat(start(first("one", 3), null)).isEqualTo(withdrawn);
	}

	@Test
	void runThatWasTriggeredNeedsNoFireTimeAndCoversNone() {
		open(3);
		start(run("one", SECOND, 1, 3), null);
		RunRecord record = start(run("two", null, 1, 3), "one");
		assertThat(record.isLast("two")).isTrue();
		assertThat(record.last().fireTime()).isNull();
		assertThat(record.covered()).isEqualTo(SECOND);
		assertThat(start(run("three", null, 1, 2), "two").isLast("two")).as("under an earlier term").isTrue();
	}

	@Test
	void startShowsNothingOfTheRunBefore() {
		open(3);
		start(first("one", 3), null);
		finish(end("one", Outcome.FAILED));
		JobRun last = start(run("two", null, 1, 3), "one").last();
		assertThat(last.finishedAt()).isNull();
		assertThat(last.outcome()).isEqualTo(Outcome.RUNNING);
		assertThat(last.fireTime()).isNull();
	}

	@Test
	void furtherAttemptFollowsARunThatHasNotEnded() {
		open(3);
		start(first("one", 3), null);
		open(4);
		RunRecord record = start(run("two", FIRST, 2, 4), "one");
		assertThat(record.isLast("two")).isTrue();
		assertThat(record.last().attempt()).isEqualTo(2);
		assertThat(record.covered()).isEqualTo(FIRST);
	}

	@Test
	void furtherAttemptLeavesCoveredWhatIsCoveredBeyond() {
		open(3);
		start(first("one", 3), null);
		cover(3, FIRST, SECOND, 0);
		finish(end("one", Outcome.UNFINISHED));
		assertThat(start(run("two", FIRST, 2, 3), "one").covered()).isEqualTo(SECOND);
	}

	@ParameterizedTest
	@EnumSource(value = Outcome.class, names = "RUNNING", mode = EnumSource.Mode.EXCLUDE)
	void furtherAttemptFollowsNoRunThatHasEndedUnlessItIsUnfinished(Outcome outcome) {
		open(3);
		start(first("one", 3), null);
		finish(end("one", outcome));
		assertThat(start(run("two", FIRST, 2, 3), "one").isLast("two")).isEqualTo(outcome == Outcome.UNFINISHED);
	}

	@Test
	void furtherAttemptIsForTheSameFireTime() {
		open(3);
		start(run("one", SECOND, 1, 3), null);
		assertThat(start(run("two", FIRST, 2, 3), "one").isLast("one")).isTrue();
		assertThat(start(run("two", THIRD, 2, 3), "one").isLast("one")).isTrue();
		assertThat(start(run("two", null, 2, 3), "one").isLast("one")).isTrue();
	}

	@Test
	void furtherAttemptOfARunThatWasTriggeredHasNoFireTime() {
		open(3);
		start(run("one", null, 1, 3), null);
		assertThat(start(run("two", FIRST, 2, 3), "one").isLast("one")).isTrue();
		assertThat(start(run("two", null, 2, 3), "one").isLast("two")).isTrue();
	}

	@Test
	void furtherAttemptNeedsARunThatItFollows() {
		open(3);
		assertThat(start(run("two", FIRST, 2, 3), null).last()).isNull();
		start(first("one", 3), null);
		assertThat(start(run("two", FIRST, 2, 3), "zero").isLast("one")).isTrue();
	}

	@Test
	void furtherAttemptUnderAnEarlierTermIsRefused() {
		open(3);
		start(first("one", 3), null);
		open(4);
		assertThat(start(run("two", FIRST, 2, 3), "one").isLast("one")).isTrue();
	}

	@Test
	void repeatedFurtherAttemptFindsItselfRecorded() {
		open(3);
		start(first("one", 3), null);
		RunRecord second = start(run("two", FIRST, 2, 3), "one");
		assertThat(start(run("two", FIRST, 2, 3), "one")).isEqualTo(second);
	}

	// Ending

	@ParameterizedTest
	@EnumSource(value = Outcome.class, names = "RUNNING", mode = EnumSource.Mode.EXCLUDE)
	void endIsRecorded(Outcome outcome) {
		open(3);
		RunRecord started = start(first("one", 3), null);
		assertThat(store().finish(end("one", outcome), TIMEOUT)).isTrue();
		RunRecord record = find();
		assertThat(record.last()).usingRecursiveComparison()
			.ignoringFields("outcome", "finishedAt")
			.isEqualTo(started.last());
		assertThat(record.last().outcome()).isEqualTo(outcome);
		// Nobody knows when a run that was found unfinished has ended.
		assertThat(record.last().finishedAt() != null).isEqualTo(outcome != Outcome.UNFINISHED);
		assertThat(record.covered()).isEqualTo((outcome != Outcome.WITHDRAWN) ? FIRST : FIRST.minusMillis(1));
		assertThat(record.skipped()).isZero();
	}

	@Test
	void endCannotBeThatItGoesOn() {
		assertThatIllegalArgumentException().isThrownBy(() -> end("one", Outcome.RUNNING))
			.withMessageContaining("RUNNING");
	}

	@Test
	void endIsRecordedOnce() {
		open(3);
		start(first("one", 3), null);
		finish(end("one", Outcome.SUCCEEDED));
		RunRecord ended = find();
		assertThat(store().finish(end("one", Outcome.SUCCEEDED), TIMEOUT)).isFalse();
		assertThat(store().finish(end("one", Outcome.FAILED), TIMEOUT)).isFalse();
		assertThat(store().finish(end("one", Outcome.WITHDRAWN), TIMEOUT)).isFalse();
		assertThat(find()).isEqualTo(ended);
	}

	@Test
	void endOfARunThatIsNotTheLastOneIsNotRecorded() {
		assertThat(store().finish(end("one", Outcome.SUCCEEDED), TIMEOUT)).as("no record").isFalse();
		open(3);
		assertThat(store().finish(end("one", Outcome.SUCCEEDED), TIMEOUT)).as("no run").isFalse();
		start(first("one", 3), null);
		RunRecord second = start(run("two", SECOND, 1, 3), "one");
		assertThat(store().finish(end("one", Outcome.SUCCEEDED), TIMEOUT)).isFalse();
		assertThat(store().finish(end("one", Outcome.WITHDRAWN), TIMEOUT)).isFalse();
		assertThat(find()).isEqualTo(second);
	}

	@ParameterizedTest
	@EnumSource(value = Outcome.class, names = { "RUNNING", "WITHDRAWN" }, mode = EnumSource.Mode.EXCLUDE)
	void endLeavesWhatIsCovered(Outcome outcome) {
		open(3);
		start(first("one", 3), null);
		cover(3, FIRST, SECOND, 1);
		finish(end("one", outcome));
		assertThat(find().covered()).isEqualTo(SECOND);
		assertThat(find().missed()).isEqualTo(1);
	}

	@Test
	void endFromAnEarlierTermIsRecordedUntilAnotherRunWasStarted() {
		open(3);
		start(first("one", 3), null);
		open(4);
		assertThat(store().finish(end("one", Outcome.SUCCEEDED), TIMEOUT)).isTrue();
		assertThat(find().last().outcome()).isEqualTo(Outcome.SUCCEEDED);
		assertThat(find().fence()).isEqualTo(4);
	}

	@Test
	void fireTimeOfARunThatWasWithdrawnCanBeStartedAgain() {
		open(3);
		start(first("one", 3), null);
		finish(end("one", Outcome.WITHDRAWN));
		assertThat(find().covered()).isEqualTo(FIRST.minusMillis(1));
		assertThat(start(first("two", 3), "one").isLast("two")).isTrue();
	}

	@Test
	void withdrawalUncoversNoEarlierFireTime() {
		open(3);
		start(first("one", 3), null);
		start(run("two", SECOND, 1, 3), "one");
		finish(end("two", Outcome.WITHDRAWN));
		assertThat(find().covered()).isEqualTo(SECOND.minusMillis(1));
		assertThat(start(first("three", 3), "two").isLast("two")).isTrue();
	}

	@Test
	void withdrawalOfARunThatWasTriggeredUncoversNothing() {
		open(3);
		start(first("one", 3), null);
		start(run("two", null, 1, 3), "one");
		finish(end("two", Outcome.WITHDRAWN));
		assertThat(find().covered()).isEqualTo(FIRST);
	}

	@Test
	void withdrawalIsRefusedOnceALaterTermHasOpened() {
		open(3);
		start(first("one", 3), null);
		RunRecord opened = open(4);
		assertThat(store().finish(end("one", Outcome.WITHDRAWN), TIMEOUT)).isFalse();
		assertThat(find()).isEqualTo(opened);
	}

	// Covering

	@Test
	void coverSettlesWhatWasMissed() {
		open(3);
		assertThat(cover(3, AS_OF, SECOND, 2)).isTrue();
		assertThat(find()).isEqualTo(new RunRecord(JOB, 3, SECOND, TIMETABLE, 0, 2, null));
		assertThat(cover(3, SECOND, THIRD, 0)).isTrue();
		assertThat(find()).isEqualTo(new RunRecord(JOB, 3, THIRD, TIMETABLE, 0, 2, null));
	}

	@Test
	void coverSettlesWhatHasComeDuringARun() {
		open(3);
		start(first("one", 3), null);
		assertThat(store().cover(new RunCover(JOB, 3, FIRST, SECOND, 2, 0), TIMEOUT)).isTrue();
		assertThat(store().cover(new RunCover(JOB, 3, SECOND, THIRD, 1, 4), TIMEOUT)).isTrue();
		assertThat(find().covered()).isEqualTo(THIRD);
		assertThat(find().skipped()).isEqualTo(3);
		assertThat(find().missed()).isEqualTo(4);
	}

	@Test
	void coverOfOtherThanWhatIsCoveredDoesNothingSoThatNothingIsCountedTwice() {
		open(3);
		cover(3, AS_OF, SECOND, 2);
		RunRecord covered = find();
		assertThat(cover(3, AS_OF, SECOND, 2)).isFalse();
		assertThat(cover(3, AS_OF, THIRD, 3)).isFalse();
		assertThat(cover(3, FIRST, THIRD, 2)).isFalse();
		assertThat(find()).isEqualTo(covered);
	}

	@Test
	void coverUnderAnEarlierTermIsRefused() {
		RunRecord opened = open(3);
		assertThat(cover(2, AS_OF, SECOND, 2)).isFalse();
		assertThat(find()).isEqualTo(opened);
	}

	@Test
	void coverUnderALaterTermLeavesTheFence() {
		open(3);
		assertThat(cover(4, AS_OF, SECOND, 1)).isTrue();
		assertThat(find().fence()).isEqualTo(3);
	}

	@Test
	void coverOfAJobThatWasNeverOpenedDoesNothing() {
		assertThat(cover(3, AS_OF, SECOND, 2)).isFalse();
		assertThat(store().find(List.of(JOB), TIMEOUT).records()).isEmpty();
	}

	@Test
	void coverLeavesTheLastRun() {
		open(3);
		RunRecord started = start(first("one", 3), null);
		cover(3, FIRST, SECOND, 1);
		assertThat(find().last()).isEqualTo(started.last());
	}

	// Several at once

	@Test
	void jobsDoNotAffectEachOther() {
		JobKey other = new JobKey("billing", "other");
		open(3);
		RunRecord before = open(new RunOpening(other, 2, TIMETABLE, AS_OF)).records().get(other);
		start(first("one", 3), null);
		finish(end("one", Outcome.FAILED));
		cover(3, FIRST, THIRD, 1);
		assertThat(store().find(List.of(other), TIMEOUT).records().get(other)).isEqualTo(before);
	}

	@Test
	void onlyOneOfManyRacersStartsAFireTime() throws Exception {
		open(1);
		List<RunRecord> records = race((racer) -> () -> start(first("run-" + racer, 1), null));
		assertOneHasStarted(records);
	}

	@Test
	void onlyOneOfManyTermsStartsAFireTime() throws Exception {
		open(1);
		List<RunRecord> records = race((racer) -> () -> start(first("run-" + racer, 1 + racer), null));
		assertOneHasStarted(records);
	}

	@Test
	void onlyOneOfManyTermsThatOpenStartsAFireTime() throws Exception {
		List<RunRecord> records = race((racer) -> () -> {
			RunRecord opened = open(new RunOpening(JOB, 1 + racer, "timetable " + racer % 2, AS_OF)).records().get(JOB);
			return (opened == null || opened.last() != null) ? find() : start(first("run-" + racer, 1 + racer), null);
		});
		RunRecord record = find();
		assertThat(record.fence()).isEqualTo(RACERS);
		assertThat(record.timetable()).isEqualTo("timetable " + (RACERS - 1) % 2);
		assertThat(IntStream.range(0, RACERS).filter((racer) -> records.get(racer).isLast("run-" + racer)))
			.hasSizeLessThanOrEqualTo(1);
	}

	@Test
	void nothingIsStartedOnceALaterTermHasSeenTheRecord() throws Exception {
		open(1);
		List<RunRecord> records = race((racer) -> () -> (racer == 0) ? open(2)
				: start(run("run-" + racer, AS_OF.plusSeconds(racer), 1, 1), null));
		JobRun seen = records.get(0).last();
		assertThat(find().last()).isEqualTo(seen);
		assertThat(start(run("late", THIRD, 1, 1), (seen != null) ? seen.id() : null).last()).isEqualTo(seen);
	}

	@Test
	void onlyOneOfManyRecordsTheEnd() throws Exception {
		open(1);
		start(first("one", 1), null);
		List<Boolean> finished = race((racer) -> () -> store().finish(end("one", Outcome.SUCCEEDED), TIMEOUT));
		assertThat(finished).containsOnlyOnce(true);
	}

	@Test
	void onlyOneOfManySettlesTheSameFireTimes() throws Exception {
		open(1);
		List<Boolean> covered = race((racer) -> () -> cover(1, AS_OF, SECOND, 3));
		assertThat(covered).containsOnlyOnce(true);
		assertThat(find().missed()).isEqualTo(3);
	}

	private void assertOneHasStarted(List<RunRecord> records) {
		RunRecord record = find();
		assertThat(record.last()).isNotNull();
		assertThat(IntStream.range(0, RACERS).filter((racer) -> records.get(racer).isLast("run-" + racer))).hasSize(1);
		assertThat(records).allSatisfy((each) -> assertThat(each.last()).isEqualTo(record.last()));
	}

	protected final RunReading open(RunOpening opening) {
		return store().open(List.of(opening), TIMEOUT);
	}

	protected final RunRecord open(long term) {
		RunRecord record = open(new RunOpening(JOB, term, TIMETABLE, AS_OF)).records().get(JOB);
		assertThat(record).as("opened under term " + term).isNotNull();
		return record;
	}

	protected final RunRecord start(JobRun run, String previous) {
		return store().start(new RunStart(run, previous), TIMEOUT);
	}

	protected final RunRecord find() {
		RunRecord record = store().find(List.of(JOB), TIMEOUT).records().get(JOB);
		assertThat(record).isNotNull();
		return record;
	}

	protected final boolean cover(long term, Instant from, Instant until, int missed) {
		return store().cover(new RunCover(JOB, term, from, until, 0, missed), TIMEOUT);
	}

	private void finish(RunEnd end) {
		assertThat(store().finish(end, TIMEOUT)).as("end is recorded").isTrue();
	}

	protected static RunEnd end(String run, Outcome outcome) {
		return new RunEnd(JOB, run, outcome);
	}

	protected static JobRun first(String id, long term) {
		return run(id, FIRST, 1, term);
	}

	protected static JobRun run(String id, Instant fireTime, int attempt, long term) {
		return new JobRun(id, JOB.election(), JOB.job(), fireTime,
				(fireTime != null) ? Cause.SCHEDULED : Cause.TRIGGERED, attempt, term, "shop@web-1:4711-k3v9", null,
				null, Outcome.RUNNING);
	}

	private static <T> List<T> race(IntFunction<Callable<T>> racers) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(RACERS);
		try {
			CyclicBarrier start = new CyclicBarrier(RACERS);
			List<Future<T>> running = IntStream.range(0, RACERS).mapToObj((index) -> executor.submit(() -> {
				start.await();
				return racers.apply(index).call();
			})).toList();
			List<T> results = new ArrayList<>();
			for (Future<T> each : running) {
				results.add(each.get());
			}
			return results;
		}
		finally {
			executor.shutdownNow();
		}
	}

}
