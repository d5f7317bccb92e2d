package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.RecordedRun;
import io.github.leaderelection.job.JobKey;
import org.jspecify.annotations.Nullable;

/**
 * Records the start of runs.
 */
@FunctionalInterface
interface RunRecorder {

	/**
	 * Begin a run in the calling thread, which was let in. Calls the store.
	 * @param job the job, one that is registered
	 * @param planned which run
	 * @param leadership under which leadership
	 * @return the run, {@code null} if it is not to be started
	 */
	@Nullable RecordedRun begin(JobKey job, PlannedRun planned, Leadership leadership);

}
