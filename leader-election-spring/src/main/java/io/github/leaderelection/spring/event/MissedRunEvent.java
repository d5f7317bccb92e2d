package io.github.leaderelection.spring.event;

import java.time.Instant;

/**
 * Published when fire times of a job have passed without a run and are not caught up,
 * because another fire time has come meanwhile or the starting deadline has passed.
 *
 * @param election the election of the job
 * @param job the name of the job
 * @param last the last of the fire times, or a time between it and the next one
 * @param number the number of fire times, 1000 at most
 */
public record MissedRunEvent(String election, String job, Instant last, int number) implements LeaderElectionEvent {

}
