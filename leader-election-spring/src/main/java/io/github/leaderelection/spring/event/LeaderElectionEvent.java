package io.github.leaderelection.spring.event;

import org.springframework.context.ApplicationEvent;

/**
 * Superclass of the events of leader election. Listeners are called in order for each
 * election, on a thread that neither renews sessions nor calls candidates; an exception
 * that one throws is logged and changes nothing. None is published before the application
 * context has been refreshed as far as its lifecycle, nor after leader election has
 * stopped.
 */
public abstract sealed class LeaderElectionEvent extends ApplicationEvent
		permits ElectedEvent, DefeatedEvent, LeaderChangedEvent, UnfinishedRunEvent, MissedRunEvent {

	private static final long serialVersionUID = 1L;

	private final String election;

	LeaderElectionEvent(String election) {
		super(election);
		this.election = election;
	}

	/**
	 * Return the election that the event belongs to.
	 * @return the election name
	 */
	public String getElection() {
		return this.election;
	}

}
