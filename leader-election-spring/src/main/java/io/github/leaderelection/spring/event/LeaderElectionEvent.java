package io.github.leaderelection.spring.event;

/**
 * What an application hears of its elections. To receive it, annotate a method that takes
 * one of the events, or this type for all of them, with
 * {@link org.springframework.context.event.EventListener}.
 * <p>
 * Events of one election come one after the other, but for those about runs of jobs;
 * otherwise they may come at the same time, on several threads, none of which renews
 * sessions or calls candidates. An exception that a listener throws is logged, and
 * listeners that come after it do not get the event. None is published before the
 * application context has been refreshed as far as its lifecycle, nor after leader
 * election has stopped; those about runs not after the context has closed.
 */
public sealed interface LeaderElectionEvent
		permits ElectedEvent, DefeatedEvent, LeaderChangedEvent, UnfinishedRunEvent, MissedRunEvent {

	/**
	 * Return the election that the event belongs to.
	 * @return the election name
	 */
	String election();

}
