package io.github.leaderelection.spring.event;

import org.jspecify.annotations.Nullable;

/**
 * Published when this process, leader or not, observes a change of leader. For
 * information only: may lag behind by a poll interval, and changes in quick succession
 * may be observed as one.
 *
 * @param election the election name
 * @param previous the id of the candidate that led before, or {@code null} if none was
 * known
 * @param current the id of the candidate that leads now, or {@code null} if none does
 */
public record LeaderChangedEvent(String election, @Nullable String previous,
		@Nullable String current) implements LeaderElectionEvent {

}
