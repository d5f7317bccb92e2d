package io.github.leaderelection;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * One run of a job, as it is recorded in the store. A fire time is recorded before its
 * run begins, so that no other process starts it again: the <em>start</em> is unique,
 * what the run does is not, if its process is lost in the middle of it.
 *
 * @param id the id of the run, which no other run has
 * @param election the election whose leader runs the job
 * @param job the name of the job
 * @param fireTime the time for which it was scheduled, as its timetable names it;
 * {@code null} for one that was triggered by hand
 * @param cause why it was started
 * @param attempt which attempt it is for its fire time, 1 or more
 * @param term the term under which it was started
 * @param candidateId the process that has started it
 * @param startedAt when it was started, by the clock of the process that has started it,
 * or by that of the store if the process is more than a minute ahead; {@code null} if not
 * known
 * @param finishedAt when it ended, by the same clock; {@code null} if its end was not
 * recorded, as while it runs and where it is unfinished
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

		/** Its fire time had passed without a run, which is caught up. */
		CATCH_UP,

		/** Somebody asked for it. */
		TRIGGERED

	}

	/**
	 * What became of a run.
	 */
	public enum Outcome {

		/** It has not ended, as far as the record tells. */
		RUNNING,

		/** It has returned. */
		SUCCEEDED,

		/** It has thrown an exception. */
		FAILED,

		/**
		 * Its process was lost, or its leadership, before its end was recorded. How far
		 * it came is not known.
		 */
		UNFINISHED

	}

}
