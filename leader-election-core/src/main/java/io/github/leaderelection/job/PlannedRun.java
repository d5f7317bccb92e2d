package io.github.leaderelection.job;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.leaderelection.JobRun.Cause;
import org.jspecify.annotations.Nullable;

/**
 * A run that shall be started.
 *
 * @param fireTime the time for which it is scheduled, {@code null} if it was asked for by
 * hand, or follows from the last run
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

	/** Return whether it is started only if one is due. */
	boolean isTick() {
		return this.fireTime == null && this.cause == Cause.SCHEDULED && this.attempt == 1;
	}

	static PlannedRun of(DueRun due) {
		return new PlannedRun(due.fireTime(), due.cause(), due.attempt());
	}

	/** Return the run that somebody asks for. */
	static PlannedRun triggered() {
		return new PlannedRun(null, Cause.TRIGGERED, 1);
	}

}
