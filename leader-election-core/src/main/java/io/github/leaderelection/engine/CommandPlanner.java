package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Command;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Combines what all elections of this process want from the store at one moment into as
 * few {@linkplain StoreCalls calls} as possible: elections that want the same share a
 * call. Used under the lock of {@link ElectionRegistry} only.
 */
final class CommandPlanner {

	private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

	private static final Duration SHORTEST_CALL = Duration.ofMillis(1);

	/** When to retry what has failed inside this process. */
	private static final Duration RETRY = Duration.ofMillis(100);

	private final ElectionRegistry registry;

	private final Sessions sessions;

	private final StoreCalls calls;

	private final Moment now;

	/** Create a planner for this moment. */
	CommandPlanner(ElectionRegistry registry, StoreCalls calls, Moment now) {
		this.registry = registry;
		this.sessions = registry.sessions();
		this.calls = calls;
		this.now = now;
	}

	/**
	 * Return the most urgent call that is due, or {@code null} if there is none.
	 * Renewals, which keep this process alive, come first. Retries come last, so that a
	 * slow one does not delay other calls.
	 */
	@Nullable StoreCall next() {
		follow();
		StoreCall renewal = renewal();
		if (renewal != null) {
			return renewal;
		}
		Map<ElectionMember, Command> due = due();
		Map<ElectionMember, Command> again = new LinkedHashMap<>(due);
		again.entrySet().removeIf((each) -> !each.getValue().isChange() || backoff(each.getKey()).failures() == 0);
		due.keySet().removeAll(again.keySet());
		// By now an election may have asked for a session.
		return first(List.of(this::renewal, () -> first(due), this::readSessions, () -> first(again), this::tidyUp));
	}

	/** Return the first of these calls that is to be made, {@code null} if none is. */
	private static @Nullable StoreCall first(List<Supplier<@Nullable StoreCall>> inTurn) {
		for (Supplier<@Nullable StoreCall> each : inTurn) {
			StoreCall call = each.get();
			if (call != null) {
				return call;
			}
		}
		return null;
	}

	private void follow() {
		for (ElectionMember member : this.registry.agenda().present()) {
			String watched = member.watchedSession();
			if (watched != null) {
				this.sessions.follow(watched, member.contends(), this.now);
			}
		}
	}

	/** Return the most urgent call of these. */
	private @Nullable StoreCall first(Map<ElectionMember, Command> due) {
		return first(List.of(
				() -> call(Command.Release.class, due, (releases) -> together(releases, this.calls::release)),
				() -> call(Command.Take.class, due, (takings) -> together(takings, this.calls::take)),
				() -> call(Command.Expire.class, due, this::expire), () -> call(Command.Bury.class, due, this::bury),
				() -> call(Command.Create.class, due, (creations) -> together(creations, this.calls::create)),
				() -> call(Command.ReadLease.class, due, this::read)));
	}

	/** Return the call for the commands of this kind, {@code null} if none is due. */
	private static <T extends Command> @Nullable StoreCall call(Class<T> kind, Map<ElectionMember, Command> due,
			Function<Map<ElectionMember, T>, StoreCall> call) {
		Map<ElectionMember, T> some = new LinkedHashMap<>();
		due.forEach((member, command) -> {
			if (kind.isInstance(command)) {
				some.put(member, kind.cast(command));
			}
		});
		return some.isEmpty() ? null : call.apply(some);
	}

	private StoreCall expire(Map<ElectionMember, Command.Expire> ends) {
		Session silent = ends.values().iterator().next().silent();
		return this.calls.expire(silent, waitingFor(silent, ends), callLimit(), this.now);
	}

	private StoreCall bury(Map<ElectionMember, Command.Bury> burials) {
		Session tombstone = burials.values().iterator().next().tombstone();
		return this.calls.bury(tombstone, waitingFor(tombstone, burials), callLimit(), this.now);
	}

	private @Nullable StoreCall renewal() {
		for (OwnSession own : this.sessions.own()) {
			SessionState state = own.state(this.now);
			if (own.isNeeded() && this.now.isDue(state.nextCall())) {
				return keepAlive(own, state);
			}
		}
		return null;
	}

