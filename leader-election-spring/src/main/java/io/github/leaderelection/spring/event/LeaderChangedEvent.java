package io.github.leaderelection.spring.event;

import org.jspecify.annotations.Nullable;

/**
 * Published when this process, leader or not, has seen another leader of an election than
 * before. Informative: may lag behind the state by a poll interval, and changes that
 * follow each other quickly may be seen as one.
 */
public final class LeaderChangedEvent extends LeaderElectionEvent {

	private static final long serialVersionUID = 1L;

	private final @Nullable String previous;

	private final @Nullable String current;

	/**
	 * Create an event.
	 * @param election the election name
	 * @param previous the id of the candidate that led, or {@code null} if none did
	 * @param current the id of the candidate that leads, or {@code null} if none does
	 */
	public LeaderChangedEvent(String election, @Nullable String previous, @Nullable String current) {
		super(election);
		this.previous = previous;
		this.current = current;
	}

	/**
	 * Return the candidate that led before.
	 * @return the candidate id, or {@code null} if none was known
	 */
	public @Nullable String getPrevious() {
		return this.previous;
	}

	/**
	 * Return the candidate that leads now.
	 * @return the candidate id, or {@code null} if none does
	 */
	public @Nullable String getCurrent() {
		return this.current;
	}

	@Override
	public String toString() {
		return "LeaderChangedEvent[election=%s, previous=%s, current=%s]".formatted(getElection(), this.previous,
				this.current);
	}

}
