package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * All elections of this process: keeps one {@link Participation} each, and turns what
 * they want into as few {@linkplain StoreCalls calls of the store} as possible: one for
 * all of a kind.
 * <p>
 * Has no thread of its own and never blocks: {@link ElectionEngine} asks for the
 * {@linkplain #poll next call}, makes it, and lets the {@linkplain #tick time} pass. Safe
 * for use by any thread; no code of the user runs under its lock.
 */
final class Elections {

	private static final Duration LONGEST_SLEEP = Duration.ofSeconds(1);

	/** When to try again what has failed inside this process. */
	private static final Duration RETRY = Duration.ofMillis(100);

	private final Map<String, Participation> participations = new ConcurrentHashMap<>();

	private final PastElections past = new PastElections();

	private final String candidateId;

	private final StoreCalls calls;

	private final Heartbeats heartbeats;

	private final UnaryOperator<String> leaseIds;

	private final Function<String, ElectionSettings> settings;

	private final Protocols protocols;

	private final Parts parts;

	private final Executor threads;

	private final List<ElectionListener> listeners;

	private final EngineObservers observers;

	private final EngineClock clock;

	private final Runnable onChange;

	private volatile boolean pushed;

	/** Until when changes that say nothing of themselves wait to be looked for. */
	private long nextUnclear;

	/** When the next call was last asked for, or began to be. */
	private volatile @Nullable Moment lastTurn;

	/** Whether a call is under way, whose answer may concern any election. */
	private boolean calling;

	private boolean closing;

	/** Whether this process is about to close: it leads what it leads, and no more. */
	private boolean leaving;

	/**
	 * Create an empty set of elections.
	 * @param settings the settings of each election, asked for once when this process
	 * begins to stand in it
	 * @param onChange called when the next call or wake-up may have changed, by any
	 * thread; must not block
	 */
	Elections(String candidateId, LeaseStore store, Function<String, ElectionSettings> settings, Executor threads,
			List<ElectionListener> listeners, EngineClock clock, Runnable onChange) {
		this(candidateId, store, settings, new Protocols() {
		}, Participation::new, threads, listeners, clock, onChange);
	}

	/**
	 * Create an empty set of elections.
	 * @param protocols what decides for this process
	 * @param parts makes the part of this process in an election
	 */
	Elections(String candidateId, LeaseStore store, Function<String, ElectionSettings> settings, Protocols protocols,
			Parts parts, Executor threads, List<ElectionListener> listeners, EngineClock clock, Runnable onChange) {
		this.candidateId = candidateId;
		this.leaseIds = store::leaseId;
		this.calls = new StoreCalls(this, store);
		this.settings = settings;
		this.protocols = protocols;
		this.heartbeats = new Heartbeats(candidateId, (rhythm) -> protocols.heartbeat(candidateId, rhythm), clock);
		this.parts = parts;
		this.threads = threads;
		this.listeners = List.copyOf(listeners);
		this.observers = new EngineObservers(listeners, clock);
		this.clock = clock;
		this.onChange = onChange;
		this.nextUnclear = clock.now().nanos();
	}

	String candidateId() {
		return this.candidateId;
	}

	String leaseId(String election) {
		return this.leaseIds.apply(election);
	}

	Executor threads() {
		return this.threads;
	}

	List<ElectionListener> listeners() {
		return this.listeners;
	}

	EngineObservers observers() {
		return this.observers;
	}

	EngineClock clock() {
		return this.clock;
	}

	Heartbeats heartbeats() {
		return this.heartbeats;
	}

	/** Return what was last seen of the heartbeat of whoever holds the lease. */
	synchronized @Nullable HeartbeatSighting holder(ElectionState state) {
		return this.heartbeats.of(state.presentLease());
	}

	Set<String> names() {
		return Set.copyOf(this.participations.keySet());
	}

	Iterable<Participation> all() {
		return this.participations.values();
	}

	Participation get(String election) {
		Participation participation = this.participations.get(election);
		if (participation == null) {
			throw new UnknownElectionException(election);
		}
		return participation;
	}

	/** From now on somebody is to {@link #poll}. */
	synchronized void begin() {
		Moment now = this.clock.now();
		this.participations.values().forEach((participation) -> participation.expectNext(now));
		this.lastTurn = now;
	}

	/**
	 * Return when somebody last asked what is to be done, {@code null} if nobody does.
	 */
	@Nullable Moment lastTurn() {
		return this.lastTurn;
	}

	/**
	 * Let the time pass soon: something has been done that was waited for. May be called
	 * with any lock held.
	 */
	void wake() {
		this.onChange.run();
	}

	// What this process does

	synchronized void stand(String election) {
		participate(election).pin();
		this.onChange.run();
	}

	void register(Candidate candidate) {
		register(candidate, candidate.election());
	}

	private synchronized void register(Candidate candidate, String election) {
		Participation existing = this.participations.get(election);
		if (existing != null && existing.find(candidate) != null) {
			throw new IllegalArgumentException(
					"This candidate is registered in election '%s' already".formatted(election));
		}
		participate(election).add(candidate);
		this.onChange.run();
	}

	private Participation participate(String election) {
		if (this.closing) {
			throw new IllegalStateException(
					"Can't stand in election '%s': leader election has been shut down".formatted(election));
		}
		Moment now = this.clock.now();
		Participation participation = this.participations.get(election);
		if (participation == null) {
			ElectionNames.requireValid(election);
			ElectionSettings chosen = this.settings.apply(election);
			OwnHeartbeat heartbeat = this.heartbeats.join(chosen);
			participation = this.parts.create(this, election,
					this.protocols.election(this.candidateId, chosen, heartbeat.protocol()), heartbeat, now);
			PastElections.Past before = this.past.recall(election);
			if (before != null) {
				participation.recall(before, now);
			}
			this.participations.put(election, participation);
			this.past.forget(election);
			if (this.leaving) {
				participation.prepareClose(now);
			}
		}
		else {
			standIfWanted(participation, now);
		}
		return participation;
	}

	private void standIfWanted(Participation participation, Moment now) {
		if (!participation.isPaused() && !participation.state().standing() && !this.closing && !this.leaving) {
			participation.apply(participation.protocol().stand(participation.state(), now), now);
		}
	}

	boolean unregister(Candidate candidate) {
		return unregister(candidate, candidate.election());
	}

	private synchronized boolean unregister(Candidate candidate, String election) {
		Participation participation = this.participations.get(election);
		if (participation == null || !participation.remove(candidate)) {
			return false;
		}
		if (!participation.isWanted()) {
			withdraw(participation, LossReason.SHUTDOWN, this.clock.now());
		}
		this.onChange.run();
		return true;
	}

	boolean resign(String election) {
		return resign(election, null);
	}

	synchronized boolean resign(String election, @Nullable String successor) {
		Participation participation = get(election);
		Moment now = this.clock.now();
		Step step = participation.protocol().resign(participation.state(), LossReason.RESIGNED, successor, now);
		participation.apply(step, now);
		this.onChange.run();
		return step.effect() != null;
	}

	/** Withdraw from the election, but stay registered. */
	synchronized void pause(String election) {
		Participation participation = get(election);
		participation.setPaused(true);
		withdraw(participation, LossReason.RESIGNED, this.clock.now());
		this.onChange.run();
	}

	synchronized void resume(String election) {
		Participation participation = get(election);
		participation.setPaused(false);
		if (participation.isWanted()) {
			standIfWanted(participation, this.clock.now());
		}
		this.onChange.run();
	}

	/** Take no further lease, and let those who work for a term know that it ends. */
	synchronized void prepareClose() {
		this.leaving = true;
		Moment now = this.clock.now();
		forEach((participation) -> participation.prepareClose(now));
	}

	/** Return the threads that are inside gated calls and callbacks of candidates. */
	synchronized Set<Thread> callers() {
		Set<Thread> callers = new HashSet<>();
		this.participations.values().forEach((participation) -> participation.addCallers(callers));
		return callers;
	}

	/** Wait no longer for what these threads are in: they wait for this to close. */
	synchronized void leaveBehind(Set<Thread> threads) {
		forEach((participation) -> participation.leaveBehind(threads));
	}

	/** Withdraw from all elections, and accept no new ones. */
	synchronized void close() {
		// Whatever fails from here on: time brings it about.
		this.closing = true;
		this.onChange.run();
		Moment now = this.clock.now();
		forEach((participation) -> withdraw(participation, LossReason.SHUTDOWN, now));
	}

	/** Do this in each election, whatever becomes of the others. */
	private void forEach(Consumer<Participation> action) {
		Throwable failure = null;
		for (Participation participation : this.participations.values()) {
			try {
				action.accept(participation);
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		this.onChange.run();
		Failures.rethrow(failure);
	}

	/** Stand where this process wants to stand, and nowhere else. */
	private void standOrWithdraw(Participation participation, Moment now) {
		boolean wanted = participation.isWanted() && !this.closing;
		Tenure tenure = participation.state().tenure();
		// While the context begins to close it leads on, and stands no more.
		boolean leads = tenure != null && tenure.phase() == Tenure.Phase.LEADING;
		if ((participation.state().standing() || leads) && (!wanted || participation.isPaused())) {
			withdraw(participation, wanted ? LossReason.RESIGNED : LossReason.SHUTDOWN, now);
		}
		else if (participation.state().standing() && this.leaving) {
			participation.prepareClose(now);
		}
		else if (wanted) {
			standIfWanted(participation, now);
		}
	}

	private void withdraw(Participation participation, LossReason reason, Moment now) {
		participation.apply(participation.protocol().withdraw(participation.state(), reason, now), now);
		removeIfOver(participation);
	}

	private void removeIfOver(Participation participation) {
		if (participation.state().isOver() && !participation.isWanted() && participation.isQuiet() && !this.calling
				&& !this.closing) {
			this.past.remember(participation.state(), participation.isPaused(), this.clock.now());
			this.participations.remove(participation.state().election());
		}
	}

	/** Return how many processes were seen to come. */
	synchronized long arrivals() {
		return this.heartbeats.arrivals();
	}

	/** Return the candidates that were seen to live, and live no more. */
	synchronized Set<String> gone(Moment now) {
		return this.heartbeats.gone(now);
	}

	/**
	 * Return whether this process has withdrawn from everything, and holds nothing, or
	 * nothing that is not lost to it any way.
	 */
	synchronized boolean areOver() {
		return this.participations.values().stream().allMatch(Elections::isOver);
	}

	private static boolean isOver(Participation participation) {
		ElectionState state = participation.state();
		Tenure tenure = state.tenure();
		boolean idle = tenure == null || tenure.phase() == Tenure.Phase.RELEASING
				|| tenure.phase() == Tenure.Phase.LEFT;
		return state.isOver() || (!state.standing() && idle && participation.heartbeat().belief() == null);
	}

	// What time and the store bring

	/**
	 * Let the time pass: end terms whose deadline has come, go on with what was waited
	 * for, and try again what has failed.
	 */
	synchronized void tick(Moment now) {
		Throwable failure = null;
		for (Participation participation : this.participations.values()) {
			try {
				standOrWithdraw(participation, now);
				participation.retryCallbacks(now);
				participation.fulfil();
				participation.apply(participation.protocol().tick(participation.state(), now), now);
				removeIfOver(participation);
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		Failures.rethrow(failure);
	}

	/**
	 * Return the monotonic time at which to {@link #poll} again unless something changes
	 * before.
	 */
	synchronized long pollAt(Moment now) {
		return earliest(now,
				(participation) -> participation.owes() ? now.plus(RETRY).nanos() : participation.wakeAt(now),
				(own) -> nextBeat(own, now));
	}

	/**
	 * Return the monotonic time at which to {@link #tick} again unless something changes
	 * before. Whether a call is due plays no part: it may be under way.
	 */
	synchronized long tickAt(Moment now) {
		return earliest(now, (participation) -> participation.owes() ? now.plus(RETRY).nanos()
				: participation.protocol().tickAt(participation.state(), now), (own) -> deadline(own, now));
	}

	private long earliest(Moment now, ToLongFunction<Participation> time, ToLongFunction<OwnHeartbeat> beat) {
		long earliest = now.plus(LONGEST_SLEEP).nanos();
		for (OwnHeartbeat own : this.heartbeats.own()) {
			if (isInUse(own)) {
				long at = beat.applyAsLong(own);
				earliest = (at - earliest < 0) ? at : earliest;
			}
		}
		for (Participation participation : this.participations.values()) {
			long at = time.applyAsLong(participation);
			earliest = (at - earliest < 0) ? at : earliest;
		}
		return earliest;
	}

	private long nextBeat(OwnHeartbeat own, Moment now) {
		long look = this.heartbeats.nextLook();
		long beat = own.nextCall(now);
		return (isWatching() && look - beat < 0) ? look : beat;
	}

	/** Return whether it matters to this process who else is alive. */
	private boolean isWatching() {
		return !this.closing && this.participations.values().stream().anyMatch(Elections::isWatching);
	}

	private static boolean isWatching(Participation participation) {
		return participation.state().standing() || participation.isPaused();
	}

	private static long deadline(OwnHeartbeat own, Moment now) {
		Belief belief = own.lastBelief();
		if (belief == null || !belief.isHeld()) {
			return now.plus(LONGEST_SLEEP).nanos();
		}
		Moment deadline = belief.deadline();
		// A wall clock may be set back, or forward, by centuries.
		long millis = Math.max(0, Math.min(deadline.millis() - now.millis(), LONGEST_SLEEP.toMillis()));
		long byWallClock = now.plus(Duration.ofMillis(millis)).nanos();
		return (deadline.nanos() - byWallClock < 0) ? deadline.nanos() : byWallClock;
	}

	/** Return whether something needs to be vouched for, now or soon. */
	private boolean isInUse(OwnHeartbeat own) {
		return this.participations.values()
			.stream()
			.anyMatch((each) -> each.heartbeat() == own && (isWatching(each) || each.isVouchedFor()));
	}

	private boolean isBusy(OwnHeartbeat own) {
		return this.participations.values().stream().anyMatch((each) -> each.heartbeat() == own && each.isVouchedFor());
	}

	/**
	 * Return whether a call that was answered leaves open whether this process can take
	 * part in the election: it can't beat, or the lease needs to be changed, and was not.
	 */
	synchronized boolean leavesOpen(StoreOperation answered, String election, Moment now) {
		Participation participation = this.participations.get(election);
		return participation != null
				&& (participation.heartbeat().isFailing() || (!answered.isChange() && participation.needsChange(now)));
	}

	/**
	 * Changes are pushed from now on, or no longer: look at everything once, at what is
	 * held too. A removal may have been missed, or may be why the watch has ended.
	 */
	synchronized void setPushed(boolean pushed) {
		this.pushed = pushed;
		Moment now = this.clock.now();
		for (Participation participation : this.participations.values()) {
			participation.apply(participation.protocol().doubted(participation.state(), now), now);
		}
		this.onChange.run();
	}

	boolean isPushed() {
		return this.pushed;
	}

	synchronized void lookAgain() {
		Moment now = this.clock.now();
		for (Participation participation : this.participations.values()) {
			participation.apply(participation.protocol().lookAgain(participation.state(), now), now);
		}
		this.onChange.run();
	}

	/**
	 * A change was pushed that can't be told: look again at once, but not again and again
	 * if there are many. Nobody knows whose they are.
	 */
	synchronized void noticedUnclear() {
		Moment now = this.clock.now();
		if (now.nanos() - this.nextUnclear >= 0) {
			this.nextUnclear = now.plus(shortestPollInterval()).nanos();
			lookAgain();
			return;
		}
		for (Participation participation : this.participations.values()) {
			ElectionState state = participation.state();
			participation.apply(participation.protocol().lookBy(state, this.nextUnclear), now);
		}
		this.onChange.run();
	}

	private Duration shortestPollInterval() {
		return this.participations.values()
			.stream()
			.map((participation) -> participation.protocol().settings().pollInterval())
			.min(Comparator.naturalOrder())
			.orElse(LONGEST_SLEEP);
	}

	/** A change of a lease was pushed. */
	synchronized void noticed(Lease lease) {
		Participation participation = this.participations.get(lease.election());
		if (participation != null && participation.protocol().flaw(participation.state(), lease) != null) {
			noticedUnclear();
		}
		else if (participation != null) {
			Moment now = this.clock.now();
			participation.observed(now);
			participation.apply(participation.protocol().noticed(participation.state(), lease, this.pushed, now), now);
			this.onChange.run();
		}
	}

	/** The removal of a lease was pushed. */
	synchronized void removed(String election) {
		Participation participation = this.participations.get(election);
		if (participation != null) {
			Moment now = this.clock.now();
			participation.apply(participation.protocol().doubted(participation.state(), now), now);
			this.onChange.run();
		}
	}

	/**
	 * Return the store call that is due and most urgent, or {@code null} if there is
	 * none. To be performed and answered before the next is asked for.
	 */
	synchronized @Nullable StoreCall poll(Moment now) {
		this.lastTurn = now;
		this.calling = false;
		tick(now);
		StoreCall call = nextCall(now);
		this.calling = call != null;
		return call;
	}

	private @Nullable StoreCall nextCall(Moment now) {
		StoreCall beat = beat(now);
		if (beat != null) {
			return beat;
		}
		Map<Participation, Intent.Release> releases = new LinkedHashMap<>();
		Map<Participation, Intent.Take> takings = new LinkedHashMap<>();
		Map<Participation, Intent.Create> creations = new LinkedHashMap<>();
		Map<String, Intent.End> ends = new LinkedHashMap<>();
		Map<String, List<Participation>> orphans = new HashMap<>();
		boolean looks = false;
		for (Participation participation : this.participations.values()) {
			Intent intent = participation.intent(now);
			if (intent instanceof Intent.Look || looksOn(participation, now)) {
				looks = true;
			}
			else if (intent instanceof Intent.Release release) {
				releases.put(participation, release);
			}
			else if (intent instanceof Intent.Take take) {
				if (participation.heartbeat().belief() != null) {
					takings.put(participation, take);
				}
				else if (take.expected().isHeldBy(this.candidateId)) {
					// It can't lead, and nobody else could.
					participation.apply(
							Step.to(participation.protocol().giveBack(participation.state(), take.expected(), now)),
							now);
				}
			}
			else if (intent instanceof Intent.Create create) {
				creations.put(participation, create);
			}
			else if (intent instanceof Intent.End end) {
				ends.put(end.ended().id(), end);
				orphans.computeIfAbsent(end.ended().id(), (id) -> new ArrayList<>()).add(participation);
			}
			else if (intent instanceof Intent.Watch) {
				this.heartbeats.lookAfresh(participation.state().presentLease(), now);
			}
		}
		if (!releases.isEmpty()) {
			return this.calls.release(releases, callLimit(now), now);
		}
		if (!takings.isEmpty()) {
			return this.calls.take(takings, callLimit(now), now);
		}
		if (!ends.isEmpty()) {
			Intent.End end = ends.values().iterator().next();
			return this.calls.end(end, Objects.requireNonNull(orphans.get(end.ended().id())), callLimit(now), now);
		}
		if (!creations.isEmpty()) {
			return this.calls.create(creations, callLimit(now), now);
		}
		return looks ? lookAtAll(now) : watchOrTidyUp(now);
	}

	private @Nullable StoreCall watchOrTidyUp(Moment now) {
		StoreCall watch = watch(now);
		Heartbeat abandoned = (watch == null && isWatching()) ? this.heartbeats.abandoned(now) : null;
		return (abandoned != null) ? this.calls.tidyUp(abandoned, callLimit(now), now) : watch;
	}

	/** Keep this process alive, before anything else. */
	private @Nullable StoreCall beat(Moment now) {
		for (OwnHeartbeat own : this.heartbeats.own()) {
			HeartbeatIntent intent = isInUse(own) ? own.intent(now) : null;
			if (intent != null) {
				List<Participation> concerned = this.participations.values()
					.stream()
					.filter((each) -> each.heartbeat() == own)
					.toList();
				Belief belief = own.belief();
				Duration left = (belief != null) ? belief.remaining() : shortestOperationTimeout();
				return this.calls.beat(own, intent, concerned,
						longer(shorter(left, shortestOperationTimeout()), Duration.ofMillis(1)), now);
			}
		}
		return null;
	}

	/** Look at the heartbeats of those who lead. */
	private @Nullable StoreCall watch(Moment now) {
		if (!isWatching() || now.nanos() - this.heartbeats.nextLook() < 0) {
			return null;
		}
		Set<String> ids = new LinkedHashSet<>();
		List<Participation> concerned = new ArrayList<>();
		for (Participation participation : this.participations.values()) {
			if (isWatching(participation)) {
				concerned.add(participation);
				Lease lease = participation.isVouchedFor() ? null : participation.state().presentLease();
				String id = (lease != null && !lease.isHeldBy(this.candidateId)) ? lease.heartbeat() : null;
				if (id != null) {
					ids.add(id);
				}
			}
		}
		return this.calls.watch(ids, concerned, callLimit(now), now);
	}

	/** Who stands aside wants to know who leads all the same. */
	private boolean looksOn(Participation participation, Moment now) {
		ElectionState state = participation.state();
		return participation.isPaused() && state.isOver() && !this.closing && now.nanos() - state.nextLook() >= 0;
	}

	private StoreCall lookAtAll(Moment now) {
		List<Participation> watched = new ArrayList<>();
		for (Participation participation : this.participations.values()) {
			boolean due = participation.intent(now) instanceof Intent.Look;
			if (due || participation.protocol().mayGoAlong(participation.state(), now) || looksOn(participation, now)) {
				watched.add(participation);
			}
		}
		return this.calls.look(watched, callLimit(now), now);
	}

	/** Return the calls that are left to be made when all is over. */
	synchronized List<StoreCall> farewell(Moment now) {
		List<StoreCall> calls = new ArrayList<>();
		for (OwnHeartbeat own : this.heartbeats.own()) {
			Heartbeat entered = own.entered();
			if (entered != null) {
				own.end(LossReason.SHUTDOWN);
				calls.add(this.calls.leave(entered, callLimit(now), now));
			}
		}
		return calls;
	}

	/** The own heartbeat was answered. */
	void beaten(OwnHeartbeat own, boolean matched, Moment sentAt, Moment now) {
		boolean goesOn = own.beaten(matched, isBusy(own), sentAt, now);
		Throwable failure = null;
		for (Participation participation : this.participations.values()) {
			if (participation.heartbeat() == own && participation.isVouchedFor()) {
				try {
					participation.observed(now);
					if (!goesOn) {
						participation.apply(participation.protocol().orphaned(participation.state(), now), now);
					}
				}
				catch (Throwable ex) {
					failure = ex;
				}
			}
		}
		Failures.rethrow(failure);
	}

	/** The heartbeats of others were looked at. */
	void watched(Set<String> ids, HeartbeatReading reading, Moment sentAt, Moment now) {
		this.heartbeats.looked(ids, reading, sentAt, now);
		this.participations.values().forEach((each) -> each.observed(now));
	}

	/** Take notice of something that calls have brought. */
	void settle(Runnable notice) {
		synchronized (this) {
			notice.run();
		}
		this.onChange.run();
	}

	/** Take the step, which is over with the election if it was the last. */
	void apply(Participation participation, Step step, Moment now) {
		participation.apply(step, now);
		removeIfOver(participation);
	}

	/**
	 * Return what a call that is no beat may take: never so long that there would be no
	 * time left for one.
	 */
	synchronized Duration callLimit(Moment now) {
		Duration limit = shortestOperationTimeout();
		for (OwnHeartbeat own : this.heartbeats.own()) {
			Belief belief = own.belief();
			if (belief != null && isBusy(own)) {
				limit = shorter(limit, Duration.ofNanos((belief.deadline().nanos() - now.nanos()) / 2));
			}
		}
		return longer(limit, Duration.ofMillis(1));
	}

	/**
	 * All elections share one thread for their calls: none may hold it up for longer than
	 * the most impatient of them can bear.
	 */
	private Duration shortestOperationTimeout() {
		return this.participations.values()
			.stream()
			.map((participation) -> participation.protocol().settings().operationTimeout())
			.min(Comparator.naturalOrder())
			.orElse(LONGEST_SLEEP);
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/** Makes the part of this process in an election. */
	@FunctionalInterface
	interface Parts {

		Participation create(Elections elections, String election, ElectionProtocol protocol, OwnHeartbeat heartbeat,
				Moment now);

	}

	/** Makes what decides. */
	interface Protocols {

		default HeartbeatProtocol heartbeat(String candidateId, Rhythm rhythm) {
			return new HeartbeatProtocol(candidateId, rhythm);
		}

		default ElectionProtocol election(String candidateId, ElectionSettings settings, HeartbeatProtocol lives) {
			return new ElectionProtocol(candidateId, settings, lives);
		}

	}

}
