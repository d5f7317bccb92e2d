package io.github.leaderelection.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Knows which elections need attention now, and when the others will. A change in one
 * election costs nothing for all the others. Used under the lock of
 * {@link ElectionRegistry}, except for {@link #wake}.
 */
final class Agenda<T> {

	private final Queue<T> woken = new ConcurrentLinkedQueue<>();

	private final Set<T> awake = new LinkedHashSet<>();

	private final PriorityQueue<Sleep<T>> asleep = new PriorityQueue<>(
			(one, other) -> Long.compare(one.until - other.until, 0));

	/** The last sleep of each sleeping member: earlier ones were cut short. */
	private final Map<T, Sleep<T>> sleeps = new HashMap<>();

	/**
	 * Give the member attention in the next turn: something that it waited for is done.
	 * Called by any thread.
	 */
	void wake(T member) {
		this.woken.add(member);
	}

	/** Begin a turn, and return the members that need attention. */
	Collection<T> awake(Moment now) {
		for (T each = this.woken.poll(); each != null; each = this.woken.poll()) {
			rouse(each);
		}
		for (Sleep<T> first = this.asleep.peek(); first != null
				&& first.until - now.nanos() <= 0; first = this.asleep.peek()) {
			this.asleep.remove();
			if (first.equals(this.sleeps.get(first.member))) {
				rouse(first.member);
			}
		}
		return present();
	}

	/**
	 * Return the members that have attention in this turn. Members that are woken
	 * meanwhile wait for the next turn.
	 */
	Collection<T> present() {
		return List.copyOf(this.awake);
	}

	/** Something has changed in the member: give it attention from now on. */
	void rouse(T member) {
		this.sleeps.remove(member);
		this.awake.add(member);
	}

	/** The member needs no attention before the given time, unless it is woken. */
	void sleep(T member, long until) {
		Sleep<T> sleep = new Sleep<>(member, until);
		this.awake.remove(member);
		this.sleeps.put(member, sleep);
		this.asleep.add(sleep);
	}

	/** The member has left. */
	void remove(T member) {
		this.awake.remove(member);
		this.sleeps.remove(member);
	}

	/**
	 * Return when the first sleeping member needs attention; monotonic time, {@code null}
	 * if none sleeps.
	 */
	@Nullable Long nextAt() {
		Sleep<T> first = this.asleep.peek();
		return (first != null) ? first.until : null;
	}

	private record Sleep<T>(T member, long until) {

	}

}
