package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The true time of a simulation, which no process can see, and what happens in it.
 */
final class Timeline {

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::time).thenComparingLong(Event::order));

	private long now;

	private long order;

	/** Return the nanoseconds since the beginning. */
	long now() {
		return this.now;
	}

	/** Return how many events there have been or will be. */
	long order() {
		return this.order;
	}

	void after(long nanos, Runnable action) {
		this.events.add(new Event(this.now + Math.max(0, nanos), this.order++, action));
	}

	void after(Duration delay, Runnable action) {
		after(delay.toNanos(), action);
	}

	/**
	 * Let the next event happen, unless that is after the given time.
	 * @return whether something happened
	 */
	boolean proceed(long until) {
		Event next = this.events.peek();
		if (next == null || next.time > until) {
			this.now = until;
			return false;
		}
		this.events.poll();
		this.now = next.time;
		next.action.run();
		return true;
	}

	private record Event(long time, long order, Runnable action) {

	}

}