	private StoreCall keepAlive(OwnSession own, SessionState state) {
		List<ElectionMember> concerned = this.registry.all().stream().filter((each) -> each.session() == own).toList();
		Deadline deadline = own.valid();
		Duration limit = this.sessions.operationTimeout();
		Duration left = (deadline != null) ? Timing.shorter(deadline.remaining(), limit) : limit;
		return this.calls.keepAlive(own, state.phase(), concerned, Timing.longer(left, SHORTEST_CALL), this.now);
	}

	/** Return the commands that are due, by the member that wants each. */
	private Map<ElectionMember, Command> due() {
		Map<ElectionMember, Command> wanted = new LinkedHashMap<>();
		for (ElectionMember member : this.registry.agenda().present()) {
			giveBackIfUnvouched(member);
			Due due = next(member);
			if (due == null || !this.now.isDue(due.at())) {
				continue;
			}
			if (due.command() instanceof Command.Take && member.session().valid() == null) {
				member.session().needed(this.now);
			}
			// If a tombstone was refused, the last read of sessions was behind: read them
			// again before any other tombstone is inserted.
			else if (!(due.command() instanceof Command.Bury && isLookDue())) {
				wanted.put(member, due.command());
			}
		}
		return wanted;
	}

	/** Without a session it can't lead. If it kept the lease, nobody could. */
	private void giveBackIfUnvouched(ElectionMember member) {
		ElectionState state = member.state();
		Lease lease = (state.term() == null && state.stands()) ? state.presentLease() : null;
		if (lease != null && member.isOwn(lease) && member.session().valid() == null) {
			member.on(ElectionEvent.unvouched(), this.now);
		}
	}

	/**
	 * Return what is next for an election, given the session of this process. A process
	 * that has no session because another candidate stands by ends a silent session and
	 * takes a lease a little later than that one, but does not wait for a lease that was
	 * left to it by name. A process that is still getting its session goes on reading the
	 * lease until it can take it.
	 */
	private @Nullable Due next(ElectionMember member) {
		Observation holder = this.registry.holder(member.state());
		Due due = member.next(holder, this.now);
		OwnSession own = member.session();
		if (due == null || own.valid() != null) {
			return due;
		}
		if (due.command() instanceof Command.Expire expire && own.isSpare() && holder != null) {
			long silentAt = holder.silentAt(expire.silent().ttl());
			return new Due(expire, Moment.later(due.at(), silentAt + this.sessions.lookDelay().toNanos()));
		}
		if (!(due.command() instanceof Command.Take take)) {
			return due;
		}
		if (!own.isSpare()) {
			return new Due(new Command.ReadLease(), member.state().nextRead());
		}
		boolean chosen = member.context().candidateId().equals(take.expected().successor());
		return chosen ? due : new Due(take, due.at() + this.sessions.standbyDelay().toNanos());
	}

	/**
	 * Combine the changes that may share a call: those with the fewest failures, and of
	 * these the ones that have waited longest.
	 */
	private <T extends Command> StoreCall together(Map<ElectionMember, T> commands, Change<T> change) {
		List<ElectionMember> inTurn = commands.keySet()
			.stream()
			.sorted(Comparator.<ElectionMember>comparingInt((each) -> backoff(each).failures())
				.thenComparingLong((each) -> backoff(each).until() - this.now.nanos()))
			.toList();
		ElectionMember first = inTurn.get(0);
		Backoff least = backoff(first);
		Map<ElectionMember, T> some = new LinkedHashMap<>();
		inTurn.stream()
			.filter((each) -> backoff(each).failures() == least.failures())
			.limit(least.together())
			.forEach((each) -> some.put(each, Objects.requireNonNull(commands.get(each))));
		return change.call(some, least.limit(callLimit(), first.settings().pollInterval()), this.now);
	}

	private static Backoff backoff(ElectionMember member) {
		return member.state().backoff();
	}

	/** Return the members that wait for the holder of this session or tombstone. */
	private static <T extends Command> Map<ElectionMember, T> waitingFor(Session session,
			Map<ElectionMember, T> waiting) {
		String id = session.id();
		Map<ElectionMember, T> some = new LinkedHashMap<>(waiting);
		some.keySet().removeIf((each) -> {
			Lease lease = each.state().presentLease();
			return lease == null || !id.equals(lease.sessionId());
		});
		return some;
	}

