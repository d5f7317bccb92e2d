package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.function.Function;

import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.RecordedJobs;
import org.jspecify.annotations.Nullable;

/**
 * Where the runs of scheduled methods are recorded.
 *
 * @param jobs the jobs of this process, {@code null} if there are none of this library
 * @param startingDeadlines the starting deadline of jobs that have none of their own, by
 * election
 */
public record JobSettings(@Nullable RecordedJobs jobs, Function<String, Duration> startingDeadlines) {

	/**
	 * Return the starting deadline where nobody has set one: as long as it takes to get
	 * over a crash, however long that is.
	 * @param ttl the time to live of leases
	 * @return the starting deadline
	 */
	public static Duration startingDeadline(Duration ttl) {
		Duration least = ttl.multipliedBy(3);
		return (least.compareTo(Job.DEFAULT_STARTING_DEADLINE) > 0) ? least : Job.DEFAULT_STARTING_DEADLINE;
	}

}
