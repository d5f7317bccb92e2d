package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

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

	private final Map<String, Participation> participations = new ConcurrentHashMap<>();

	private final Queue<Consumer<Moment>> inbox = new ConcurrentLinkedQueue<>();

	private final String candidateId;

	private final StoreCalls calls;

	private final Function<String, ElectionProtocol> protocols;

	private final Executor threads;

	private final List<ElectionListener> listeners;

	private final EngineObservers observers;

	private final EngineClock clock;

	private final Runnable onChange;

	private volatile boolean pushed;

	/** Whether a call is under way, whose answer may concern any election. */
	private boolean calling;

	private boolean closing;

	/**
	 * Create an empty set of elections.
	 * @param protocols what decides for this process in an election, asked for once when
	 * it begins to stand in it
	 * @param onChange called when the next call or wake-up may have changed, by any
	 * thread; must not block
	 */
	Elections(String candidateId, LeaseStore store, Function<String, ElectionProtocol> protocols, Executor threads,
			List<ElectionListener> listeners, EngineClock clock, Runnable onChange) {
		this.candidateId = candidateId;
		this.calls = new StoreCalls(this, store);
		this.protocols = protocols;
		this.threads = threads;
		this.listeners = List.copyOf(listeners);
		this.observers = new EngineObservers(listeners, clock);
		this.clock = clock;
		this.onChange = onChange;
	}

	String candidateId() {
		return this.candidateId;
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

	/** Do something under the lock, soon. May be called with any lock held. */
	void post(Consumer<Moment> action) {
		this.inbox.add(action);
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
			participation = new Participation(this, election, this.protocols.apply(election), now);
			this.participations.put(election, participation);
		}
		else {
			standIfWanted(participation, now);
		}
		return participation;
	}

	private void standIfWanted(Participation participation, Moment now) {
		if (!participation.isPaused() && !participation.state().standing() && !this.closing) {
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

	/** Withdraw from all elections, and accept no new ones. */
	synchronized void close() {
		this.closing = true;
		Moment now = this.clock.now();
		for (Participation participation : this.participations.values()) {
			withdraw(participation, LossReason.SHUTDOWN, now);
		}
		this.onChange.run();
	}

	private void withdraw(Participation participation, LossReason reason, Moment now) {
		participation.apply(participation.protocol().withdraw(participation.state(), reason, now), now);
		removeIfOver(participation);
	}

	private void removeIfOver(Participation participation) {
		if (participation.state().isOver() && !participation.isWanted() && !this.calling && !this.closing) {
			this.participations.remove(participation.state().election());
		}
	}

	/** Return whether this process has withdrawn from everything and holds nothing. */
	synchronized boolean areOver() {
		return this.inbox.isEmpty() && this.participations.values().stream().allMatch((each) -> each.state().isOver());
	}

	// What time and the store bring

	/**
	 * Let the time pass: end terms whose deadline has come.
	 */
	synchronized void tick(Moment now) {
		settleInbox();
		for (Participation participation : this.participations.values()) {
			Term term = participation.term();
			ElectionState state = participation.state();
			if (term != null && term.lossReason().filter(LossReason.EXPIRED::equals).isPresent()) {
				// It may have asked a clock after the caller did.
				Moment lapsed = this.clock.now();
				participation.apply(participation.protocol().lapsed(state, term.term(), lapsed), lapsed);
			}
			participation.apply(participation.protocol().tick(participation.state(), now), now);
			participation.retryCallbacks();
			removeIfOver(participation);
		}
	}

	/**
	 * Return the monotonic time at which to {@link #poll} again unless something changes
	 * before.
	 */
	synchronized long pollAt(Moment now) {
		return earliest(now, (participation) -> participation.protocol().wakeAt(participation.state(), now));
	}

	/**
	 * Return the monotonic time at which to {@link #tick} again unless something changes
	 * before. Whether a call is due plays no part: it may be under way.
	 */
	synchronized long tickAt(Moment now) {
		return earliest(now, (participation) -> participation.protocol().tickAt(participation.state(), now));
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

	/** Changes are pushed from now on, or no longer: look at everything once. */
	synchronized void setPushed(boolean pushed) {
		this.pushed = pushed;
		lookAgain();
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

	/** A change of a lease was pushed. */
	synchronized void noticed(Lease lease) {
		Participation participation = this.participations.get(lease.election());
		if (participation != null) {
			Moment now = this.clock.now();
			participation.observed(now);
			participation.apply(participation.protocol().noticed(participation.state(), lease, now), now);
			this.onChange.run();
		}
	}

	/**
	 * Return the store call that is due and most urgent, or {@code null} if there is
	 * none. To be performed and answered before the next is asked for.
	 */
	synchronized @Nullable StoreCall poll(Moment now) {
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
				return renewAll(now);
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

	private StoreCall renewAll(Moment now) {
		List<Participation> held = new ArrayList<>();
		Duration left = Duration.ofMillis(1);
		for (Participation participation : this.participations.values()) {
			Tenure tenure = participation.state().tenure();
			if (tenure != null && tenure.isRenewed()
					&& participation.protocol().mayGoAlong(participation.state(), now)) {
				held.add(participation);
				left = longer(left, Duration.ofNanos(tenure.deadline().nanos() - now.nanos()));
			}
		}
		return this.calls.renew(held, shorter(left, shortestOperationTimeout()), now);
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

	private void settleInbox() {
		Consumer<Moment> action = this.inbox.poll();
		while (action != null) {
			// It may have come after the caller looked at the clock.
			action.accept(this.clock.now());
			action = this.inbox.poll();
		}
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

}
