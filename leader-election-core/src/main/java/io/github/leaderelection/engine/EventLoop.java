package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What time brings to the elections of this process: what is over, which any thread may
 * {@linkplain #tick ask for}, and which call of the store is due.
 * <p>
 * One thread makes all calls: it asks for the {@linkplain #next next call}, makes it, and
 * hands back that it was {@linkplain #answered answered}, or that it {@linkplain #failed
 * failed}; if there is none it sleeps {@linkplain CommandPlanner#nextAt until} there may
 * be one; and when it is {@linkplain #isOver over} it ends.
 * <p>
 * Has no thread and no clock of its own, so that a simulation can run it, and never
 * blocks but for the lock of {@link ElectionRegistry}, under which it works.
 */
final class EventLoop {

	private final ElectionRegistry registry;

	private final Answers answers;

	private final StoreCalls calls;

	private final MemberDirectory directory;

	private final StoreAvailability availability;

	/** What is left to say when all is over, {@code null} before. */
	private @Nullable Deque<StoreCall> farewell;

	EventLoop(ElectionRegistry registry, Answers answers, MemberDirectory directory) {
		this.registry = registry;
		this.answers = answers;
		this.directory = directory;
		this.calls = new StoreCalls(registry, answers);
		this.availability = new StoreAvailability(registry.context());
	}

	/** Return what takes notice of what is pushed. */
	Answers answers() {
		return this.answers;
	}

	// Whether a call is under way or not. Called by any thread.

	/** Return what the plan of this moment says. */
	<T> T plan(Moment now, Function<CommandPlanner, T> question) {
		synchronized (this.registry) {
			return question.apply(new CommandPlanner(this.registry, this.calls, now));
		}
	}

	/**
	 * Let the time pass: end terms whose deadline has come, go on with what was waited
	 * for, and try again what has failed.
	 */
	void tick(Moment now) {
		synchronized (this.registry) {
			Agenda<ElectionMember> agenda = this.registry.agenda();
			Suppressed.forEach(agenda.awake(now), (member) -> {
				if (this.registry.find(member.election()) != member) {
					// Work or a callback has ended there after it was left.
					agenda.remove(member);
					return;
				}
				this.registry.refresh(member, now);
				member.retryCallbacks();
				member.reconcile();
				member.on(ElectionEvent.elapsed(), now);
				this.registry.removeIfOver(member);
			});
		}
	}

	/**
	 * Return the store call that is due and most urgent, or {@code null} if there is
	 * none. To be performed and answered before the next is asked for.
	 */
	@Nullable StoreCall poll(Moment now) {
		synchronized (this.registry) {
			this.registry.beginTurn(now);
			tick(now);
			tellBlocked(now);
			CommandPlanner plan = new CommandPlanner(this.registry, this.calls, now);
			StoreCall call = plan.next();
			if (call != null) {
				this.registry.beginCall();
			}
			plan.sleep();
			return call;
		}
	}

	private void tellBlocked(Moment now) {
		Suppressed.forEach(this.registry.agenda().present(), (member) -> {
			Lease lease = member.state().presentLease();
			boolean doubtful = lease != null && this.registry.sessions().isDoubtful(lease, member.settings().ttl());
			if (member.contends() && !doubtful && this.registry.isHeldElsewhere(member, now)) {
				member.tellBlocked();
			}
		});
	}

	/**
	 * Return how long to wait for a call that has some round trips, each with a limit.
	 */
	Duration patience() {
		synchronized (this.registry) {
			return this.registry.sessions().operationTimeout().multipliedBy(3).plusSeconds(1);
		}
	}

	// What the thread does that makes the calls

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
		StoreCall call = poll(now);
		boolean closing = this.registry.isClosed();
		if (call == null && closing && this.registry.areOver()) {
			this.farewell = farewell(now);
			return this.farewell.poll();
		}
		// Nobody looks for locks by who may want them.
		if (call != null || closing || this.availability.isSilent() || this.registry.context().ephemeral()) {
			return call;
		}
		return this.directory.poll(this.registry.names(), this.registry.paused(), this.registry.arrivals(),
				plan(now, CommandPlanner::callLimit), now);
	}

	/** Whoever does not answer is told nothing. */
	private Deque<StoreCall> farewell(Moment now) {
		Deque<StoreCall> last = new ArrayDeque<>();
		if (!this.availability.isSilent()) {
			last.addAll(plan(now, CommandPlanner::farewell));
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
		plan(now, (plan) -> sound.removeIf((election) -> plan.leavesOpen(call.operation(), election)));
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
