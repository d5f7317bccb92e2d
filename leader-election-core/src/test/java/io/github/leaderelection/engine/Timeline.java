package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The true time of a simulation, which no process can see, and what happens in it.
 */
public final class Timeline {

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::time).thenComparingLong(Event::order));

	private long now;

	private long order;

	/** Return the nanoseconds since the beginning. */
	public long now() {
		return this.now;
	}

	/** Return how many events there have been or will be. */
	long order() {
		return this.order;
	}

	void after(long nanos, Runnable action) {
		this.events.add(new Event(this.now + Math.max(0, nanos), this.order++, action));
	}

	public void after(Duration delay, Runnable action) {
		after(delay.toNanos(), action);
	}

	/**
	 * Let the next event happen, unless that is after the given time. An event may let
	 * others happen, and so take time.
	 * @return whether something happened
	 */
	public boolean proceed(long until) {
		Event next = this.events.peek();
		if (next == null || next.time > until) {
			holdUp(until);
			return false;
		}
		this.events.poll();
		this.now = Math.max(this.now, next.time);
		next.action.run();
		return true;
	}

	/** Let time pass in which nothing happens: what was to happen does so later. */
	public void holdUp(long until) {
		this.now = Math.max(this.now, until);
	}

	private record Event(long time, long order, Runnable action) {

	}

}
