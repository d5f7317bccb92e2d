package io.github.leaderelection.spring.event;

import io.github.leaderelection.JobRun;

/**
 * Published when the leader finds a run of an earlier term whose end was never recorded:
 * its process crashed, or could not reach the store. How far the run got is unknown. May
 * be published again for the same run, by another process, if this one crashes right
 * afterwards.
 *
 * @param run the run, with the outcome {@code UNFINISHED}
 * @param attemptedAgain whether another attempt is started
 */
public record UnfinishedRunEvent(JobRun run, boolean attemptedAgain) implements LeaderElectionEvent {

	@Override
	public String election() {
		return this.run.election();
	}

}
