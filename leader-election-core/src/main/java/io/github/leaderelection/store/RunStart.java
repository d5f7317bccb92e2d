package io.github.leaderelection.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.leaderelection.JobRun;
import org.jspecify.annotations.Nullable;

/**
 * Asks to record the start of a run.
 *
 * @param run the run that is to be started, with its fire time in whole milliseconds; its
 * dates and its outcome are set by the store
 * @param previous the id of the run that is recorded as the last one, {@code null} if
 * none is. If it differs nothing is started.
 */
public record RunStart(JobRun run, @Nullable String previous) {

	/**
	 * Cut off what is finer than milliseconds.
	 */
	public RunStart {
		Instant fireTime = run.fireTime();
		if (fireTime != null) {
			run = new JobRun(run.id(), run.election(), run.job(), fireTime.truncatedTo(ChronoUnit.MILLIS), run.cause(),
					run.attempt(), run.term(), run.candidateId(), run.startedAt(), run.finishedAt(), run.outcome());
		}
	}

	/**
	 * Return the job.
	 * @return the job
	 */
	public JobKey key() {
		return new JobKey(this.run.election(), this.run.job());
	}

	/**
	 * Return whether this is not the first attempt for its fire time.
	 * @return whether it follows another
	 */
	public boolean isFurtherAttempt() {
		return this.run.attempt() > 1;
	}

}
