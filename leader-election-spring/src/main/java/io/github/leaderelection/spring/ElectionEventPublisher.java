package io.github.leaderelection.spring;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.spring.event.DefeatedEvent;
import io.github.leaderelection.spring.event.ElectedEvent;
import io.github.leaderelection.spring.event.LeaderChangedEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes changes in elections as Spring application events. The engine uses it as one
 * of its listeners.
 */
public class ElectionEventPublisher implements ElectionListener {

	private final ApplicationEventPublisher publisher;

	/**
	 * Create an event publisher.
	 * @param publisher publishes the events
	 */
	public ElectionEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void onElected(Leadership leadership) {
		this.publisher.publishEvent(new ElectedEvent(leadership));
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.publisher.publishEvent(new DefeatedEvent(leadership, leadership.lossReason().orElseThrow()));
	}

	@Override
	public void onLeaderChanged(String election, @Nullable String previous, @Nullable String current) {
		this.publisher.publishEvent(new LeaderChangedEvent(election, previous, current));
	}

}
