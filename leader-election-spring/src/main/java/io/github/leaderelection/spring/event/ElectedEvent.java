package io.github.leaderelection.spring.event;

import io.github.leaderelection.Leadership;

/**
 * Published when this process has become the leader of an election.
 *
 * @param leadership the term that has begun, and may have ended since
 */
public record ElectedEvent(Leadership leadership) implements LeaderElectionEvent {

	@Override
	public String election() {
		return this.leadership.election();
	}

}
