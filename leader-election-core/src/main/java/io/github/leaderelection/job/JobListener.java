package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns.Result;

/**
 * Listens to the runs of jobs on this process. Methods are called on any thread,
 * including those that run the jobs, and must return at once. An exception is logged and
 * has no other effect.
 */
public interface JobListener {

	/**
	 * Called when a job whose runs are recorded was registered.
	 * @param job the job
	 */
	default void onRegistered(Job job) {
	}

	/**
	 * Called when the start of a run was recorded, before it begins.
	 * @param run the run
	 * @param late how long after its fire time, by the clock of this process; zero if it
	 * has none
	 */
	default void onStarted(JobRun run, Duration late) {
	}

	/**
	 * Called when a run has ended.
	 * @param run the run, with its outcome
	 * @param duration how long it took
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
	 * Called when a run of an earlier term is found whose end was never recorded. May be
	 * called for the same run by another process, too, if this one crashes right
	 * afterwards.
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
	 * Called when fire times came during a run, and are skipped.
	 * @param key the job
	 * @param number how many there are, 1000 at most
	 */
	default void onSkipped(JobKey key, int number) {
	}

}