	/**
	 * Read all leases that are due. If one of them is known to be held, leases that are
	 * almost due go along. A first read is not held up by others.
	 */
	private StoreCall read(Map<ElectionMember, Command.ReadLease> concerned) {
		if (concerned.keySet().stream().anyMatch((each) -> each.state().heldLease() != null)) {
			for (ElectionMember each : this.registry.all()) {
				Due next = each.next(this.registry.holder(each.state()), this.now);
				if (next != null && next.command() instanceof Command.ReadLease read
						&& each.protocol().mayGoAlong(next, each.state(), this.now)) {
					concerned.putIfAbsent(each, read);
				}
			}
		}
		return this.calls.read(concerned, callLimit(), this.now);
	}

	/** Read the sessions of the leaders that this process follows, if that is due. */
	private @Nullable StoreCall readSessions() {
		if (!isWatching()) {
			this.sessions.nothingToWatch();
			return null;
		}
		if (!isLookDue()) {
			return null;
		}
		Set<String> ids = this.registry.holders();
		boolean all = this.sessions.isListingDue(this.now);
		if (ids.isEmpty() && !all) {
			this.sessions.nothingToLookAt(this.now);
			return null;
		}
		List<ElectionMember> concerned = this.registry.all().stream().filter((each) -> each.state().follows()).toList();
		return this.calls.readSessions(ids, all, concerned, callLimit(), this.now);
	}

	private boolean isLookDue() {
		return isWatching() && this.now.isDue(this.sessions.nextLook());
	}

	/**
	 * Close an own session that is not needed any more, or end a session that its process
	 * has abandoned. An own session is closed only when it would have to be renewed,
	 * since it may be needed again before then.
	 */
	private @Nullable StoreCall tidyUp() {
		for (OwnSession own : this.sessions.own()) {
			Session stored = own.stored();
			if (isToBeClosed(own) && stored != null && this.now.isDue(own.state(this.now).nextCall())) {
				own.rest(this.now);
				return this.calls.close(stored, callLimit(), this.now);
			}
		}
		Session abandoned = isWatching() ? this.sessions.abandoned(this.now) : null;
		return (abandoned != null) ? this.calls.tidyUp(abandoned, callLimit(), this.now) : null;
	}

	private boolean isToBeClosed(OwnSession own) {
		return !this.registry.isClosed() && !own.isNeeded() && own.isUnused() && own.stored() != null;
	}

	/** Return the calls that are left to make when this process has withdrawn. */
	List<StoreCall> farewell() {
		List<StoreCall> last = new ArrayList<>();
		for (OwnSession own : this.sessions.own()) {
			Session stored = own.stored();
			if (stored != null) {
				own.end(LossReason.SHUTDOWN);
				last.add(this.calls.close(stored, callLimit(), this.now));
			}
		}
		return last;
	}

	/**
	 * Return how long a call other than a renewal may take: it must leave time for the
	 * next renewal.
	 */
	Duration callLimit() {
		Duration limit = this.sessions.operationTimeout();
		for (OwnSession own : this.sessions.own()) {
			// This includes a session whose first renewal has failed, which is not valid
			// but can vouch for terms.
			Deadline deadline = own.lastDeadline();
			if (deadline != null && deadline.isHeld() && own.isVouching()) {
				limit = Timing.shorter(limit, Duration.ofNanos((deadline.at().nanos() - this.now.nanos()) / 2));
			}
		}
		return Timing.longer(limit, SHORTEST_CALL);
	}

	/**
	 * Return whether, after a call was answered, it is still open whether this process
	 * can take part in the election: it can't renew its session, or the lease needs a
	 * change that this call has not made.
	 */
	boolean leavesOpen(StoreOperation answered, String election) {
		ElectionMember member = this.registry.find(election);
		if (member == null) {
			return false;
		}
		OwnSession own = member.session();
		return (own.isFailing() && own.isNeeded()) || (!answered.isChange() && needsChange(member));
	}

