package io.github.leaderelection.store;

import java.util.Objects;

import io.github.leaderelection.JobRun.Outcome;

/**
 * Asks to record the end of a run.
 *
 * @param key the job
 * @param runId the run
 * @param outcome what became of it, other than {@link Outcome#RUNNING}
 */
public record RunEnd(JobKey key, String runId, Outcome outcome) {

	/**
	 * Check that the run has ended.
	 */
	public RunEnd {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(runId, "runId must not be null");
		if (outcome == Outcome.RUNNING) {
			throw new IllegalArgumentException("outcome must be that of a run that has ended but is RUNNING");
		}
	}

}
