package io.github.leaderelection.job;

import java.time.Instant;

/**
 * Asks for the record of a job on behalf of a term, so that nothing can be started under
 * an earlier one any more.
 *
 * @param key the job
 * @param term the term
 * @param timetable the timetable of the job in words, empty for none
 * @param asOf the time up to which fire times are of no interest if the job, or its
 * timetable, was not recorded so far
 */
record RunOpening(JobKey key, long term, String timetable, Instant asOf) {

}
