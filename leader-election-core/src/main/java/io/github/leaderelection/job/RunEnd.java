package io.github.leaderelection.job;

import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What is to be recorded when a run has ended.
 *
 * @param key the job
 * @param runId the run
 * @param outcome what became of it, other than {@link Outcome#RUNNING}
 * @param at when it has ended
 * @param during what came during the run and is settled with it, {@code null} if nothing
 * is
 */
record RunEnd(JobKey key, String runId, Outcome outcome, Instant at, @Nullable RunCover during) {

	/** Return the run as it is when it has ended. */
	JobRun ended(JobRun run) {
		// Nobody knows when one has ended that was lost.
		Instant finishedAt = (this.outcome != Outcome.UNFINISHED) ? this.at : null;
		return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), run.startedAt(), finishedAt, this.outcome);
	}

}
