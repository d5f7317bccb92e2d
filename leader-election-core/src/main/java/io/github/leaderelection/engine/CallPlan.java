package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToLongFunction;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What all elections of this process want of the store at one moment, made into as few
 * {@linkplain StoreCalls calls} as possible: one for all that want the same. Used under
 * the lock of {@link Elections} only.
 */
final class CallPlan {

	private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

	private static final Duration SHORTEST_CALL = Duration.ofMillis(1);

	/** When to try again what has failed inside this process. */
	private static final Duration RETRY = Duration.ofMillis(100);

	private final EngineContext context;

	private final Collection<Participation> participations;

	private final Agenda agenda;

	private final Sessions sessions;

	private final StoreCalls calls;

	private final boolean closing;

	private final Moment now;

	/**
	 * Plan at this moment.
	 * @param closing whether this process has withdrawn from everything
	 */
	CallPlan(EngineContext context, Collection<Participation> participations, Agenda agenda, Sessions sessions,
			StoreCalls calls, boolean closing, Moment now) {
		this.context = context;
		this.participations = participations;
		this.agenda = agenda;
		this.sessions = sessions;
		this.calls = calls;
		this.closing = closing;
		this.now = now;
	}

	/**
	 * Return the call that is due and most urgent, or {@code null} if there is none:
	 * before all others one that keeps this process alive, and last what has failed
	 * before. It may take its time again, and must not keep the others from theirs.
	 */
	@Nullable StoreCall next() {
		for (OwnSession own : this.sessions.own()) {
			SessionIntent intent = isInUse(own) ? own.intent(this.now) : null;
			if (intent != null) {
				return keepAlive(own, intent);
			}
		}
		Map<Participation, Intent> wanted = wanted();
		Map<Participation, Intent> again = new LinkedHashMap<>(wanted);
		again.entrySet().removeIf((each) -> !isChange(each.getValue()) || each.getKey().setbacks().number() == 0);
		wanted.keySet().removeAll(again.keySet());
		StoreCall call = first(wanted);
		if (call == null) {
			call = watch();
		}
		if (call == null) {
			call = first(again);
		}
		return (call != null) ? call : tidyUp();
	}

	/** Return the most urgent call of these. */
	private @Nullable StoreCall first(Map<Participation, Intent> wanted) {
		Map<Participation, Intent.Release> releases = only(Intent.Release.class, wanted);
		if (!releases.isEmpty()) {
			return together(releases, this.calls::release);
		}
		Map<Participation, Intent.Take> takings = only(Intent.Take.class, wanted);
		if (!takings.isEmpty()) {
			return together(takings, this.calls::take);
		}
		Map<Participation, Intent.Expire> ends = only(Intent.Expire.class, wanted);
		if (!ends.isEmpty()) {
			Session silent = ends.values().iterator().next().silent();
			return this.calls.expire(silent, waitingFor(silent, ends.keySet()), callLimit(), this.now);
		}
		Map<Participation, Intent.Bury> burials = only(Intent.Bury.class, wanted);
		if (!burials.isEmpty()) {
			Session tombstone = burials.values().iterator().next().tombstone();
			return this.calls.bury(tombstone, waitingFor(tombstone, burials.keySet()), callLimit(), this.now);
		}
		Map<Participation, Intent.Create> creations = only(Intent.Create.class, wanted);
		if (!creations.isEmpty()) {
			return together(creations, this.calls::create);
		}
		return !wanted.isEmpty() ? read(wanted) : null;
	}

	private StoreCall keepAlive(OwnSession own, SessionIntent intent) {
		List<Participation> concerned = this.participations.stream().filter((each) -> each.session() == own).toList();
		Belief belief = own.belief();
		Duration limit = shortestOperationTimeout();
		Duration left = (belief != null) ? Rhythm.shorter(belief.remaining(), limit) : limit;
		return this.calls.keepAlive(own, intent, concerned, Rhythm.longer(left, SHORTEST_CALL), this.now);
	}

	/** Return what is wanted of leases, by whom. */
	private Map<Participation, Intent> wanted() {
		Map<Participation, Intent> wanted = new LinkedHashMap<>();
		for (Participation participation : this.agenda.present()) {
			Intent intent = readsOn(participation) ? new Intent.Read() : intent(participation);
			if (intent instanceof Intent.Watch) {
				this.sessions.lookNow(this.now);
			}
			else if (intent instanceof Intent.Take take && participation.session().belief() == null) {
				giveBack(participation, take.expected());
			}
			else if (intent != null && !isToWait(participation, intent) && !awaitsLook(intent)) {
				wanted.put(participation, intent);
			}
		}
		return wanted;
	}

