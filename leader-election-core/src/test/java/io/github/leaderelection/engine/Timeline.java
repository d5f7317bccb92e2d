package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * The true time of a simulation, which no process can see, and its events.
 */
public final class Timeline {

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::time).thenComparingLong(Event::order));

	private long now;

	private long order;

	/** Return the nanoseconds since the start. */
	public long now() {
		return this.now;
	}

	/** Return how many events have been planned so far. */
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
	 * Run the next event, unless it is after the given time. An event may run others, and
	 * so take time.
	 * @return whether an event was run
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

	/** Let time pass without running events: those that become due run later. */
	public void holdUp(long until) {
		this.now = Math.max(this.now, until);
	}

	private record Event(long time, long order, Runnable action) {

	}

}
