package io.github.leaderelection.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * Asks for the record of a job on behalf of a term, so that nothing can be started under
 * an earlier one any more.
 *
 * @param key the job
 * @param term the term
 * @param timetable the timetable of the job in words, empty for none
 * @param asOf the time up to which fire times are of no interest if the job, or its
 * timetable, was not recorded so far; in whole milliseconds
 */
public record RunOpening(JobKey key, long term, String timetable, Instant asOf) {

	/**
	 * Check that everything is there.
	 */
	public RunOpening {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(timetable, "timetable must not be null");
		asOf = asOf.truncatedTo(ChronoUnit.MILLIS);
	}

}
