package io.github.leaderelection.spring.event;

import java.time.Instant;

/**
 * Published when fire times of a job have passed without a run, and none makes up for
 * them: another fire time has come meanwhile, or the starting deadline has passed.
 *
 * @param election the election of the job
 * @param job the name of the job
 * @param last the last of the fire times, or a time after it and before the next
 * @param number how many fire times there are, 1000 at most
 */
public record MissedRunEvent(String election, String job, Instant last, int number) implements LeaderElectionEvent {

}
