package io.github.leaderelection.job;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Future;

import io.github.leaderelection.JobRun.Cause;
import org.jspecify.annotations.Nullable;

/**
 * A run to start, as far as the caller of the gate knows it. A call without a fire time
 * is for the run that is due when the call reaches the gate, unless it was triggered.
 *
 * @param fireTime the time for which the run is scheduled, {@code null} if it is not
 * decided yet, or there is none
 * @param cause why it is to be started
 * @param attempt which attempt it is, 1 or more
 */
public record PlannedRun(@Nullable Instant fireTime, Cause cause, int attempt) {

	/**
	 * Return the run for a fire time that is given by other code.
	 * @param fireTime the fire time
	 * @return the run
	 */
	public static PlannedRun at(Instant fireTime) {
		return new PlannedRun(fireTime.truncatedTo(ChronoUnit.MILLIS), Cause.SCHEDULED, 1);
	}

	/**
	 * Return the run for a tick, which is a call by the scheduler.
	 * @return a run that is started if one is due by timetable and record
	 */
	public static PlannedRun tick() {
		return new PlannedRun(null, Cause.SCHEDULED, 1);
	}

	/** Return the run to launch when one is due that the scheduler does not start. */
	static PlannedRun catchUp() {
		return new PlannedRun(null, Cause.CATCH_UP, 1);
	}

	/** Return a run that is triggered by hand. */
	static PlannedRun triggered() {
		return new PlannedRun(null, Cause.TRIGGERED, 1);
	}

	/** Return whether this is a tick, whose fire time is not decided yet. */
	boolean isTick() {
		return this.fireTime == null && this.cause == Cause.SCHEDULED;
	}

	/**
	 * Starts runs of one job that its scheduler would not start by itself.
	 */
	@FunctionalInterface
	public interface Launcher {

		/**
		 * Have the run started on a thread of the job's scheduler, where it must
		 * {@linkplain RecordedJobs#begin begin} like any other run. Returns at once.
		 * @param run the run
		 * @param done to be called when the run has ended, or could not begin
		 * @return a future that is done when the scheduler is done with the run, or has
		 * handed it to another thread; if {@code done} is not called then, the run was
		 * kept back on its way to the gate
		 * @throws RuntimeException if the scheduler does not accept the run; it is then
		 * tried again
		 */
		Future<?> launch(PlannedRun run, Runnable done);

	}

}
