package io.github.leaderelection;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One run of a job, as it is recorded in the store. A fire time is recorded before its
 * run begins, so that no other process starts it again. Only the <em>start</em> is
 * unique: if the process is lost in the middle of the run, what the run does may be left
 * half done, or be repeated.
 *
 * @param id the id of the run, which no other run has
 * @param election the election whose leader runs the job
 * @param job the name of the job
 * @param fireTime the time for which it was scheduled, not the time of its start;
 * {@code null} for one that was triggered by hand
 * @param cause why it was started
 * @param attempt which attempt it is for its fire time, 1 or more
 * @param term the term under which it was started
 * @param candidateId the process that started it
 * @param startedAt when it was started, by the clock of the process that started it, or
 * by that of the store if the process is more than a minute ahead; {@code null} if not
 * known
 * @param finishedAt when it ended, by the same clock; {@code null} if its end is not
 * recorded, because it is still running or was left unfinished
 * @param outcome what became of it
 */
public record JobRun(String id, String election, String job, @Nullable Instant fireTime, Cause cause, int attempt,
		long term, String candidateId, @Nullable Instant startedAt, @Nullable Instant finishedAt, Outcome outcome) {

	/**
	 * Why a run was started.
	 */
	public enum Cause {

		/** Its fire time had come. */
		SCHEDULED,

		/** Its fire time was missed, and is caught up. */
		CATCH_UP,

		/** It was triggered by hand. */
		TRIGGERED

	}

	/**
	 * What became of a run.
	 */
	public enum Outcome {

		/** It has not ended, as far as is recorded. */
		RUNNING,

		/** It has returned. */
		SUCCEEDED,

		/** It has thrown an exception. */
		FAILED,

		/**
		 * Its process or its leadership was lost before its end was recorded. How far it
		 * got is not known.
		 */
		UNFINISHED

	}

}
