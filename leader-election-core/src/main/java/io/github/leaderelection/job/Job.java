package io.github.leaderelection.job;

import java.time.Duration;

import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.store.ReadableDuration;

/**
 * A job of this process whose runs are recorded.
 *
 * @param key its election and name
 * @param timetable when it is to run
 * @param startingDeadline how long after a fire time it can still be started, 1 ms to 365
 * days
 * @param attempts how often it is started for one fire time, if the process that runs it
 * is lost; 1 or more
 */
public record Job(JobKey key, Timetable timetable, Duration startingDeadline, int attempts) {

	/**
	 * How late a run can be unless something else is said: long enough for any crash, or
	 * deployment, to be over, and too short for anything to run at an hour that nobody
	 * expects.
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
					"Starting deadline %s of job '%s' is not from 1 ms to 365 d. Use a value such as 10m"
						.formatted(ReadableDuration.exact(startingDeadline), key));
		}
		if (attempts < 1) {
			throw new IllegalArgumentException(
					"Number of attempts %d of job '%s' is less than 1. Use 1 for no further attempt".formatted(attempts,
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
	 * Require a valid name of a job: what makes a valid name of an election, without a
	 * slash.
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
