package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.Function;

import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What time brings to the elections of this process: which call is due, and what is over.
 * Has no thread of its own and never blocks. Works under the lock of
 * {@link ElectionRegistry}; safe for use by any thread.
 */
final class Turns {

	private final ElectionRegistry registry;

	private final Sessions sessions;

	private final StoreCalls calls;

	Turns(ElectionRegistry registry, Answers answers) {
		this.registry = registry;
		this.sessions = registry.sessions();
		this.calls = new StoreCalls(registry, answers);
	}

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
				if (!this.registry.isMember(member)) {
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
			if (member.contends() && this.registry.isHeldElsewhere(member, now)) {
				member.tellBlocked();
			}
		});
	}

	/**
	 * Return how long to wait for a call that has some round trips, each with a limit.
	 */
	Duration patience() {
		Duration second = Duration.ofSeconds(1);
		synchronized (this.registry) {
			return this.sessions.operationTimeout(second).multipliedBy(3).plus(second);
		}
	}

	/**
	 * Return whether a call that was answered leaves open whether this process can take
	 * part in the election: it can't renew its session, or the lease needs to be changed,
	 * and was not.
	 */
	boolean leavesOpen(StoreOperation answered, String election, Moment now) {
		ElectionMember member = this.registry.find(election);
		return member != null && plan(now, (plan) -> plan.leavesOpen(member, answered.isChange()));
	}

}
