package io.github.leaderelection.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Asks to settle fire times that nothing was started for.
 *
 * @param key the job
 * @param term the term under which they are settled
 * @param from the time up to which all fire times are settled already
 * @param until the time up to which all fire times are settled thereby, later, in whole
 * milliseconds
 * @param skipped how many of them have come while a run still went on
 * @param missed how many of them have passed without a run
 */
public record RunCover(JobKey key, long term, Instant from, Instant until, int skipped, int missed) {

	/**
	 * Check that everything is there.
	 */
	public RunCover {
		Objects.requireNonNull(key, "key must not be null");
		from = from.truncatedTo(ChronoUnit.MILLIS);
		until = until.truncatedTo(ChronoUnit.MILLIS);
	}

}