	private static boolean isChange(@Nullable Intent intent) {
		return intent instanceof Intent.Release || intent instanceof Intent.Take || intent instanceof Intent.Create
				|| intent instanceof Intent.Bury;
	}

	/** Who closes has no time for pauses: what is not given back then is left. */
	private boolean isToWait(Participation participation, @Nullable Intent intent) {
		return !this.closing && isChange(intent) && participation.setbacks().isToWait(this.now);
	}

	/**
	 * One tombstone that was refused has shown that the last look was behind, for all.
	 */
	private boolean awaitsLook(Intent intent) {
		return intent instanceof Intent.Bury && isLookDue();
	}

	/** It can't lead. If it holds the lease nobody else could. */
	private void giveBack(Participation participation, Lease lease) {
		if (lease.isHeldBy(this.context.candidateId())) {
			participation.move((protocol, state, then) -> protocol.giveBack(state, lease, then), this.now);
		}
	}

	private static <T extends Intent> Map<Participation, T> only(Class<T> kind, Map<Participation, Intent> wanted) {
		Map<Participation, T> some = new LinkedHashMap<>();
		wanted.forEach((participation, intent) -> {
			if (kind.isInstance(intent)) {
				some.put(participation, kind.cast(intent));
			}
		});
		return some;
	}

	/**
	 * Change all that may be changed together: first of all those that have failed least,
	 * and of these the ones that have waited longest.
	 */
	private <T extends Intent> StoreCall together(Map<Participation, T> intents, Change<T> change) {
		List<Participation> inTurn = intents.keySet()
			.stream()
			.sorted(Comparator.comparing(Participation::setbacks, Setbacks.inTurn(this.now)))
			.toList();
		Setbacks least = inTurn.get(0).setbacks();
		Map<Participation, T> some = new LinkedHashMap<>();
		inTurn.stream()
			.filter((each) -> each.setbacks().number() == least.number())
			.limit(least.together())
			.forEach((each) -> some.put(each, Objects.requireNonNull(intents.get(each))));
		return change.call(some, least.limit(callLimit()), this.now);
	}

	/** Return those who wait for the holder whose session this is, or should be. */
	private static List<Participation> waitingFor(Session session, Set<Participation> waiting) {
		String id = session.id();
		return waiting.stream().filter((each) -> {
			Lease lease = each.state().presentLease();
			return lease != null && id.equals(lease.sessionId());
		}).toList();
	}

	/** Who stands aside wants to know who leads all the same. */
	private boolean readsOn(Participation participation) {
		ElectionState state = participation.state();
		return participation.isPaused() && state.isOver() && !this.closing && this.now.nanos() - state.nextLook() >= 0;
	}

	/**
	 * Read all leases for which it is time, or nearly so, if they are looked at again and
	 * again: whoever looks for the first time waits for no others.
	 */
	private StoreCall read(Map<Participation, Intent> wanted) {
		boolean again = wanted.keySet().stream().anyMatch((each) -> each.state().heldLease() != null);
		Collection<Participation> concerned = again ? this.participations.stream()
			.filter((each) -> wanted.containsKey(each) || each.protocol().mayGoAlong(each.state(), this.now))
			.toList() : List.copyOf(wanted.keySet());
		return this.calls.read(concerned, callLimit(), this.now);
	}

	/** Look at the sessions of those who lead, if it is time. */
	private @Nullable StoreCall watch() {
		if (!isLookDue()) {
			return null;
		}
		Set<String> ids = new LinkedHashSet<>();
		List<Participation> concerned = this.participations.stream().filter(CallPlan::isWatching).toList();
		for (Participation participation : concerned) {
			Lease lease = participation.isVouchedFor() ? null : participation.state().presentLease();
			String id = (lease != null && !lease.isHeldBy(this.context.candidateId())) ? lease.sessionId() : null;
			if (id != null) {
				ids.add(id);
			}
		}
		boolean all = this.sessions.isListingDue(this.now);
		if (ids.isEmpty() && !all) {
			this.sessions.nothingToLookAt(this.now);
			return null;
		}
		return this.calls.watch(ids, all, concerned, callLimit(), this.now);
	}

	private boolean isLookDue() {
		return isWatching() && this.now.nanos() - this.sessions.nextLook() >= 0;
	}

	private @Nullable StoreCall tidyUp() {
		Session abandoned = isWatching() ? this.sessions.abandoned(this.now) : null;
		return (abandoned != null) ? this.calls.tidyUp(abandoned, callLimit(), this.now) : null;
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
		Duration limit = shortestOperationTimeout();
		for (OwnSession own : this.sessions.own()) {
			Belief belief = own.belief();
			if (belief != null && isBusy(own)) {
				limit = Rhythm.shorter(limit, Duration.ofNanos((belief.deadline().nanos() - this.now.nanos()) / 2));
			}
		}
		return Rhythm.longer(limit, SHORTEST_CALL);
	}

