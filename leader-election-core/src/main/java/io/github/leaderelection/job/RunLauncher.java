package io.github.leaderelection.job;

import java.util.concurrent.Future;

/**
 * Starts runs of one job that its scheduler would not start by itself.
 */
@FunctionalInterface
public interface RunLauncher {

	/**
	 * Have the run started on a thread of the job's scheduler, where it has to
	 * {@linkplain RecordedJobs#begin begin} as all runs do. Returns at once.
	 * @param run the run
	 * @param done to be called when the run has ended, or could not begin
	 * @return what is done when the scheduler has done with it, or has handed it to
	 * another thread; if {@code done} is not called then, somebody has kept the run back
	 * @throws RuntimeException if the scheduler does not take it; it is then tried again
	 */
	Future<?> launch(PlannedRun run, Runnable done);

}
