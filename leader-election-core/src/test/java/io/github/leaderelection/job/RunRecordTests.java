package io.github.leaderelection.job;

import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the changes that may follow a {@link RunRecord}. Times are seconds after
 * noon. The record has revision 7, was opened under term 5, and covers 100. Its last run,
 * if there is one, is {@code one}, of term 5, for 100, attempt 1.
 */
class RunRecordTests {

	private static final JobKey KEY = new JobKey("billing", "report");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	@ParameterizedTest
	@CsvSource({
			// term, timetable, as of: fence, covered, revision
			"5, hourly, 200, 5, 100, 7", "6, hourly, 200, 6, 100, 8", "6, daily, 200, 6, 200, 8",
			"6, daily, 50, 6, 100, 8", "5, daily, 200, 5, 200, 8" })
	void recordIsOpened(long term, String timetable, int asOf, long fence, int covered, long revision) {
		RunRecord opened = record(Outcome.RUNNING).opened(term, timetable, at(asOf));
		assertThat(opened.fence()).isEqualTo(fence);
		assertThat(opened.covered()).isEqualTo(at(covered));
		assertThat(opened.revision()).isEqualTo(revision);
		assertThat(opened.timetable()).isEqualTo(timetable);
		assertThat(opened.last()).isEqualTo(record(Outcome.RUNNING).last());
	}

	@Test
	void recordIsNotOpenedUnderAnEarlierTerm() {
		assertThat(record(null).opened(4, "hourly", at(200))).isNull();
		assertThat(record(null).opened(4, "daily", at(200))).isNull();
	}

	@ParameterizedTest
	@CsvSource({
			// outcome of the last run; fire time, attempt, term, id of the next: covered
			// first attempts
			"SUCCEEDED, 101, 1, 5, two, 101", "SUCCEEDED, 100, 1, 5, two,", "SUCCEEDED, 99, 1, 5, two,",
			"RUNNING, 101, 1, 5, two, 101", ", 101, 1, 5, two, 101", "SUCCEEDED, , 1, 5, two, 100",
			// under another term than the one under which it was opened
			"SUCCEEDED, 101, 1, 4, two,", "SUCCEEDED, 101, 1, 6, two,", "SUCCEEDED, , 1, 4, two,",
			// further attempts
			"RUNNING, 100, 2, 5, two, 100", "UNFINISHED, 100, 2, 5, two, 100", "SUCCEEDED, 100, 2, 5, two,",
			"FAILED, 100, 2, 5, two,", "RUNNING, 101, 2, 5, two,", "RUNNING, , 2, 5, two,", ", 100, 2, 5, two,",
			"RUNNING, 100, 2, 4, two,",
			// the same run again
			"RUNNING, 100, 1, 5, one,", "FAILED, 101, 1, 5, one,", "RUNNING, 100, 2, 5, one," })
	void runFollows(@Nullable Outcome last, @Nullable Integer fireTime, int attempt, long term, String id,
			@Nullable Integer covered) {
		RunRecord started = record(last).started(run(id, fireTime, attempt, term, Outcome.RUNNING));
		if (covered == null) {
			assertThat(started).isNull();
			return;
		}
		assertThat(started.isLast(id)).isTrue();
		assertThat(started.covered()).isEqualTo(at(covered));
		assertThat(started.revision()).isEqualTo(8);
	}

	@ParameterizedTest
	@CsvSource({
			// outcome before, fence, id, outcome: whether it follows, and is dated
			"RUNNING, 5, one, SUCCEEDED, true, true", "RUNNING, 6, one, FAILED, true, true",
			"RUNNING, 6, one, UNFINISHED, true, false", "RUNNING, 5, two, SUCCEEDED, false,",
			"SUCCEEDED, 5, one, FAILED, false,", "UNFINISHED, 5, one, SUCCEEDED, false,",
			", 5, one, SUCCEEDED, false," })
	void runEnds(@Nullable Outcome before, long fence, String id, Outcome outcome, boolean follows,
			@Nullable Boolean dated) {
		JobRun ended = RunRecord.ended(run(id, 100, 1, 5, Outcome.RUNNING), outcome, at(300));
		RunRecord record = record(before, fence).finished(ended, at(200), 3);
		if (!follows) {
			assertThat(record).isNull();
			return;
		}
		assertThat(record).isEqualTo(new RunRecord(KEY, 8, fence, at(200), "hourly", 4, 2, ended));
		assertThat(ended.outcome()).isEqualTo(outcome);
		assertThat(ended.finishedAt()).isEqualTo(dated ? at(300) : null);
	}

	@ParameterizedTest
	@CsvSource({
			// fire time, outcome of what was started, fence, fence before: covered, last
			"100, RUNNING, 5, 5, 90, zero", ", RUNNING, 5, 5, 100, zero", "100, RUNNING, 6, 5, ,",
			"100, RUNNING, 6, 6, 100, one", "100, SUCCEEDED, 5, 5, 100, one" })
	void startIsWithdrawn(@Nullable Integer fireTime, Outcome outcome, long fence, long fenceBefore,
			@Nullable Integer covered, String last) {
		RunRecord before = new RunRecord(KEY, 6, fenceBefore, at(90), "hourly", 1, 2,
				run("zero", 90, 1, 4, Outcome.UNFINISHED));
		RunRecord withdrawn = new RunRecord(KEY, 7, fence, at(100), "hourly", 1, 2, run("one", fireTime, 1, 5, outcome))
			.withdrawn(before);
		if (covered == null) {
			assertThat(withdrawn).isNull();
			return;
		}
		assertThat(withdrawn.isLast(last)).isTrue();
		assertThat(withdrawn.covered()).isEqualTo(at(covered));
		assertThat(withdrawn.revision()).isEqualTo(8);
	}

	@ParameterizedTest
	@CsvSource({
			// term, until: allowed
			"5, 200, true", "4, 200, false", "6, 200, false", "5, 100, false", "5, 99, false" })
	void fireTimesAreMissed(long term, int until, boolean allowed) {
		assertThat(record(null).missed(term, at(until), 3))
			.isEqualTo(allowed ? new RunRecord(KEY, 8, 5, at(200), "hourly", 1, 5, null) : null);
	}

	private static RunRecord record(@Nullable Outcome last) {
		return record(last, 5);
	}

	private static RunRecord record(@Nullable Outcome last, long fence) {
		return new RunRecord(KEY, 7, fence, at(100), "hourly", 1, 2,
				(last != null) ? run("one", 100, 1, 5, last) : null);
	}

	private static JobRun run(String id, @Nullable Integer fireTime, int attempt, long term, Outcome outcome) {
		return new JobRun(id, KEY.election(), KEY.job(), (fireTime != null) ? at(fireTime) : null, Cause.SCHEDULED,
				attempt, term, "a", null, null, outcome);
	}

	private static Instant at(int second) {
		return NOON.plusSeconds(second);
	}

}
