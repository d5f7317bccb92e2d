package io.github.leaderelection.job;

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
	 * @throws RuntimeException if the scheduler does not take it; it is then tried again
	 */
	void launch(PlannedRun run, Runnable done);

}
