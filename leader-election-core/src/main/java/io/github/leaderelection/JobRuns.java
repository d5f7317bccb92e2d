package io.github.leaderelection;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The recorded runs of jobs. Inject it to ask inside a job which run this is, to trigger
 * a job by hand, and to record runs of other schedulers in the same way as those of
 * {@code @Scheduled(cron = …)} methods with {@link LeaderOnly}: each fire time is started
 * at most once across all processes, whatever their clocks say.
 * <p>
 * Safe for use by any thread.
 */
public interface JobRuns {

	/**
	 * Return the run that the calling thread is in. Neither blocks nor touches the store.
	 * @return the run, or empty if the calling thread is in no recorded run
	 */
	Optional<JobRun> currentRun();

	/**
	 * Return the run of the same job before the one that the calling thread is in, as it
	 * was recorded when this run was started. For a further attempt that is the previous
	 * attempt. Neither blocks nor touches the store.
	 * @return the previous run, or empty if there was none, or if the calling thread is
	 * in no recorded run
	 */
	Optional<JobRun> previousRun();

	/**
	 * Run a job in the calling thread for a fire time, if this process leads the election
	 * and no process has started the job for this fire time or a later one. A missed fire
	 * time is not caught up automatically: the caller should call again, here or on
	 * another process, with the same fire time.
	 * <p>
	 * Calls the store, before the work and after it. The work is in flight until it
	 * returns, as in {@link LeaderElection#runIfLeader}.
	 * @param election the election
	 * @param job the name of the job, the same on all processes; 1 to 200 characters, no
	 * slash
	 * @param fireTime the time for which the run is scheduled, the same on all processes,
	 * and not the time at which it happens to begin; a whole number of milliseconds
	 * @param work what to run. What it throws is recorded, and thrown to the caller.
	 * @return what became of the call
	 * @throws UnknownElectionException if this process does not stand in the election
	 * @throws IllegalArgumentException if the name of the job is not valid, or the fire
	 * time is more than a year ahead
	 */
	Result run(String election, String job, Instant fireTime, Consumer<JobRun> work);

	/**
	 * Start a run of a job by hand, as soon as a thread of its scheduler is free. It has
	 * no fire time and does not change when the job runs next, but is recorded like any
	 * other run: if its start can't be recorded, nothing runs.
	 * @param election the election
	 * @param job the name of a job that a scheduler of this process runs
	 * @throws NotLeaderException if this process does not lead the election
	 * @throws IllegalStateException if a run of the job is still going on
	 * @throws LeaderElectionException if its record is damaged
	 * @throws java.util.concurrent.RejectedExecutionException if its scheduler takes no
	 * runs
	 * @throws IllegalArgumentException if there is no such job, or other code runs it,
	 * such as by {@link #run}
	 * @throws UnknownElectionException if this process does not stand in the election
	 */
	void trigger(String election, String job);

	/** What became of a call. */
	enum Result {

		/** The work was run, and has returned. */
		RAN,

		/** The job had already been started for this fire time, or a later one. */
		ALREADY_RUN,

		/** The last run of the job is still going on. */
		STILL_RUNNING,

		/** This process does not lead the election. */
		NOT_LEADER,

		/**
		 * The store gave no answer, or the record of the job is damaged. Nothing was run.
		 */
		UNREACHABLE

	}

}
