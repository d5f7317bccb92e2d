package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The status of a job, as known to this process.
 *
 * @param job the job
 * @param record the record of the job as last seen, up to half a minute ago if another
 * process leads; {@code null} if none was seen
 * @param next the first fire time that is not covered, in the past if it should have been
 * by now; {@code null} if there is none
 * @param running whether a run is in progress in this process
 * @param failure what is wrong with the record, why it can't be read or written, or that
 * the last call by the scheduler did not reach the gate; {@code null} if all is well
 */
public record JobStatus(Job job, @Nullable RunRecord record, @Nullable Instant next, boolean running,
		@Nullable String failure) {

	/**
	 * Return how long the start of the job is overdue: the time since the starting
	 * deadline of the first fire time that is not covered. Nothing is overdue during a
	 * run of this process.
	 * @param now the current time
	 * @return the duration, zero if the job is not overdue, {@code null} if its record is
	 * not known
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

	/**
	 * Return whether a run is in progress here, and shown by the record. A run that
	 * outlives its leadership does not keep other processes from starting the job.
	 */
	private boolean goesOn(@Nullable JobRun last) {
		return this.running && last != null && last.outcome() == Outcome.RUNNING;
	}

}
