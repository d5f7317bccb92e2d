package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

	private final UnaryOperator<String> leaseIds;

	private final Function<String, ElectionProtocol> protocols;

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
	 * @param protocols what decides for this process in an election, asked for once when
	 * it begins to stand in it
	 * @param onChange called when the next call or wake-up may have changed, by any
	 * thread; must not block
	 */
	Elections(String candidateId, LeaseStore store, Function<String, ElectionProtocol> protocols, Executor threads,
			List<ElectionListener> listeners, EngineClock clock, Runnable onChange) {
		this(candidateId, store, protocols, Participation::new, threads, listeners, clock, onChange);
	}

	/**
	 * Create an empty set of elections.
	 * @param parts makes the part of this process in an election
	 */
	Elections(String candidateId, LeaseStore store, Function<String, ElectionProtocol> protocols, Parts parts,
			Executor threads, List<ElectionListener> listeners, EngineClock clock, Runnable onChange) {
		this.candidateId = candidateId;
		this.leaseIds = store::leaseId;
		this.calls = new StoreCalls(this, store);
		this.protocols = protocols;
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
			participation = this.parts.create(this, election, this.protocols.apply(election), now);
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

	/** Return whether this process has withdrawn from everything and holds nothing. */
	synchronized boolean areOver() {
		return this.participations.values().stream().allMatch((each) -> each.state().isOver());
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
		return earliest(now, (participation) -> participation.owes() ? now.plus(RETRY).nanos()
				: participation.protocol().wakeAt(participation.state(), now));
	}

	/**
	 * Return the monotonic time at which to {@link #tick} again unless something changes
	 * before. Whether a call is due plays no part: it may be under way.
	 */
	synchronized long tickAt(Moment now) {
		return earliest(now, (participation) -> participation.owes() ? now.plus(RETRY).nanos()
				: participation.protocol().tickAt(participation.state(), now));
	}

	private long earliest(Moment now, ToLongFunction<Participation> time) {
		long earliest = now.plus(LONGEST_SLEEP).nanos();
		for (Participation participation : this.participations.values()) {
			long at = time.applyAsLong(participation);
			earliest = (at - earliest < 0) ? at : earliest;
		}
		return earliest;
	}

	/** Return whether the election needs its lease to be changed: reading won't do. */
	synchronized boolean needsChange(String election, Moment now) {
		Participation participation = this.participations.get(election);
		return participation != null && participation.protocol().needsChange(participation.state(), now);
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
			participation.apply(participation.protocol().noticed(participation.state(), lease, now), now);
			participation.expectNext(now);
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
		Map<Participation, Intent.Release> releases = new LinkedHashMap<>();
		Map<Participation, Intent.Take> takings = new LinkedHashMap<>();
		Map<Participation, Intent.Create> creations = new LinkedHashMap<>();
		boolean looks = false;
		for (Participation participation : this.participations.values()) {
			Intent intent = participation.protocol().intent(participation.state(), now);
			if (intent instanceof Intent.Renew) {
				StoreCall renewal = participation.isLed() ? renewAll(now) : null;
				if (renewal != null) {
					return renewal;
				}
			}
			if (intent instanceof Intent.Look || looksOn(participation, now)) {
				looks = true;
			}
			else if (intent instanceof Intent.Release release) {
				releases.put(participation, release);
			}
			else if (intent instanceof Intent.Take take) {
				takings.put(participation, take);
			}
			else if (intent instanceof Intent.Create create) {
				creations.put(participation, create);
			}
		}
		if (!releases.isEmpty()) {
			return this.calls.release(releases, callLimit(now), now);
		}
		if (!takings.isEmpty()) {
			return this.calls.take(takings, callLimit(now), now);
		}
		if (!creations.isEmpty()) {
			return this.calls.create(creations, callLimit(now), now);
		}
		return looks ? lookAtAll(now) : null;
	}

	/** Who stands aside wants to know who leads all the same. */
	private boolean looksOn(Participation participation, Moment now) {
		ElectionState state = participation.state();
		return participation.isPaused() && state.isOver() && !this.closing && now.nanos() - state.nextLook() >= 0;
	}

	/** Renew what is led, and nothing that is merely held. */
	private @Nullable StoreCall renewAll(Moment now) {
		List<Participation> held = new ArrayList<>();
		Duration left = Duration.ofMillis(1);
		for (Participation participation : this.participations.values()) {
			Tenure tenure = participation.state().tenure();
			if (tenure != null && participation.isLed()
					&& participation.protocol().mayGoAlong(participation.state(), now)) {
				held.add(participation);
				left = longer(left, Duration.ofNanos(tenure.deadline().nanos() - now.nanos()));
			}
		}
		return held.isEmpty() ? null : this.calls.renew(held, shorter(left, shortestOperationTimeout()), now);
	}

	private StoreCall lookAtAll(Moment now) {
		List<Participation> watched = new ArrayList<>();
		for (Participation participation : this.participations.values()) {
			Tenure tenure = participation.state().tenure();
			boolean along = (tenure == null || !tenure.isRenewed())
					&& participation.protocol().mayGoAlong(participation.state(), now);
			if (along || looksOn(participation, now)) {
				watched.add(participation);
			}
		}
		return this.calls.look(watched, callLimit(now), now);
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
	 * Return what a call that serves no held lease may take: never so long that the held
	 * ones could not be renewed in time.
	 */
	synchronized Duration callLimit(Moment now) {
		Duration limit = shortestOperationTimeout();
		for (Participation participation : this.participations.values()) {
			Tenure tenure = participation.state().tenure();
			if (tenure != null && tenure.isRenewed()) {
				limit = shorter(limit, Duration.ofNanos((tenure.deadline().nanos() - now.nanos()) / 2));
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

		Participation create(Elections elections, String election, ElectionProtocol protocol, Moment now);

	}

}
