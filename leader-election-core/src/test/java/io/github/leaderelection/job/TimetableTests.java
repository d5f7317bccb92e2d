package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Timetable}.
 */
class TimetableTests {

	private static final JobKey KEY = new JobKey("e", "job");

	private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

	private static final Timetable HOURLY = everySeconds(3600);

	@Test
	void nextFireTimeIsAfterTheCoveredTime() {
		assertThat(HOURLY.next(covered(NOON))).isEqualTo(NOON.plusSeconds(3600));
		assertThat(HOURLY.next(covered(NOON.minusMillis(1)))).isEqualTo(NOON);
	}

	@Test
	void lastFireTimeIsTheLatestUntilNow() {
		assertThat(HOURLY.last(covered(NOON), NOON.plusSeconds(3599))).isNull();
		assertThat(HOURLY.last(covered(NOON), NOON.plusSeconds(3600))).isEqualTo(NOON.plusSeconds(3600));
		assertThat(HOURLY.last(covered(NOON), NOON.plusSeconds(3 * 3600 + 5))).isEqualTo(NOON.plusSeconds(3 * 3600));
		assertThat(HOURLY.last(covered(NOON), NOON.minusSeconds(5))).isNull();
	}

	@Test
	void lastFireTimeIsFoundAmongMany() {
		Timetable dense = everySeconds(1);
		Instant now = NOON.plus(Duration.ofDays(400)).plusMillis(999);
		assertThat(dense.last(covered(NOON), now)).isEqualTo(NOON.plus(Duration.ofDays(400)));
	}

	@Test
	void lastFireTimeIsFoundInAFiniteTimetable() {
		Timetable once = Timetable.of("once", (after) -> after.isBefore(NOON) ? NOON : null);
		assertThat(once.last(covered(NOON.minusSeconds(10)), NOON.plusSeconds(86_400))).isEqualTo(NOON);
		assertThat(once.last(covered(NOON), NOON.plusSeconds(86_400))).isNull();
		assertThat(once.next(covered(NOON))).isNull();
	}

	/** Spring's cron does so where clocks are set back by half an hour. */
	@Test
	@Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void backwardJumpingRuleIsAskedForLaterTimes() {
		Instant two = NOON.plusSeconds(2 * 3600);
		Timetable backwards = Timetable.of("backwards",
				(after) -> after.isBefore(NOON) || after.isAfter(NOON.plusSeconds(1800)) ? HOURLY.next(covered(after))
						: NOON);
		assertThat(backwards.last(covered(NOON.minusSeconds(10)), NOON.plusSeconds(1200))).isEqualTo(NOON);
		assertThat(backwards.last(covered(NOON.minusSeconds(10)), two.plusSeconds(5))).isEqualTo(two);
		assertThat(backwards.next(covered(NOON))).isEqualTo(NOON.plusSeconds(3600));
		assertThat(backwards.count(NOON.minusSeconds(10), two)).isEqualTo(3);
		Timetable stuck = Timetable.of("stuck", (after) -> NOON);
		assertThat(stuck.next(covered(NOON))).isNull();
		assertThat(stuck.last(covered(NOON.minusSeconds(10)), two)).isEqualTo(NOON);
		assertThat(stuck.count(NOON.minusSeconds(10), two)).isOne();
	}

	@Test
	void countIsBounded() {
		assertThat(HOURLY.count(NOON, NOON.plusSeconds(3 * 3600))).isEqualTo(3);
		assertThat(HOURLY.count(NOON, NOON.plusSeconds(3 * 3600 - 1))).isEqualTo(2);
		assertThat(everySeconds(1).count(NOON, NOON.plusSeconds(86_400))).isEqualTo(1000);
	}

	@Test
	void unionContainsAllFireTimes() {
		Timetable union = Timetable.union(List.of(everySeconds(60), everySeconds(90)));
		assertThat(union.count(NOON, NOON.plusSeconds(180))).isEqualTo(4);
		assertThat(union.last(covered(NOON), NOON.plusSeconds(100))).isEqualTo(NOON.plusSeconds(90));
		assertThat(union).hasToString("60 | 90");
		assertThat(Timetable.union(List.of(everySeconds(90), everySeconds(60)))).hasToString("60 | 90");
	}

	@Test
	void delayCountsFromTheEndOfTheLastRun() {
		Timetable delay = Timetable.every(Duration.ofMinutes(10), true);
		RunRecord record = after(run(NOON, NOON.plusSeconds(90)));
		assertThat(delay.next(record)).isEqualTo(NOON.plusSeconds(690));
		assertThat(delay.last(record, NOON.plusSeconds(689))).isNull();
		assertThat(delay.last(record, NOON.plusSeconds(690))).isEqualTo(NOON.plusSeconds(690));
		assertThat(delay.last(record, NOON.plusSeconds(10_000))).isEqualTo(NOON.plusSeconds(10_000));
	}

	@Test
	void rateCountsFromTheFireTimeOfTheLastRun() {
		Timetable rate = Timetable.every(Duration.ofMinutes(10), false);
		assertThat(rate.next(after(run(NOON, NOON.plusSeconds(90))))).isEqualTo(NOON.plusSeconds(600));
	}

	@Test
	void delayIsDueAtOnceWithoutALastRun() {
		Timetable delay = Timetable.every(Duration.ofMinutes(10), true);
		assertThat(delay.last(covered(NOON), NOON)).isNull();
		assertThat(delay.last(covered(NOON), NOON.plusMillis(1))).isEqualTo(NOON.plusMillis(1));
		assertThat(delay.next(after(run(NOON, null)))).isEqualTo(NOON.plusSeconds(600));
	}

	static Timetable everySeconds(long seconds) {
		return Timetable.of(String.valueOf(seconds),
				(after) -> Instant.ofEpochSecond(Math.floorDiv(after.getEpochSecond(), seconds) * seconds + seconds));
	}

	static RunRecord covered(Instant covered) {
		return new RunRecord(KEY, 1, 1, covered, "", 0, 0, null);
	}

	private static RunRecord after(JobRun run) {
		return new RunRecord(KEY, 1, 1, NOON, "", 0, 0, run);
	}

	private static JobRun run(Instant fireTime, @Nullable Instant finishedAt) {
		return new JobRun("r", "e", "job", fireTime, Cause.SCHEDULED, 1, 1, "c", fireTime, finishedAt,
				(finishedAt != null) ? Outcome.SUCCEEDED : Outcome.RUNNING);
	}

}
