package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns.Result;

/**
 * Hears of the runs of jobs on this process. Called by any thread, also by those that run
 * the jobs: must return at once. An exception is logged and changes nothing.
 */
public interface JobListener {

	/**
	 * Called when a job is known whose runs are recorded.
	 * @param job the job
	 */
	default void onRegistered(Job job) {
	}

	/**
	 * Called when the start of a run was recorded, before it begins.
	 * @param run the run
	 * @param late how long after its fire time, by the clock of this process; zero where
	 * it has none
	 */
	default void onStarted(JobRun run, Duration late) {
	}

	/**
	 * Called when a run has ended.
	 * @param run the run, with its outcome
	 * @param duration how long it has taken
	 */
	default void onEnded(JobRun run, Duration duration) {
	}

	/**
	 * Called when a run was not started.
	 * @param key the job
	 * @param result why
	 */
	default void onRefused(JobKey key, Result result) {
	}

	/**
	 * Called when a run of an earlier term is found that has not ended. May be called
	 * again for the same run by another process, if this one is lost right afterwards.
	 * @param run the run
	 * @param again whether another attempt is started
	 */
	default void onUnfinished(JobRun run, boolean again) {
	}

	/**
	 * Called when fire times have passed without a run, and are not caught up.
	 * @param key the job
	 * @param last the last of them, or a time between it and the next
	 * @param number how many there are, 1000 at most
	 */
	default void onMissed(JobKey key, Instant last, int number) {
	}

	/**
	 * Called when fire times have come while a run still went on.
	 * @param key the job
	 * @param number how many there are
	 */
	default void onSkipped(JobKey key, int number) {
	}

}
