package io.github.leaderelection.spring.event;

import org.springframework.context.ApplicationEvent;

/**
 * Superclass of the events of leader election. Those of one election come one after the
 * other, but for those about runs of jobs; otherwise they may come at the same time, on
 * several threads, none of which renews sessions or calls candidates. An exception that a
 * listener throws is logged, and listeners that come after it do not get the event. None
 * is published before the application context has been refreshed as far as its lifecycle,
 * nor after leader election has stopped; those about runs not after the context has
 * closed.
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
