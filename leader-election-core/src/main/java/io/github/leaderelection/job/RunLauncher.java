package io.github.leaderelection.job;

import java.util.concurrent.Future;

/**
 * Starts runs of one job that its scheduler would not start by itself.
 */
@FunctionalInterface
public interface RunLauncher {

	/**
	 * Have the scheduler of the job call it once more, as it does at a fire time.
	 * @param run what the call is for
	 * @return what is done when the scheduler has done with it, or has handed it to
	 * another thread
	 * @throws RuntimeException if the scheduler does not take it; it is then tried again
	 */
	Future<?> launch(PlannedRun run);

}
