package io.github.leaderelection.job;

import java.time.Duration;

import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.store.ReadableDuration;

/**
 * A job of this process whose runs are recorded.
 *
 * @param key its election and name
 * @param timetable when it is to run
 * @param startingDeadline how long after a fire time its run can still be started, 1 ms
 * to 365 days
 * @param attempts how many times a run can be started for one fire time if its process is
 * lost; 1 or more
 */
public record Job(JobKey key, Timetable timetable, Duration startingDeadline, int attempts) {

	/**
	 * The default starting deadline: long enough for a crash or a deployment to be over,
	 * and short enough that no job runs at an unexpected hour.
	 */
	public static final Duration DEFAULT_STARTING_DEADLINE = Duration.ofMinutes(10);

	private static final Duration LONGEST_STARTING_DEADLINE = Duration.ofDays(365);

	/**
	 * Check the values.
	 * @throws IllegalArgumentException if one is not valid; the message tells why and
	 * what to do
	 */
	public Job {
		requireValidName(key.job());
		if (!isValidStartingDeadline(startingDeadline)) {
			throw new IllegalArgumentException(
					"Starting deadline %s of job '%s' is not between 1 ms and 365 d. Use a value such as 10m"
						.formatted(ReadableDuration.exact(startingDeadline), key));
		}
		if (attempts < 1) {
			throw new IllegalArgumentException(
					"Number of attempts %d of job '%s' is less than 1. Use 1 for a single attempt".formatted(attempts,
							key));
		}
	}

	/**
	 * Return whether a duration can be a starting deadline.
	 * @param deadline the duration
	 * @return whether it is from 1 millisecond to 365 days
	 */
	public static boolean isValidStartingDeadline(Duration deadline) {
		return deadline.compareTo(Duration.ofMillis(1)) >= 0 && deadline.compareTo(LONGEST_STARTING_DEADLINE) <= 0;
	}

	/**
	 * Require a valid job name: a valid election name that contains no slash.
	 * @param name the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not valid; the message tells why and what
	 * to do
	 */
	public static String requireValidName(String name) {
		ElectionNames.requireValid("Job", name);
		if (name.indexOf('/') != -1) {
			throw new IllegalArgumentException("Job name '%s' contains a slash. Replace it".formatted(name));
		}
		return name;
	}

}
