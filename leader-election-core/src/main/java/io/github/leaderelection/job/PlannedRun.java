package io.github.leaderelection.job;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Future;

import io.github.leaderelection.JobRun.Cause;
import org.jspecify.annotations.Nullable;

/**
 * A run that shall be started. Whoever calls the gate says as much of it as he knows: a
 * call without a fire time is for the run that is due when it comes to the gate, unless
 * it was triggered.
 *
 * @param fireTime the time for which it is scheduled, {@code null} if it is still to be
 * found, or there is none
 * @param cause why it shall be started
 * @param attempt which attempt it is, 1 or more
 */
public record PlannedRun(@Nullable Instant fireTime, Cause cause, int attempt) {

	/**
	 * Return the run for a fire time that somebody else's scheduler names.
	 * @param fireTime the fire time
	 * @return the run
	 */
	public static PlannedRun at(Instant fireTime) {
		return new PlannedRun(fireTime.truncatedTo(ChronoUnit.MILLIS), Cause.SCHEDULED, 1);
	}

	/**
	 * Return the run for a tick, which is a call by a scheduler.
	 * @return a run that is started if timetable and record say that one is due
	 */
	public static PlannedRun tick() {
		return new PlannedRun(null, Cause.SCHEDULED, 1);
	}

	/** Return what is launched if something is due that the scheduler does not start. */
	static PlannedRun catchUp() {
		return new PlannedRun(null, Cause.CATCH_UP, 1);
	}

	/** Return the run that somebody asks for. */
	static PlannedRun triggered() {
		return new PlannedRun(null, Cause.TRIGGERED, 1);
	}

	/** Return whether it is a tick, which has no fire time before it is decided. */
	boolean isTick() {
		return this.fireTime == null && this.cause == Cause.SCHEDULED;
	}

	/**
	 * Starts runs of one job that its scheduler would not start by itself.
	 */
	@FunctionalInterface
	public interface Launcher {

		/**
		 * Have the run started on a thread of the job's scheduler, where it has to
		 * {@linkplain RecordedJobs#begin begin} as all runs do. Returns at once.
		 * @param run the run
		 * @param done to be called when the run has ended, or could not begin
		 * @return what is done when the scheduler has done with it, or has handed it to
		 * another thread; if {@code done} is not called then, somebody has kept the run
		 * back
		 * @throws RuntimeException if the scheduler does not take it; it is then tried
		 * again
		 */
		Future<?> launch(PlannedRun run, Runnable done);

	}

}
