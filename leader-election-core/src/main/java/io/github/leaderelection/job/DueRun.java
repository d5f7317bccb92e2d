package io.github.leaderelection.job;

import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is to be done about a job whose record was opened under the present term,
 * while no run of it goes on here.
 * <ol>
 * <li>Of the fire times that have come and are not covered the last one is due, unless it
 * is longer ago than the starting deadline. Those before it are not run.</li>
 * <li>If none is due, and a run of an earlier term has not ended, another attempt is, if
 * the job wants one.</li>
 * </ol>
 *
 * @param fireTime the fire time, {@code null} for another attempt of a run that had none
 * @param cause why it is due
 * @param attempt which attempt it is
 * @param missed how many fire times have passed without a run, other than this one
 * @param expired the last of these if it, too, was due and is not any more, since the
 * starting deadline has passed; {@code null} otherwise
 * @param isStart whether a run is to be started; otherwise there is nothing to do but to
 * take note of what was missed
 */
record DueRun(@Nullable Instant fireTime, Cause cause, int attempt, int missed, @Nullable Instant expired,
		boolean isStart) {

	/**
	 * Decide.
	 * @param job the job
	 * @param record what is recorded
	 * @param now the present time, by the wall clock of this process
	 * @return what is due, {@code null} if nothing is
	 */
	static @Nullable DueRun of(Job job, RunRecord record, Instant now) {
		Instant last = job.timetable().last(record, now);
		if (last != null) {
			boolean fixed = job.timetable().isFixed();
			if (!fixed) {
				return new DueRun(last, Cause.SCHEDULED, 1, 0, null, true);
			}
			int missed = job.timetable().count(record.covered(), last.minusMillis(1));
			if (!last.plus(job.startingDeadline()).isBefore(now)) {
				return new DueRun(last, Cause.CATCH_UP, 1, missed, null, true);
			}
			DueRun again = again(job, record);
			return (again != null) ? again : new DueRun(last, Cause.CATCH_UP, 1, missed + 1, last, false);
		}
		return again(job, record);
	}

	private static @Nullable DueRun again(Job job, RunRecord record) {
		JobRun last = record.last();
		if (last == null || !isUnfinished(last) || last.term() >= record.fence() || last.attempt() >= job.attempts()) {
			return null;
		}
		return new DueRun(last.fireTime(), last.cause(), last.attempt() + 1, 0, null, true);
	}

	static boolean isUnfinished(JobRun run) {
		return run.outcome() == Outcome.RUNNING || run.outcome() == Outcome.UNFINISHED;
	}

}
