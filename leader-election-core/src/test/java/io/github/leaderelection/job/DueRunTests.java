package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DueRun}.
 */
class DueRunTests {

	private static final JobKey KEY = new JobKey("e", "job");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private static final Duration DEADLINE = Duration.ofMinutes(10);

	private final Job hourly = new Job(KEY, TimetableTests.everySeconds(3600), DEADLINE, 1);

	@Test
	void nothingIsDueWhereAllIsCovered() {
		assertThat(DueRun.of(this.hourly, record(NOON, null), NOON.plusSeconds(3599))).isNull();
	}

	@Test
	void lastFireTimeIsDueWithinTheDeadline() {
		Instant one = NOON.plusSeconds(3600);
		DueRun expected = new DueRun(one, Cause.CATCH_UP, 1, 0, null, true);
		assertThat(DueRun.of(this.hourly, record(NOON, null), one)).isEqualTo(expected);
		assertThat(DueRun.of(this.hourly, record(NOON, null), one.plus(DEADLINE))).isEqualTo(expected);
	}

	@Test
	void fireTimeIsMissedWhenTheDeadlineHasPassed() {
		Instant one = NOON.plusSeconds(3600);
		assertThat(DueRun.of(this.hourly, record(NOON, null), one.plus(DEADLINE).plusMillis(1)))
			.isEqualTo(new DueRun(one, Cause.CATCH_UP, 1, 1, one, false));
	}

	@Test
	void oneRunCatchesUpSeveral() {
		Instant three = NOON.plusSeconds(3 * 3600);
		assertThat(DueRun.of(this.hourly, record(NOON, null), three.plusSeconds(1)))
			.isEqualTo(new DueRun(three, Cause.CATCH_UP, 1, 2, null, true));
	}

	@Test
	void unfinishedRunIsAttemptedAgainWhereTheJobSaysSo() {
		Job patient = new Job(KEY, this.hourly.timetable(), DEADLINE, 2);
		RunRecord record = record(NOON, run(NOON, 1, Outcome.RUNNING));
		assertThat(DueRun.of(patient, record, NOON.plusSeconds(60)))
			.isEqualTo(new DueRun(NOON, Cause.SCHEDULED, 2, 0, null, true));
		assertThat(DueRun.of(this.hourly, record, NOON.plusSeconds(60))).isNull();
		assertThat(DueRun.of(patient, record(NOON, run(NOON, 2, Outcome.RUNNING)), NOON.plusSeconds(60))).isNull();
		assertThat(DueRun.of(patient, record(NOON, run(NOON, 1, Outcome.FAILED)), NOON.plusSeconds(60))).isNull();
	}

	@Test
	void newFireTimeComesBeforeAnotherAttempt() {
		Job patient = new Job(KEY, this.hourly.timetable(), DEADLINE, 2);
		Instant one = NOON.plusSeconds(3600);
		assertThat(DueRun.of(patient, record(NOON, run(NOON, 1, Outcome.RUNNING)), one.plusSeconds(60)))
			.isEqualTo(new DueRun(one, Cause.CATCH_UP, 1, 0, null, true));
	}

	@Test
	void otherAttemptIsNotHeldUpByFireTimesThatHaveExpired() {
		Job patient = new Job(KEY, this.hourly.timetable(), DEADLINE, 2);
		Instant late = NOON.plusSeconds(3600).plus(DEADLINE).plusSeconds(1);
		assertThat(DueRun.of(patient, record(NOON, run(NOON, 1, Outcome.RUNNING)), late))
			.isEqualTo(new DueRun(NOON, Cause.SCHEDULED, 2, 0, null, true));
	}

	@Test
	void runOfTheSameTermIsNotAttemptedAgain() {
		Job patient = new Job(KEY, this.hourly.timetable(), DEADLINE, 2);
		RunRecord own = new RunRecord(KEY, 1, 1, NOON, "", 0, 0, run(NOON, 1, Outcome.RUNNING));
		assertThat(DueRun.of(patient, own, NOON.plusSeconds(60))).isNull();
	}

	/** Opened under the term after that of the run. */
	private static RunRecord record(Instant covered, @Nullable JobRun last) {
		return new RunRecord(KEY, 1, 2, covered, "", 0, 0, last);
	}

	private static JobRun run(Instant fireTime, int attempt, Outcome outcome) {
		return new JobRun("r", "e", "job", fireTime, Cause.SCHEDULED, attempt, 1, "c", fireTime, null, outcome);
	}

}
