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
 * Drives the elections of this process as time passes: ends what is over, which
 * {@linkplain #tick any thread} can ask for, and says which store call is due.
 * <p>
 * One thread makes all these calls. It asks for the {@linkplain #next next call}, makes
 * it, and reports that it was {@linkplain #answered answered} or has {@linkplain #failed
 * failed}. If there is none, it sleeps {@linkplain CommandPlanner#nextAt until} there may
 * be one. It ends when the loop {@linkplain #isOver is over}.
 * <p>
 * Has no thread and no clock of its own, so that a simulation can run it. Works under the
 * lock of {@link ElectionRegistry}, and does not block except for that.
 */
final class EventLoop {

	private final ElectionRegistry registry;

	private final Answers answers;

	private final StoreCalls calls;

	private final MemberDirectory directory;

	private final StoreAvailability availability;

	/** The calls left when this process has withdrawn, {@code null} before. */
	private @Nullable Deque<StoreCall> farewell;

	EventLoop(ElectionRegistry registry, Answers answers, MemberDirectory directory) {
		this.registry = registry;
		this.answers = answers;
		this.directory = directory;
		this.calls = new StoreCalls(registry, answers);
		this.availability = new StoreAvailability(registry.context());
	}

	/** Return the handler of pushed changes. */
	Answers answers() {
		return this.answers;
	}

	// Independent of whether a call is under way. Called by any thread.

	/** Return the answer of the planner for this moment. */
	<T> T plan(Moment now, Function<CommandPlanner, T> question) {
		synchronized (this.registry) {
			return question.apply(new CommandPlanner(this.registry, this.calls, now));
		}
	}

	/**
	 * Let time pass: end terms whose deadline has come, go on after work that was waited
	 * for, and retry what has failed.
	 */
	void tick(Moment now) {
		synchronized (this.registry) {
			Agenda<ElectionMember> agenda = this.registry.agenda();
			Suppressed.forEach(agenda.awake(now), (member) -> {
				if (this.registry.find(member.election()) != member) {
					// Work or a callback ended after this process had left the election.
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
	 * Return the most urgent store call that is due, or {@code null} if there is none.
	 * Make the call, and report its outcome, before asking for the next.
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
	 * Return how long to wait for a call, which can take several round trips, each with
	 * its own time limit.
	 */
	Duration patience() {
		synchronized (this.registry) {
			return this.registry.sessions().operationTimeout().multipliedBy(3).plusSeconds(1);
		}
	}

	// For the thread that makes the calls

	/** Return the outage of the store, {@code null} for none. Called by any thread. */
	EngineStatus.@Nullable StoreOutage outage(Moment now) {
		return this.availability.status(now);
	}

	/** Return whether calls fail. Called by any thread. */
	boolean hasFailedWithin(Duration time, Moment now) {
		return this.availability.hasFailedWithin(time, now);
	}

	/**
	 * Return the call to make next, {@code null} if there is none now. Report its outcome
	 * before asking for the next.
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
		// Nobody needs a list of the processes that may want a lock.
		if (call != null || closing || this.availability.isSilent() || this.registry.context().ephemeral()) {
			return call;
		}
		return this.directory.poll(this.registry.names(), this.registry.paused(), this.registry.sessionsSeen(),
				plan(now, CommandPlanner::callLimit), now);
	}

	/** Return the last calls of all, none if the store does not answer. */
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
	 * @param reply handles the answer
	 */
	void answered(StoreCall call, Consumer<Moment> reply, Moment now) {
		boolean renewal = call.operation() == StoreOperation.RENEW;
		try {
			if (!renewal) {
				// First, so that the end of the outage is logged before what follows.
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

	/**
	 * End the outage for elections that work again. A lease that can be read but not
	 * changed does not count.
	 */
	private void endOutage(StoreCall call, Moment now) {
		if (this.availability.isOver()) {
			return;
		}
		Set<String> sound = new HashSet<>(call.elections());
		plan(now, (plan) -> sound.removeIf((election) -> plan.leavesOpen(call.operation(), election)));
		this.availability.answered(call.operation(), call.elections(), sound, this.registry.names(),
				(repeated) -> this.registry.inUse(repeated, now), now);
	}

	/** A call was not answered: the outcome is unknown. */
	void failed(StoreCall call, @Nullable Throwable failure, Moment now) {
		try {
			call.onFailure().accept(now);
		}
		finally {
			// Calls that concern no election, such as announcements, say nothing of
			// leases.
			if (failure != null && !call.elections().isEmpty()) {
				this.availability.failed(call.operation(), call.elections(), failure, call.sentAt(), now);
			}
		}
	}

}
