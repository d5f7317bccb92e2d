package io.github.leaderelection.job;

import java.time.Instant;

/**
 * Fire times that are settled though nothing was started for them.
 *
 * @param term the term under which they are
 * @param from the time up to which all fire times are settled already
 * @param until the time up to which all fire times are settled thereby
 * @param skipped how many of them have come while a run still went on
 * @param missed how many of them have passed without a run
 */
record RunCover(long term, Instant from, Instant until, int skipped, int missed) {

}
