package io.github.leaderelection.actuate;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Description of a run of a job.
 *
 * @param fireTime the time for which it was scheduled; missing if it was triggered by
 * hand
 * @param cause why it was started
 * @param attempt the number of the attempt for its fire time
 * @param outcome the outcome of the run
 * @param term the term under which it was started
 * @param candidate the id of the candidate that started it
 * @param startedAt when it was started, by the clock of the instance that ran it, or by
 * that of the store if the instance is more than a minute ahead
 * @param finishedAt when it ended, by the same clock
 * @param duration how long it took
 */
public record JobRunDescriptor(@Nullable Instant fireTime, Cause cause, int attempt, Outcome outcome, long term,
		String candidate, @Nullable Instant startedAt, @Nullable Instant finishedAt, @Nullable Duration duration) {

}
