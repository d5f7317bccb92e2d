package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Command;
import io.github.leaderelection.protocol.Command.Due;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.ElectionState.Backoff;
import io.github.leaderelection.protocol.ElectionState.Wish;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.SessionState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Makes of what all elections of this process want of the store at one moment as few
 * {@linkplain StoreCalls calls} as possible: one for all that want the same. Used under
 * the lock of {@link ElectionRegistry} only.
 */
final class CommandPlanner {

	private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

	private static final Duration SHORTEST_CALL = Duration.ofMillis(1);

	/** When to try again what has failed inside this process. */
	private static final Duration RETRY = Duration.ofMillis(100);

	private final ElectionRegistry registry;

	private final Sessions sessions;

	private final StoreCalls calls;

	private final Moment now;

	/** Plan at this moment. */
	CommandPlanner(ElectionRegistry registry, StoreCalls calls, Moment now) {
		this.registry = registry;
		this.sessions = registry.sessions();
		this.calls = calls;
		this.now = now;
	}

	/**
	 * Return the call that is due and most urgent, or {@code null} if there is none:
	 * before all others one that keeps this process alive. Retries come last, so that a
	 * slow one does not delay other calls.
	 */
	@Nullable StoreCall next() {
		follow();
		StoreCall renewal = renewal();
		if (renewal != null) {
			return renewal;
		}
		Map<ElectionMember, Command> due = due();
		Map<ElectionMember, Command> again = new LinkedHashMap<>();
		due.forEach((member, command) -> {
			if (command.isChange() && backoff(member).failures() > 0) {
				again.put(member, command);
			}
		});
		due.keySet().removeAll(again.keySet());
		// What is due may need a session.
		StoreCall call = renewal();
		if (call == null) {
			call = first(due);
		}
		if (call == null) {
			call = readSessions();
		}
		if (call == null) {
			call = first(again);
		}
		return (call != null || this.registry.isClosed()) ? call : tidyUp();
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
		if (due.isEmpty()) {
			return null;
		}
		Map<ElectionMember, Command.Release> releases = only(Command.Release.class, due);
		if (!releases.isEmpty()) {
			return together(releases, this.calls::release);
		}
		Map<ElectionMember, Command.Take> takings = only(Command.Take.class, due);
		if (!takings.isEmpty()) {
			return together(takings, this.calls::take);
		}
		Map<ElectionMember, Command.Expire> ends = only(Command.Expire.class, due);
		if (!ends.isEmpty()) {
			Session silent = ends.values().iterator().next().silent();
			return this.calls.expire(silent, waitingFor(silent, ends), callLimit(), this.now);
		}
		Map<ElectionMember, Command.Bury> burials = only(Command.Bury.class, due);
		if (!burials.isEmpty()) {
			Session tombstone = burials.values().iterator().next().tombstone();
			return this.calls.bury(tombstone, waitingFor(tombstone, burials), callLimit(), this.now);
		}
		Map<ElectionMember, Command.Create> creations = only(Command.Create.class, due);
		if (!creations.isEmpty()) {
			return together(creations, this.calls::create);
		}
		return read(due);
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

	/** Return what is due, by whom it is wanted. */
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
			// One tombstone that was refused has shown that the last read was behind, for
			// all.
			else if (!(due.command() instanceof Command.Bury && isLookDue())) {
				wanted.put(member, due.command());
			}
		}
		return wanted;
	}

	/** It can't lead. If it holds the lease nobody else could. */
	private void giveBackIfUnvouched(ElectionMember member) {
		ElectionState state = member.state();
		Lease lease = (state.term() == null && state.stands()) ? state.presentLease() : null;
		if (lease != null && member.isOwn(lease) && member.session().valid() == null) {
			member.on(ElectionEvent.unvouched(), this.now);
		}
	}

	/**
	 * Return what is next for an election, as far as the own session lets it. Whoever has
	 * none lets those go first that have one, unless the lease was left to it, and reads
	 * on while it has none yet.
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

	private static <T extends Command> Map<ElectionMember, T> only(Class<T> kind, Map<ElectionMember, Command> due) {
		Map<ElectionMember, T> some = new LinkedHashMap<>();
		due.forEach((member, command) -> {
			if (kind.isInstance(command)) {
				some.put(member, kind.cast(command));
			}
		});
		return some;
	}

	/**
	 * Change all that may be changed together: first of all those that have failed least,
	 * and of these the ones that have waited longest.
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

	/** Return those who wait for the holder whose session this is, or should be. */
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
	 * Read all leases for which it is time, or nearly so, if they are read again and
	 * again: whoever reads for the first time waits for no others.
	 */
	private StoreCall read(Map<ElectionMember, Command> due) {
		Map<ElectionMember, Command.ReadLease> concerned = only(Command.ReadLease.class, due);
		if (due.keySet().stream().anyMatch((each) -> each.state().heldLease() != null)) {
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

	/** Read the sessions of those who lead, if it is time. */
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
	 * Close what is not needed any more when it would have to be renewed, for it may be
	 * needed again before, and end what its process has left behind.
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

	/** Return the calls that are left to be made when all is over. */
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
	 * Return what a call that is no renewal may take: never so long that there would be
	 * no time left for one.
	 */
	Duration callLimit() {
		Duration limit = this.sessions.operationTimeout();
		for (OwnSession own : this.sessions.own()) {
			// Also while the first renewal of a session has failed.
			Deadline deadline = own.lastDeadline();
			if (deadline != null && deadline.isHeld() && own.isVouching()) {
				limit = Timing.shorter(limit, Duration.ofNanos((deadline.at().nanos() - this.now.nanos()) / 2));
			}
		}
		return Timing.longer(limit, SHORTEST_CALL);
	}

	/**
	 * Return whether a call that was answered leaves open whether this process can take
	 * part in the election: it can't renew its session, or the lease needs to be changed,
	 * and was not.
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
	 * A lease is to be given back now, or is there to be taken; or a change of it has
	 * failed.
	 */
	private boolean needsChange(ElectionMember member) {
		ElectionState state = member.state();
		Due due = member.next(this.registry.holder(state), this.now);
		// Whoever leaves gives its lease back in vain again and again, without a backoff.
		boolean timely = due != null && (this.now.isDue(due.at()) || state.wish() == Wish.LEAVE);
		boolean wanted = due != null && due.command().isChange() && ((state.term() != null) ? timely : state.stands());
		return wanted || state.backoff().failures() > 0;
	}

	// When to ask again

	/**
	 * Return the monotonic time at which there may be another call unless something
	 * changes before: {@link EventLoop#poll} again then.
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
	 * Return the monotonic time at which time itself may change something unless
	 * something else does before: {@link EventLoop#tick} again then. Whether a call is
	 * due plays no part: it may be under way.
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

	/** Return when somebody needs attention who has none, or what has failed a retry. */
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
	 * Let those that need no attention for now have none, and for a second at most, which
	 * heals whatever was forgotten.
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

	/** Return whether it takes up what is there as soon as it has a session. */
	private static boolean awaitsSession(ElectionMember member) {
		OwnSession own = member.session();
		return member.state().stands() && member.state().term() == null && own.valid() == null && !own.isSpare();
	}

	// Whom it concerns

	/** Return whether anybody here follows, so that it matters who else is alive. */
	private boolean isWatching() {
		return this.registry.all().stream().anyMatch((each) -> each.state().follows());
	}

	/** Makes the call by which leases are changed. */
	@FunctionalInterface
	private interface Change<T extends Command> {

		StoreCall call(Map<ElectionMember, T> commands, Duration timeout, Moment now);

	}

}
