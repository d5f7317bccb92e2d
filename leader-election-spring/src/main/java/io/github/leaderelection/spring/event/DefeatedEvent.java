package io.github.leaderelection.spring.event;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;

/**
 * Published when this process is no longer the leader of an election, once for each
 * {@link ElectedEvent}.
 */
public final class DefeatedEvent extends LeaderElectionEvent {

	private static final long serialVersionUID = 1L;

	private final transient Leadership leadership;

	private final LossReason reason;

	/**
	 * Create an event.
	 * @param leadership the term that has ended
	 * @throws IllegalArgumentException if the term has not ended
	 */
	public DefeatedEvent(Leadership leadership) {
		super(leadership.election());
		this.leadership = leadership;
		this.reason = leadership.lossReason()
			.orElseThrow(() -> new IllegalArgumentException("%s has not ended".formatted(leadership)));
	}

	/**
	 * Return the term that has ended.
	 * @return the leadership
	 */
	public Leadership getLeadership() {
		return this.leadership;
	}

	/**
	 * Return why the term has ended.
	 * @return the reason
	 */
	public LossReason getReason() {
		return this.reason;
	}

	@Override
	public String toString() {
		return "DefeatedEvent[election=%s, term=%d, reason=%s]".formatted(getElection(), this.leadership.term(),
				this.reason);
	}

}
