package io.github.leaderelection.spring.event;

import io.github.leaderelection.JobRun;

/**
 * Published when the leader finds a run of an earlier term whose end was never recorded:
 * its process was lost, or could not reach the store. How far it came is not known. May
 * be published again for the same run, by another process, if this one is lost right
 * afterwards.
 */
public final class UnfinishedRunEvent extends LeaderElectionEvent {

	private static final long serialVersionUID = 1L;

	private final transient JobRun run;

	private final boolean attemptedAgain;

	/**
	 * Create an event.
	 * @param run the run
	 * @param attemptedAgain whether another attempt is started
	 */
	public UnfinishedRunEvent(JobRun run, boolean attemptedAgain) {
		super(run.election());
		this.run = run;
		this.attemptedAgain = attemptedAgain;
	}

	/**
	 * Return the run.
	 * @return the run, with the outcome {@code UNFINISHED}
	 */
	public JobRun getRun() {
		return this.run;
	}

	/**
	 * Return whether another attempt is started.
	 * @return whether there is another attempt
	 */
	public boolean isAttemptedAgain() {
		return this.attemptedAgain;
	}

	@Override
	public String toString() {
		return "UnfinishedRunEvent[election=%s, job=%s, fireTime=%s, attempt=%d]".formatted(getElection(),
				this.run.job(), this.run.fireTime(), this.run.attempt());
	}

}