	/**
	 * Return whether a change of the lease has failed, or one is wanted: the lease is to
	 * be given back now, or can be taken or created.
	 */
	private boolean needsChange(ElectionMember member) {
		ElectionState state = member.state();
		Due due = member.next(this.registry.holder(state), this.now);
		// A process that leaves retries a failed release soon, and without a backoff.
		Moment soon = this.now.plus(member.settings().timing().retryDelay());
		boolean wanted = due != null && due.command().isChange()
				&& ((state.term() != null) ? soon.isDue(due.at()) : state.stands());
		return wanted || state.backoff().failures() > 0;
	}

	// When to plan again

	/**
	 * Return the monotonic time at which to call {@link EventLoop#poll} again, unless
	 * something changes before: there may be another call then.
	 */
	long nextAt() {
		long earliest = earliest();
		for (OwnSession own : this.sessions.own()) {
			SessionState state = own.state(this.now);
			if (own.isNeeded() || isToBeClosed(own)) {
				earliest = Moment.earlier(state.nextCall(), earliest);
			}
		}
		if (isWatching()) {
			earliest = Moment.earlier(this.sessions.nextLook(), earliest);
		}
		for (ElectionMember member : this.registry.agenda().present()) {
			earliest = Moment.earlier(wakeAt(member), earliest);
		}
		return earliest;
	}

	private long wakeAt(ElectionMember member) {
		Due due = next(member);
		return (due != null) ? due.at() : this.now.plus(LONGEST_SLEEP).nanos();
	}

	/**
	 * Return the monotonic time at which to call {@link EventLoop#tick} again, unless
	 * something changes before: a deadline may have come then. Calls that are due play no
	 * part, since a call may be under way.
	 */
	long tickAt() {
		long earliest = earliest();
		for (OwnSession own : this.sessions.own()) {
			earliest = Moment.earlier(deadlineAt(own), earliest);
		}
		for (ElectionMember member : this.registry.agenda().present()) {
			earliest = Moment.earlier(member.protocol().deadlineAt(member.state(), this.now), earliest);
		}
		return earliest;
	}

	/** Return when the next sleeping election needs attention, or a failure a retry. */
	private long earliest() {
		long earliest = this.now.plus(LONGEST_SLEEP).nanos();
		Long next = this.registry.agenda().nextAt();
		if (next != null) {
			earliest = Moment.earlier(next, earliest);
		}
		boolean pending = this.registry.agenda().present().stream().anyMatch(ElectionMember::hasPendingWork);
		return pending ? Moment.earlier(this.now.plus(RETRY).nanos(), earliest) : earliest;
	}

	private long deadlineAt(OwnSession own) {
		Deadline deadline = own.lastDeadline();
		return (deadline != null && deadline.isHeld()) ? deadline.at().dueAt(this.now, LONGEST_SLEEP)
				: this.now.plus(LONGEST_SLEEP).nanos();
	}

	/**
	 * Put elections that need no attention to sleep, for a second at most, which repairs
	 * anything that was overlooked.
	 */
	void sleep() {
		long latest = this.now.plus(LONGEST_SLEEP).nanos();
		for (ElectionMember each : this.registry.agenda().present()) {
			long at = Moment.earlier(wakeAt(each), each.protocol().deadlineAt(each.state(), this.now));
			if (each.state().isVouchedFor()) {
				at = Moment.earlier(at, deadlineAt(each.session()));
			}
			if (!each.isChanging() && !awaitsSession(each) && !this.now.isDue(at)) {
				this.registry.agenda().sleep(each, Moment.earlier(at, latest));
			}
		}
	}

	/** Return whether the election is waiting for a session. */
	private static boolean awaitsSession(ElectionMember member) {
		OwnSession own = member.session();
		return member.state().stands() && member.state().term() == null && own.valid() == null && !own.isSpare();
	}

	// What is watched

	/** Return whether this process follows any election, and must know who is alive. */
	private boolean isWatching() {
		return this.registry.all().stream().anyMatch((each) -> each.state().follows());
	}

	/** Creates the call that changes these leases. */
	@FunctionalInterface
	private interface Change<T extends Command> {

		StoreCall call(Map<ElectionMember, T> commands, Duration timeout, Moment now);

	}

}
