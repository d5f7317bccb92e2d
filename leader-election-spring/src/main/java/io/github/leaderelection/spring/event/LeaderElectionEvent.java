package io.github.leaderelection.spring.event;

/**
 * An event of leader election, published as a Spring application event. To receive
 * events, annotate a method that takes one of them, or this type for all of them, with
 * {@link org.springframework.context.event.EventListener}.
 * <p>
 * Events of one election are published one after the other, except for those about runs
 * of jobs. Otherwise, events may be published concurrently, on several threads, none of
 * which renews sessions or calls candidates. An exception that a listener throws is
 * logged, and later listeners do not get the event. No event is published before the
 * application context has begun to start its lifecycle beans, or after leader election
 * has stopped; events about runs may follow until the context has closed.
 */
public sealed interface LeaderElectionEvent
		permits ElectedEvent, DefeatedEvent, LeaderChangedEvent, UnfinishedRunEvent, MissedRunEvent {

	/**
	 * Return the election that the event belongs to.
	 * @return the election name
	 */
	String election();

}
