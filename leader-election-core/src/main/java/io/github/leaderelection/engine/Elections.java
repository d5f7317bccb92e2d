package io.github.leaderelection.engine;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.ElectionProtocol.Transition;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.TermState.Phase;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * All elections of this process: keeps one {@link Participation} each, and the one lock
 * under which any of them changes.
 * <p>
 * Has no thread of its own and never blocks: {@link ElectionEngine} asks for the
 * {@linkplain #poll next call}, makes it, and lets the {@linkplain #tick time} pass. Safe
 * for use by any thread; no code of the user runs under its lock.
 */
final class Elections {

	private static final EngineLog log = EngineLog.of(Elections.class);

	private final Map<String, Participation> participations = new ConcurrentHashMap<>();

	private final Agenda agenda = new Agenda();

	private final PastElections past = new PastElections();

	private final EngineContext context;

	private final StoreCalls calls;

	private final Sessions sessions;

	private final Function<String, ElectionSettings> settings;

	private final Protocols protocols;

	private final Parts parts;

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
	 */
	Elections(EngineContext context, Function<String, ElectionSettings> settings) {
		this(context, settings, new Protocols() {
		}, Participation::new);
	}

	/**
	 * Create an empty set of elections.
	 * @param protocols what decides for this process
	 * @param parts makes the part of this process in an election
	 */
	Elections(EngineContext context, Function<String, ElectionSettings> settings, Protocols protocols, Parts parts) {
		String candidateId = context.candidateId();
		this.context = context;
		this.settings = settings;
		this.protocols = protocols;
		this.parts = parts;
		this.calls = new StoreCalls(this, context);
		this.sessions = new Sessions(candidateId, (rhythm) -> protocols.session(candidateId, rhythm),
				protocols::sessionNumber, context.clock());
		this.nextUnclear = context.now().nanos();
	}

	Sessions sessions() {
		return this.sessions;
	}

	Set<String> names() {
		return Set.copyOf(this.participations.keySet());
	}

	/** Return the elections that are read again and again. */
	Set<String> inUse() {
		return this.participations.values()
			.stream()
			.map(Participation::state)
			.filter((state) -> state.standing() || state.term() != null)
			.map(ElectionState::election)
			.collect(Collectors.toSet());
	}

	/** Return the elections in which this process stands aside, whatever others do. */
	Set<String> paused() {
		return this.participations.values()
			.stream()
			.filter(Participation::isPausedHere)
			.map((participation) -> participation.state().election())
			.collect(Collectors.toUnmodifiableSet());
	}

	Collection<Participation> all() {
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
		Moment now = this.context.now();
		this.participations.values().forEach((participation) -> participation.observation().expectNext(now));
		this.lastTurn = now;
	}

	/** Tell how this process fares in each election. */
	List<ElectionStatus> status(Moment now) {
		return this.participations.values().stream().map((each) -> status(each, now)).toList();
	}

	private ElectionStatus status(Participation participation, Moment now) {
		ElectionState known = participation.state();
		return new StatusReport(participation, known, holder(known), this.lastTurn, now).status();
	}

	private synchronized @Nullable SessionSighting holder(ElectionState state) {
		return this.sessions.of(state.presentLease());
	}

	private CallPlan plan(Moment now) {
		return new CallPlan(this.context, this.participations.values(), this.agenda, this.sessions, this.calls,
				this.closing, now);
	}

	// What this process does

	synchronized void stand(String election) {
		boolean joins = !this.participations.containsKey(election);
		participate(election).pin();
		this.context.wake().run();
		logJoined(joins, election);
	}

	void register(Candidate candidate) {
		register(candidate, candidate.election());
	}

	private synchronized void register(Candidate candidate, String election) {
		Participation existing = this.participations.get(election);
		if (existing != null && existing.candidates().find(candidate) != null) {
			throw new IllegalArgumentException(
					"This candidate is registered in election '%s' already".formatted(election));
		}
		participate(election).add(candidate);
		this.context.wake().run();
		logJoined(existing == null, election);
	}

	/** Those that are joined before the start are told of with the start. */
	private void logJoined(boolean joins, String election) {
		if (joins && this.lastTurn != null) {
			log(election, "Standing in election '{}' as well");
		}
	}

	private void log(String election, String line) {
		log.tell((logger) -> LogLines
			.about(election, this.context.candidateId(), logger.atLevel(this.context.level(Level.INFO)))
			.log(line, election));
	}

	private Participation participate(String election) {
		if (this.closing) {
			throw new IllegalStateException(
					"Can't stand in election '%s': leader election has been shut down".formatted(election));
		}
		Moment now = this.context.now();
		Participation participation = this.participations.get(election);
		if (participation == null) {
			ElectionNames.requireValid(election);
			ElectionSettings chosen = this.settings.apply(election);
			OwnSession session = this.sessions.join(chosen);
			participation = this.parts.create(this.context, election,
					this.protocols.election(this.context.candidateId(), chosen, session.protocol()), session, now);
			PastElections.Past before = this.past.recall(election);
			if (before != null) {
				participation.recall(before, now);
			}
			this.participations.put(election, participation);
			Participation joined = participation;
			joined.onChange(() -> this.agenda.rouse(joined), () -> this.agenda.wake(joined));
			joined.attend();
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
			participation.move(ElectionProtocol::stand, now);
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
			withdraw(participation, LossReason.SHUTDOWN, this.context.now());
		}
		this.context.wake().run();
		return true;
	}

	boolean resign(String election) {
		return resign(election, null);
	}

	synchronized boolean resign(String election, @Nullable String successor) {
		Participation participation = get(election);
		Moment now = this.context.now();
		boolean leads = participation.state().isIn(Phase.LEADING);
		participation.move((protocol, state, then) -> protocol.resign(state, LossReason.RESIGNED, successor, then),
				now);
		this.context.wake().run();
		return leads;
	}

	/**
	 * Hand over this term if it is led, as after {@link #resign}. Noted at once: what
	 * fails is done with the next tick, and nobody is told any more that the term began.
	 */
	void giveUp(Term term) {
		term.giveUp();
		synchronized (this) {
			Participation participation = this.participations.get(term.election());
			if (participation != null) {
				participation.fulfil();
			}
		}
		this.context.wake().run();
	}

	/** Withdraw from the election, but stay registered. */
	synchronized void pause(String election) {
		Participation participation = get(election);
		boolean before = participation.isPausedHere();
		// From here on time brings it about.
		participation.setPaused(true);
		withdraw(participation, LossReason.RESIGNED, this.context.now());
		this.context.wake().run();
		if (!before) {
			log(election, "Paused: this instance stands aside in '{}' until resumed");
		}
	}

	synchronized void resume(String election) {
		Participation participation = get(election);
		boolean before = participation.isPausedHere();
		participation.setPaused(false);
		if (participation.isWanted()) {
			standIfWanted(participation, this.context.now());
		}
		this.context.wake().run();
		if (before) {
			log(election, "Resumed: this instance stands in '{}' again");
		}
	}

	/** Take no further lease, and let those who work for a term know that it ends. */
	synchronized void prepareClose() {
		this.leaving = true;
		Moment now = this.context.now();
		forEach((participation) -> participation.prepareClose(now));
	}

	/** Return the threads that are inside gated calls and callbacks of candidates. */
	synchronized Set<Thread> callers() {
		Set<Thread> callers = new HashSet<>();
		this.participations.values().forEach((participation) -> participation.addCallers(callers));
		return callers;
	}

	/** Return the gated calls that are waited for, and how long each has taken. */
	synchronized List<String> callsInFlight(Moment now) {
		return this.participations.values()
			.stream()
			.map(Participation::term)
			.filter(Objects::nonNull)
			.flatMap((term) -> term.calls().describe(now.nanos()).stream())
			.toList();
	}

	/** Wait no longer for what these threads are in: they wait for this to close. */
	synchronized void leaveBehind(Set<Thread> threads) {
		forEach((participation) -> participation.leaveBehind(threads));
	}

	/** Withdraw from all elections, and accept no new ones. */
	synchronized void close() {
		// Whatever fails from here on: time brings it about.
		this.closing = true;
		this.context.wake().run();
		Moment now = this.context.now();
		forEach((participation) -> withdraw(participation, LossReason.SHUTDOWN, now));
	}

	/** Do this in each election, whatever becomes of the others. */
	private void forEach(Consumer<Participation> action) {
		try {
			Suppressed.forEach(this.participations.values(), (participation) -> {
				participation.attend();
				action.accept(participation);
			});
		}
		finally {
			this.context.wake().run();
		}
	}

	/** Stand where this process wants to stand, and nowhere else. */
	private void standOrWithdraw(Participation participation, Moment now) {
		boolean wanted = participation.isWanted() && !this.closing;
		// While the context begins to close it leads on, and stands no more.
		boolean leads = participation.state().isIn(Phase.LEADING);
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
		move(participation, (protocol, state, then) -> protocol.withdraw(state, reason, then), now);
	}

	private void removeIfOver(Participation participation) {
		ElectionState state = participation.state();
		if (!state.isOver() || participation.isWanted() || !participation.isQuiet() || this.calling || this.closing) {
			return;
		}
		this.agenda.remove(participation);
		// Whoever has come back has another part in it since.
		if (this.participations.remove(state.election(), participation)) {
			if (!this.context.ephemeral()) {
				this.past.remember(state, participation.isPausedHere(), this.context.now());
			}
			log(state.election(), "No longer standing in election '{}'");
		}
	}

	/** Return how many processes were seen to come. */
	synchronized long arrivals() {
		return this.sessions.arrivals();
	}

	/** Return the candidates that were seen to live, and live no more. */
	synchronized Set<String> gone(Moment now) {
		return this.sessions.gone(now);
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
		boolean idle = state.term() == null || state.isIn(Phase.RELEASING) || state.isIn(Phase.LEFT);
		return state.isOver() || (!state.standing() && idle && participation.session().belief() == null);
	}

	// What time and the store bring

	/**
	 * Let the time pass: end terms whose deadline has come, go on with what was waited
	 * for, and try again what has failed.
	 */
	synchronized void tick(Moment now) {
		Suppressed.forEach(this.agenda.awake(now), (participation) -> {
			if (this.participations.get(participation.state().election()) != participation) {
				// Work or a callback has ended there after it was left.
				this.agenda.remove(participation);
				return;
			}
			standOrWithdraw(participation, now);
			participation.retryCallbacks();
			participation.fulfil();
			move(participation, ElectionProtocol::tick, now);
		});
	}

	/**
	 * Return the monotonic time at which to {@link #poll} again unless something changes
	 * before.
	 */
	synchronized long pollAt(Moment now) {
		return plan(now).nextAt();
	}

	/**
	 * Return the monotonic time at which to {@link #tick} again unless something changes
	 * before. Whether a call is due plays no part: it may be under way.
	 */
	synchronized long tickAt(Moment now) {
		return plan(now).tickAt();
	}

	/**
	 * Return whether a call that was answered leaves open whether this process can take
	 * part in the election: it can't renew its session, or the lease needs to be changed,
	 * and was not.
	 */
	synchronized boolean leavesOpen(StoreOperation answered, String election, Moment now) {
		Participation participation = this.participations.get(election);
		if (participation == null) {
			return false;
		}
		boolean unchanged = !answered.isChange()
				&& (participation.setbacks().number() > 0 || plan(now).needsChange(participation));
		return unchanged || participation.session().isFailing();
	}

	/**
	 * Changes are pushed from now on, or no longer: look at everything once, at what is
	 * held too. A removal may have been missed, or may be why the watch has ended.
	 */
	synchronized void setPushed(boolean pushed) {
		this.pushed = pushed;
		Moment now = this.context.now();
		this.participations.values().forEach((participation) -> participation.move(ElectionProtocol::doubted, now));
		this.context.wake().run();
	}

	boolean isPushed() {
		return this.pushed;
	}

	synchronized void lookAgain() {
		Moment now = this.context.now();
		this.participations.values().forEach((participation) -> participation.move(ElectionProtocol::lookAgain, now));
		this.context.wake().run();
	}

	/**
	 * A change was pushed that can't be told: look again at once, but not again and again
	 * if there are many. Nobody knows whose they are.
	 */
	synchronized void noticedUnclear() {
		Moment now = this.context.now();
		if (now.nanos() - this.nextUnclear >= 0) {
			this.nextUnclear = now.plus(shortestPollInterval()).nanos();
			lookAgain();
			return;
		}
		Transition look = (protocol, state, then) -> protocol.lookBy(state, this.nextUnclear);
		this.participations.values().forEach((participation) -> participation.move(look, now));
		this.context.wake().run();
	}

	private Duration shortestPollInterval() {
		return this.participations.values()
			.stream()
			.map((participation) -> participation.protocol().settings().pollInterval())
			.min(Comparator.naturalOrder())
			.orElse(Duration.ofSeconds(1));
	}

	/** A change of a lease was pushed. */
	synchronized void noticed(Lease lease) {
		Participation participation = this.participations.get(lease.election());
		if (participation != null && participation.protocol().flaw(participation.state(), lease) != null) {
			noticedUnclear();
		}
		else if (participation != null) {
			Moment now = this.context.now();
			participation.observation().observed(now);
			participation.move((protocol, state, then) -> protocol.noticed(state, lease, this.pushed, then), now);
			this.context.wake().run();
			heed(participation, lease, now, now);
		}
	}

	/**
	 * Stand aside if the lease says that nobody may lead, or no longer, and do what its
	 * holder is asked for, if that is this process. What has been overtaken by a change
	 * of the lease is not heeded: it may have been resumed and taken since. Nor is a look
	 * that was under way when something else has shown that the election is paused, or is
	 * resumed.
	 * @param lease the lease, {@code null} if there is none
	 * @param shownAt before this was looked at, or when it was pushed
	 */
	void heed(Participation participation, @Nullable Lease lease, Moment shownAt, Moment now) {
		if (lease != null && isOvertaken(participation.state(), lease)) {
			return;
		}
		if (!participation.hasSuspendedSince(shownAt)) {
			suspend(participation, lease != null && lease.paused(), shownAt, now);
		}
		if (lease != null) {
			handOverIfAsked(participation, lease, now);
		}
	}

	private static boolean isOvertaken(ElectionState state, Lease lease) {
		TermState term = state.term();
		Lease known = (term != null) ? term.lease() : state.presentLease();
		return known != null && known.revision() > lease.revision() && known.term() >= lease.term();
	}

	private void suspend(Participation participation, boolean suspended, Moment shownAt, Moment now) {
		if (participation.isSuspended() == suspended) {
			return;
		}
		participation.setSuspended(suspended, shownAt);
		String election = participation.state().election();
		if (suspended) {
			withdraw(participation, LossReason.RESIGNED, now);
		}
		else if (participation.isWanted()) {
			standIfWanted(participation, now);
		}
		this.context.wake().run();
		log(election,
				suspended ? "Election '{}' is paused: nobody leads until it is resumed" : "Election '{}' is resumed");
	}

	/** Let nobody lead, or take that back. Blocks for one call of the store. */
	boolean suspend(String election, boolean suspended) {
		Participation participation = get(election);
		boolean changed = this.context.store()
			.pause(election, suspended, participation.protocol().settings().operationTimeout());
		if (changed) {
			takeNotice(() -> participation.move(ElectionProtocol::doubted, this.context.now()));
			log(election, suspended ? "Election '{}' was paused through this instance, for all instances"
					: "Election '{}' was resumed through this instance, for all instances");
		}
		return changed;
	}

	private void handOverIfAsked(Participation participation, Lease lease, Moment now) {
		if (lease.request() == null || !participation.state().isIn(Phase.LEADING)) {
			return;
		}
		participation.move((protocol, state, then) -> protocol.asked(state, lease, then), now);
		this.context.wake().run();
	}

	/**
	 * Ask whoever else leads to hand over. Blocks for one call of the store.
	 * @return the lease that this was stored in, {@code null} if nobody else leads as far
	 * as is known, or no longer
	 */
	@Nullable Lease ask(String election, @Nullable String successor) {
		Participation participation = get(election);
		Lease lease = participation.state().presentLease();
		if (lease == null || lease.isVacant() || lease.isHeldBy(this.context.candidateId())) {
			return null;
		}
		HandoverRequest request = new HandoverRequest(lease.term(), successor, this.context.candidateId());
		boolean left = this.context.store().ask(lease, request, participation.protocol().settings().operationTimeout());
		return left ? lease : null;
	}

	/** The removal of a lease was pushed. */
	synchronized void removed(String election) {
		Participation participation = this.participations.get(election);
		if (participation != null) {
			Moment now = this.context.now();
			participation.move(ElectionProtocol::doubted, now);
			this.context.wake().run();
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
		tellBlocked(now);
		CallPlan plan = plan(now);
		StoreCall call = plan.next();
		this.calling = call != null;
		plan.sleep();
		return call;
	}

	private void tellBlocked(Moment now) {
		Suppressed.forEach(this.agenda.present(), (participation) -> {
			if (participation.contends()) {
				SessionSighting holder = this.sessions.of(participation.state().presentLease());
				if (participation.protocol().isBlocked(participation.state(), holder, now)) {
					participation.tellBlocked();
				}
			}
		});
	}

	/** Return the calls that are left to be made when all is over. */
	synchronized List<StoreCall> farewell(Moment now) {
		return plan(now).farewell();
	}

	/** A renewal of an own session was answered. */
	void renewed(OwnSession own, boolean done, Moment sentAt, Moment now) {
		own.renewed(done, interval(own, sentAt, now), now);
		if (done) {
			observe(own, now);
		}
	}

	/** An own session was read. */
	void read(OwnSession own, @Nullable Session stored, Moment sentAt, Moment now) {
		boolean goesOn = own.read(stored, interval(own, sentAt, now), now);
		observe(own, now);
		if (!goesOn) {
			vouchedFor(own, (participation) -> participation.move(ElectionProtocol::orphaned, now));
		}
	}

	private Duration interval(OwnSession own, Moment sentAt, Moment now) {
		return this.sessions.interval(own, plan(now).isBusy(own), sentAt);
	}

	private void observe(OwnSession own, Moment now) {
		vouchedFor(own, (participation) -> participation.observation().observed(now));
	}

	private void vouchedFor(OwnSession own, Consumer<Participation> action) {
		Suppressed.forEach(this.participations.values(), (participation) -> {
			if (participation.session() == own && participation.isVouchedFor()) {
				action.accept(participation);
			}
		});
	}

	/** The sessions of others were looked at. */
	void watched(Set<String> ids, boolean others, SessionReading reading, Moment sentAt, Moment now) {
		this.sessions.looked(ids, others, reading, sentAt, now);
		Suppressed.forEach(this.participations.values(), (participation) -> {
			participation.observation().observed(now);
			SessionSighting holder = this.sessions.of(participation.state().presentLease());
			if (participation.protocol().isBlocked(participation.state(), holder, now)) {
				// Who holds it lives: nothing is to be changed that could fail again.
				participation.setbacks().forget();
			}
			if (holder != null && holder.freeAt() - now.nanos() > 0) {
				// Whoever has ended the session has taken it by then, with many others.
				participation.move((protocol, state, then) -> protocol.lookBy(state, holder.freeAt()), now);
			}
		});
	}

	/** Take notice of something that calls have brought. */
	void takeNotice(Runnable notice) {
		synchronized (this) {
			notice.run();
		}
		this.context.wake().run();
	}

	/** Let the state change, and be done with the election if that was the last of it. */
	void move(Participation participation, Transition transition, Moment now) {
		participation.move(transition, now);
		removeIfOver(participation);
	}

	/**
	 * Return what a call that is no renewal may take: never so long that there would be
	 * no time left for one.
	 */
	synchronized Duration callLimit(Moment now) {
		return plan(now).callLimit();
	}

	/** Makes the part of this process in an election. */
	@FunctionalInterface
	interface Parts {

		Participation create(EngineContext context, String election, ElectionProtocol protocol, OwnSession session,
				Moment now);

	}

	/** Makes what decides. */
	interface Protocols {

		/** Instances that are started at the same time must not have the same numbers. */
		SecureRandom RANDOM = new SecureRandom();

		default SessionProtocol session(String candidateId, Rhythm rhythm) {
			return new SessionProtocol(candidateId, rhythm);
		}

		/** Return a number that no session of this candidate ever had. */
		default long sessionNumber() {
			return RANDOM.nextLong(Session.MAX_NUMBER) + 1;
		}

		default ElectionProtocol election(String candidateId, ElectionSettings settings, SessionProtocol lives) {
			return new ElectionProtocol(candidateId, settings, lives);
		}

	}

}
