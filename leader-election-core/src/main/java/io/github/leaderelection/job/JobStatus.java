package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * How a job fares, as seen from inside this process.
 *
 * @param job the job
 * @param record what is recorded about it as of the last look, up to half a minute ago
 * where another process leads; {@code null} before the first
 * @param next the earliest fire time that is not settled, in the past if it should have
 * been by now; {@code null} if none comes
 * @param running whether a run goes on in this process
 * @param failure why the record could not be read, or that the last call by the scheduler
 * has not come to the gate; {@code null} if all is well
 */
public record JobStatus(Job job, @Nullable RunRecord record, @Nullable Instant next, boolean running,
		@Nullable String failure) {

	/**
	 * Return for how long the job should have been started and was not: how long ago the
	 * starting deadline has passed of the earliest fire time that is not settled. What
	 * comes during a run of this process is not overdue.
	 * @param now the present time
	 * @return the duration, zero if the job is not overdue, {@code null} if nothing is
	 * known of its record
	 */
	public @Nullable Duration overdue(Instant now) {
		if (this.record == null) {
			return null;
		}
		if (this.next == null || goesOn(this.record.last())) {
			return Duration.ZERO;
		}
		Duration overdue = Duration.between(this.next.plus(this.job.startingDeadline()), now);
		return overdue.isNegative() ? Duration.ZERO : overdue;
	}

	/** Work that has outlived its leadership keeps nobody from starting the job. */
	private boolean goesOn(@Nullable JobRun last) {
		return this.running && last != null && last.outcome() == Outcome.RUNNING;
	}

}
