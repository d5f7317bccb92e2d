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
 * Which elections need attention now, and when the others do: what is done in one of them
 * costs nothing for all that are held beside it. Used under the lock of
 * {@link ElectionRegistry}, but for {@link #wake}.
 */
final class Agenda<T> {

	private final Queue<T> woken = new ConcurrentLinkedQueue<>();

	private final Set<T> awake = new LinkedHashSet<>();

	private final PriorityQueue<Sleep<T>> asleep = new PriorityQueue<>(
			(one, other) -> Long.compare(one.until - other.until, 0));

	/** The last sleep of each that is asleep: earlier ones have been broken off. */
	private final Map<T, Sleep<T>> sleeps = new HashMap<>();

	/**
	 * Let it have attention with the next turn: something was waited for there, and is
	 * done. Called by any thread.
	 */
	void wake(T member) {
		this.woken.add(member);
	}

	/** A turn begins: return those that need attention now. */
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
	 * Return those that have attention in this turn. What was woken meanwhile is for the
	 * next: nothing was done about it yet.
	 */
	Collection<T> present() {
		return List.copyOf(this.awake);
	}

	/** Something has changed in it: let it have attention from now on. */
	void rouse(T member) {
		this.sleeps.remove(member);
		this.awake.add(member);
	}

	/** It needs no attention before the given time, unless it is woken. */
	void sleep(T member, long until) {
		Sleep<T> sleep = new Sleep<>(member, until);
		this.awake.remove(member);
		this.sleeps.put(member, sleep);
		this.asleep.add(sleep);
	}

	/** It is gone. */
	void remove(T member) {
		this.awake.remove(member);
		this.sleeps.remove(member);
	}

	/**
	 * Return when the first of those that sleep needs attention; monotonic time,
	 * {@code null} if there is none.
	 */
	@Nullable Long nextAt() {
		Sleep<T> first = this.asleep.peek();
		return (first != null) ? first.until : null;
	}

	private record Sleep<T>(T member, long until) {

	}

}
