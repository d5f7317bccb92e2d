package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Description of a job whose runs are recorded.
 *
 * @param name the name of the job
 * @param timetable when it runs, in words; missing if other code schedules it
 * @param startingDeadline how long after a fire time it can still be started; missing if
 * missed fire times are not caught up
 * @param running whether it is running on this instance
 * @param nextFireTime the earliest fire time that was not started, skipped or missed yet
 * @param skipped how many fire times have come during a run
 * @param missed how many fire times have passed without a run
 * @param lastRun the last run, on whichever instance
 * @param problem what keeps the job from being started, such as a record that can't be
 * used
 */
public record JobDescriptor(String name, @Nullable String timetable, @Nullable Duration startingDeadline,
		boolean running, @Nullable Instant nextFireTime, long skipped, long missed, @Nullable JobRunDescriptor lastRun,
		@Nullable String problem) {

}
