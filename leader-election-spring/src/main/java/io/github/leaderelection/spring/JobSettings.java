package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.function.Function;

import io.github.leaderelection.job.RecordedJobs;

/**
 * Where the runs of scheduled methods are recorded.
 *
 * @param jobs the jobs of this process
 * @param startingDeadlines the starting deadline of jobs that have none of their own, by
 * election
 * @param hasStore whether there is a store for the records
 */
public record JobSettings(RecordedJobs jobs, Function<String, Duration> startingDeadlines, boolean hasStore) {

}
