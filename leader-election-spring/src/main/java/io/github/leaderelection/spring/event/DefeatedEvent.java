package io.github.leaderelection.spring.event;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * Published when this process is no longer the leader of an election, once for each
 * {@link ElectedEvent}.
 *
 * @param leadership the term that has ended
 * @param reason why it has ended
 */
public record DefeatedEvent(Leadership leadership, LossReason reason) implements LeaderElectionEvent {

	@Override
	public String election() {
		return this.leadership.election();
	}

}
