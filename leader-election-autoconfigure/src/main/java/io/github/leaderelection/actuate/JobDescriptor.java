package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What is told of a job whose runs are recorded.
 *
 * @param name the name of the job
 * @param timetable when it runs, in words; missing where other code schedules it
 * @param startingDeadline how long after a fire time it can still be started; missing
 * where no fire time is caught up
 * @param running whether a run goes on in this instance
 * @param nextFireTime the earliest fire time that is not settled
 * @param skipped how many fire times have come while a run still went on
 * @param missed how many fire times have passed without a run
 * @param lastRun the last run, on whatever instance
 * @param problem why the record of the job can't be used, so that it can't be started
 */
public record JobDescriptor(String name, @Nullable String timetable, @Nullable Duration startingDeadline,
		boolean running, @Nullable Instant nextFireTime, long skipped, long missed, @Nullable JobRunDescriptor lastRun,
		@Nullable String problem) {

}
