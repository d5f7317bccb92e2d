package io.github.leaderelection.job;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.leaderelection.JobRun.Cause;
import org.jspecify.annotations.Nullable;

/**
 * What brings a call to the gate. One without a fire time is for the run that is due when
 * it comes there, unless it was triggered.
 *
 * @param fireTime the time for which it is scheduled, {@code null} if it is still to be
 * found, or there is none
 * @param cause why a run shall be started
 */
public record PlannedRun(@Nullable Instant fireTime, Cause cause) {

	/** A call by the scheduler. */
	public static final PlannedRun TICK = new PlannedRun(null, Cause.SCHEDULED);

	/** What is launched if something is due that the scheduler does not start. */
	static final PlannedRun CATCH_UP = new PlannedRun(null, Cause.CATCH_UP);

	/** What is launched by hand. */
	static final PlannedRun TRIGGER = new PlannedRun(null, Cause.TRIGGERED);

	/**
	 * Return the run for a fire time that somebody else's scheduler names.
	 * @param fireTime the fire time
	 * @return the run
	 */
	public static PlannedRun at(Instant fireTime) {
		return new PlannedRun(fireTime.truncatedTo(ChronoUnit.MILLIS), Cause.SCHEDULED);
	}

}
