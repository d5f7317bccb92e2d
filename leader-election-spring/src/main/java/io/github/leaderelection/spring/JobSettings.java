package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.function.Function;

import io.github.leaderelection.job.Job;
import io.github.leaderelection.job.RecordedJobs;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the jobs whose scheduled runs are recorded.
 *
 * @param jobs the jobs of this process, {@code null} if there is no such bean, as in a
 * test that has replaced it
 * @param startingDeadlines returns the default starting deadline of an election's jobs
 */
public record JobSettings(@Nullable RecordedJobs jobs, Function<String, Duration> startingDeadlines) {

	/**
	 * Return the starting deadline to use if none is configured. It is long enough to
	 * recover from a crash, whatever the time to live.
	 * @param ttl the time to live of leases
	 * @return the starting deadline
	 */
	public static Duration startingDeadline(Duration ttl) {
		Duration least = ttl.multipliedBy(3);
		return (least.compareTo(Job.DEFAULT_STARTING_DEADLINE) > 0) ? least : Job.DEFAULT_STARTING_DEADLINE;
	}

}
