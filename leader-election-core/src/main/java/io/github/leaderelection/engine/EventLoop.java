package io.github.leaderelection.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What the one thread does that makes all calls of the store: it asks for the
 * {@linkplain #next next call}, makes it, and hands back that it was
 * {@linkplain #answered answered}, or that it {@linkplain #failed failed}; if there is
 * none it sleeps {@linkplain #sleepUntil until} there may be one; and when it is
 * {@linkplain #isOver over} it ends. Has no thread and no clock of its own, so that a
 * simulation can run it.
 */
final class EventLoop {

	private final EngineContext context;

	private final ElectionRegistry registry;

	private final Answers answers;

	private final Turns turns;

	private final MemberDirectory directory;

	private final StoreAvailability availability;

	private volatile boolean closing;

	/** What is left to say when all is over, {@code null} before. */
	private @Nullable Deque<StoreCall> farewell;

	EventLoop(EngineContext context, ElectionRegistry registry, MemberDirectory directory) {
		this.context = context;
		this.registry = registry;
		this.directory = directory;
		this.answers = new Answers(registry, directory::candidates);
		this.turns = new Turns(registry, this.answers);
		this.availability = new StoreAvailability(context);
	}

	/** Return what takes notice of what is pushed. */
	Answers answers() {
		return this.answers;
	}

	/** Return what lets the time pass, whether a call is under way or not. */
	Turns turns() {
		return this.turns;
	}

	/** Come to an end as soon as nothing is held any more. Called by any thread. */
	void close() {
		this.closing = true;
	}

	/** Return whether the store is out of reach. Called by any thread. */
	EngineStatus.@Nullable StoreOutage outage(Moment now) {
		return this.availability.status(now);
	}

	/**
	 * Return the call to make next, {@code null} if there is none now. To be handed back
	 * before the next is asked for.
	 */
	@Nullable StoreCall next(Moment now) {
		if (this.farewell != null) {
			return this.farewell.poll();
		}
		StoreCall call = this.turns.poll(now);
		if (call == null && this.closing && this.registry.areOver()) {
			this.farewell = farewell(now);
			return this.farewell.poll();
		}
		// Nobody looks for locks by who may want them.
		if (call != null || this.closing || this.availability.isSilent() || this.context.ephemeral()) {
			return call;
		}
		return this.directory.poll(this.registry.names(), this.registry.paused(), this.registry.arrivals(),
				this.turns.plan(now, CommandPlanner::callLimit), now);
	}

	/** Whoever does not answer is told nothing. */
	private Deque<StoreCall> farewell(Moment now) {
		Deque<StoreCall> last = new ArrayDeque<>();
		if (!this.availability.isSilent()) {
			last.addAll(this.turns.plan(now, CommandPlanner::farewell));
			StoreCall withdrawal = this.directory.withdraw(now);
			if (withdrawal != null) {
				last.add(withdrawal);
			}
		}
		return last;
	}

	/** Return whether nothing is left to do. */
	boolean isOver() {
		return this.farewell != null && this.farewell.isEmpty();
	}

	/** Return the monotonic time until which to sleep where there is no call. */
	long sleepUntil(Moment now) {
		return this.turns.plan(now, CommandPlanner::nextAt);
	}

	/**
	 * A call was answered.
	 * @param reply takes notice of the answer
	 */
	void answered(StoreCall call, Consumer<Moment> reply, Moment now) {
		boolean renewal = call.operation() == StoreOperation.RENEW;
		try {
			if (!renewal) {
				// First: what follows from the answer is told after the end of an outage.
				endOutage(call, now);
			}
		}
		finally {
			reply.accept(now);
		}
		if (renewal) {
			endOutage(call, now);
		}
	}

	/** A lease that can be read but not written to is no better than none. */
	private void endOutage(StoreCall call, Moment now) {
		if (this.availability.isOver()) {
			return;
		}
		Set<String> sound = new HashSet<>(call.elections());
		sound.removeIf((election) -> this.turns.leavesOpen(call.operation(), election, now));
		this.availability.answered(call.operation(), call.elections(), sound, this.registry.names(),
				this.registry.inUse(), now);
	}

	/** A call was not answered, whatever the store has done. */
	void failed(StoreCall call, @Nullable Throwable failure, Moment now) {
		try {
			call.onFailure().accept(now);
		}
		finally {
			// Who is known as a candidate says nothing about the leases.
			if (failure != null && !call.elections().isEmpty()) {
				this.availability.failed(call.operation(), call.elections(), failure, call.sentAt());
			}
		}
	}

}