	/**
	 * All elections share one thread for their calls: none may hold it up for longer than
	 * the most impatient of them can bear.
	 */
	private Duration shortestOperationTimeout() {
		return this.sessions.operationTimeout(LONGEST_SLEEP);
	}

	/**
	 * Return whether an election needs more than to be read: a lease is to be given back,
	 * or is there to be taken.
	 */
	boolean needsChange(Participation participation) {
		return participation.protocol().needsChange(participation.state(), holder(participation), this.now);
	}

	private @Nullable Intent intent(Participation participation) {
		return participation.protocol().intent(participation.state(), holder(participation), this.now);
	}

	private @Nullable SessionSighting holder(Participation participation) {
		return this.sessions.of(participation.state().presentLease());
	}

	// When to ask again

	/**
	 * Return the monotonic time at which there may be another call unless something
	 * changes before.
	 */
	long nextAt() {
		return earliest(this::wakeAt, this::nextCall);
	}

	private long wakeAt(Participation participation) {
		return isToWait(participation, intent(participation)) ? participation.setbacks().notBefore()
				: participation.wakeAt(holder(participation), this.now);
	}

	/** Return the monotonic time at which time itself may change something. */
	long tickAt() {
		return earliest((each) -> each.protocol().tickAt(each.state(), this.now), this::deadline);
	}

	/**
	 * Let those that need no attention for now have none, and for a second at most, which
	 * heals whatever was forgotten.
	 */
	void sleep() {
		long latest = this.now.plus(LONGEST_SLEEP).nanos();
		for (Participation each : this.agenda.present()) {
			long at = earlier(wakeAt(each), each.protocol().tickAt(each.state(), this.now));
			if (each.isVouchedFor()) {
				at = earlier(at, deadline(each.session()));
			}
			if (!each.isChanging() && !each.owes() && at - this.now.nanos() > 0) {
				this.agenda.sleep(each, earlier(at, latest));
			}
		}
	}

	private long earliest(ToLongFunction<Participation> time, ToLongFunction<OwnSession> session) {
		long earliest = this.now.plus(LONGEST_SLEEP).nanos();
		for (OwnSession own : this.sessions.own()) {
			if (isInUse(own)) {
				earliest = earlier(session.applyAsLong(own), earliest);
			}
		}
		long retry = this.now.plus(RETRY).nanos();
		Collection<Participation> awake = this.agenda.present();
		Long next = this.agenda.nextAt();
		earliest = (next != null) ? earlier(next, earliest) : earliest;
		for (Participation participation : awake) {
			earliest = earlier(participation.owes() ? retry : time.applyAsLong(participation), earliest);
		}
		return earliest;
	}

	private long nextCall(OwnSession own) {
		long next = own.nextCall(this.now);
		return isWatching() ? earlier(this.sessions.nextLook(), next) : next;
	}

	private long deadline(OwnSession own) {
		Belief belief = own.lastBelief();
		if (belief == null || !belief.isHeld()) {
			return this.now.plus(LONGEST_SLEEP).nanos();
		}
		Moment deadline = belief.deadline();
		// A wall clock may be set back, or forward, by centuries.
		long millis = Math.max(0, Math.min(deadline.millis() - this.now.millis(), LONGEST_SLEEP.toMillis()));
		return earlier(deadline.nanos(), this.now.plus(Duration.ofMillis(millis)).nanos());
	}

	private static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

	// Whom it concerns

	/** Return whether it matters to this process who else is alive. */
	private boolean isWatching() {
		return !this.closing && this.participations.stream().anyMatch(CallPlan::isWatching);
	}

	private static boolean isWatching(Participation participation) {
		return participation.state().standing() || participation.isPaused();
	}

	/** Return whether something needs to be vouched for, now or soon. */
	private boolean isInUse(OwnSession own) {
		return this.participations.stream()
			.anyMatch((each) -> each.session() == own && (isWatching(each) || each.isVouchedFor()));
	}

	/** Return whether something is vouched for. */
	boolean isBusy(OwnSession own) {
		return this.participations.stream().anyMatch((each) -> each.session() == own && each.isVouchedFor());
	}

	/** Makes the call by which leases are changed. */
	@FunctionalInterface
	private interface Change<T extends Intent> {

		StoreCall call(Map<Participation, T> intents, Duration timeout, Moment now);

	}

}
