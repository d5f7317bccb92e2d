package io.github.leaderelection.spring.event;

import io.github.leaderelection.Leadership;

/**
 * Published when this process has become the leader of an election.
 */
public final class ElectedEvent extends LeaderElectionEvent {

	private static final long serialVersionUID = 1L;

	private final transient Leadership leadership;

	/**
	 * Create an event.
	 * @param leadership the term that has begun
	 */
	public ElectedEvent(Leadership leadership) {
		super(leadership.election());
		this.leadership = leadership;
	}

	/**
	 * Return the term that has begun. May have ended since.
	 * @return the leadership
	 */
	public Leadership getLeadership() {
		return this.leadership;
	}

	@Override
	public String toString() {
		return "ElectedEvent[election=%s, term=%d]".formatted(getElection(), this.leadership.term());
	}

}
