package io.github.leaderelection.handover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;

/**
 * Records under which term each message was handled, and when. Also keeps the fence: the
 * highest term that has handled a message.
 */
final class HandledMessages {

	private final Queue<Handled> handled = new ConcurrentLinkedQueue<>();

	private final Queue<String> late = new ConcurrentLinkedQueue<>();

	private final AtomicLong fence = new AtomicLong();

	private final String election;

	HandledMessages(String election) {
		this.election = election;
	}

	/** Handle a message as an instance does. */
	void handle(LeaderElection instance, int message, Runnable work) {
		long begun = System.nanoTime();
		Leadership leadership = instance.leadership(this.election).orElse(null);
		if (leadership == null) {
			this.late.add("message %d came to %s, which does not lead".formatted(message, instance.candidateId()));
			return;
		}
		long term = leadership.term();
		long highest = this.fence.accumulateAndGet(term, Math::max);
		if (highest > term) {
			this.late.add("message %d came under term %d after one of term %d".formatted(message, term, highest));
		}
		work.run();
		if (!leadership.isHeld() || this.fence.get() > term) {
			this.late.add("message %d of term %d was handled until after its end".formatted(message, term));
		}
		this.handled.add(new Handled(message, term, begun, System.nanoTime()));
	}

	/** Return how many messages have been handled under a term. */
	long count(long term) {
		return this.handled.stream().filter((each) -> each.term() == term).count();
	}

	/** Return how many messages have been handled, without duplicates. */
	int count() {
		return ids().size();
	}

	Set<Integer> ids() {
		Set<Integer> ids = new HashSet<>();
		this.handled.forEach((each) -> ids.add(each.message()));
		return ids;
	}

	int duplicates() {
		return this.handled.size() - count();
	}

	long terms() {
		return this.handled.stream().mapToLong(Handled::term).distinct().count();
	}

	/** Return reports of messages that came or were handled without leadership. */
	List<String> late() {
		return List.copyOf(this.late);
	}

	/** Return how long nothing was handled at each change of term, shortest first. */
	List<Duration> gaps() {
		List<Handled> inOrder = new ArrayList<>(this.handled);
		inOrder.sort((one, other) -> Long.compare(one.begun(), other.begun()));
		List<Duration> gaps = new ArrayList<>();
		for (int i = 1; i < inOrder.size(); i++) {
			Handled before = inOrder.get(i - 1);
			Handled after = inOrder.get(i);
			if (before.term() != after.term()) {
				gaps.add(Duration.ofNanos(after.begun() - before.ended()));
			}
		}
		gaps.sort(null);
		return gaps;
	}

	private record Handled(int message, long term, long begun, long ended) {

	}

}
