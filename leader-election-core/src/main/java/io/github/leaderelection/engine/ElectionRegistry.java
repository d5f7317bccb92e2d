package io.github.leaderelection.engine;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.ElectionMember.Closing;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.protocol.ElectionEvent;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.protocol.TermState.Phase;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * The elections of this process by name, one {@link ElectionMember} each, and the one
 * lock under which all of them change.
 * <p>
 * Carries out what this process itself wants. {@link EventLoop} drives the elections as
 * time passes, and {@link Answers} handles what is learned from the store. Safe for use
 * by any thread; no user code runs under the lock.
 */
final class ElectionRegistry {

	private static final EngineLog log = EngineLog.of(ElectionRegistry.class);

	private final Map<String, ElectionMember> members = new ConcurrentHashMap<>();

	private final Agenda<ElectionMember> agenda = new Agenda<>();

	private final PastElections past = new PastElections();

	private final EngineContext context;

	private final Sessions sessions;

	private final Function<String, ElectionSettings> settings;

	private final Protocols protocols;

	/** Of thousands of elections, most have the same timing: share it. */
	private final Map<ElectionSettings, Timing> timings = new HashMap<>();

	/** When the last turn began. */
	private volatile @Nullable Moment lastTurn;

	/** Whether a call is under way, whose answer can concern any election. */
	private boolean calling;

	private Closing closing = Closing.NOT_YET;

	/** The names of all elections, {@code null} if they have changed. */
	private @Nullable Set<String> names;

	/** The elections that are paused here, {@code null} if they have changed. */
	private @Nullable Set<String> paused;

	/**
	 * Create an empty registry.
	 * @param settings the settings of each election, asked for once when this process
	 * becomes a member
	 */
	ElectionRegistry(EngineContext context, Function<String, ElectionSettings> settings) {
		this(context, settings, new Protocols() {
		});
	}

	/**
	 * Create an empty registry.
	 * @param protocols creates the protocols and members
	 */
	ElectionRegistry(EngineContext context, Function<String, ElectionSettings> settings, Protocols protocols) {
		this.context = context;
		this.settings = settings;
		this.protocols = protocols;
		this.sessions = new Sessions(context.candidateId(),
				(timing) -> protocols.session(context.candidateId(), timing, protocols::sessionNumber),
				context.clock());
	}

	EngineContext context() {
		return this.context;
	}

	Sessions sessions() {
		return this.sessions;
	}

	Agenda<ElectionMember> agenda() {
		return this.agenda;
	}

	/** Return the names of all elections. Returns the same set until they change. */
	synchronized Set<String> names() {
		this.names = (this.names != null) ? this.names : names((member) -> true);
		return this.names;
	}

	/**
	 * Return the elections for which an operation is repeated within a poll interval. A
	 * lease that was pushed is not read again for a while.
	 */
	Set<String> inUse(StoreOperation repeated, Moment now) {
		return names((member) -> {
			ElectionState state = member.state();
			boolean soon = now.plus(member.settings().pollInterval()).isDue(state.nextRead());
			return state.term() != null || (state.stands() && (soon || repeated != StoreOperation.READ));
		});
	}

	private Set<String> names(Predicate<ElectionMember> which) {
		return this.members.values()
			.stream()
			.filter(which)
			.map(ElectionMember::election)
			.collect(Collectors.toUnmodifiableSet());
	}

	/**
	 * Return the elections in which this process itself is paused, whether or not they
	 * are paused for all. Returns the same set until they change.
	 */
	synchronized Set<String> paused() {
		this.paused = (this.paused != null) ? this.paused : names(ElectionMember::isPausedHere);
		return this.paused;
	}

	/** Forget the sets of names: they are out of date. */
	private void membersChanged() {
		this.names = null;
		this.paused = null;
	}

	Collection<ElectionMember> all() {
		return this.members.values();
	}

	/** Return the member, {@code null} if this process does not stand in the election. */
	@Nullable ElectionMember find(String election) {
		return this.members.get(election);
	}

	ElectionMember get(String election) {
		ElectionMember member = find(election);
		if (member == null) {
			throw new UnknownElectionException(election, names());
		}
		return member;
	}

	/** The engine starts: from now on there are turns. */
	synchronized void begin() {
		Moment now = this.context.now();
		this.members.values().forEach((member) -> member.freshness().expectNext(now));
		this.lastTurn = now;
	}

	/** Another turn begins: the last call was answered, or has failed. */
	void beginTurn(Moment now) {
		this.lastTurn = now;
		this.calling = false;
	}

	/** A call is under way from now on. */
	void beginCall() {
		this.calling = true;
	}

	/** Return the status of this process in each election. */
	List<ElectionStatus> status(Moment now) {
		return this.members.values().stream().map((each) -> status(each, now)).toList();
	}

	private ElectionStatus status(ElectionMember member, Moment now) {
		ElectionState known = member.state();
		return new StatusReport(member, known, member.term(), holder(known), this.lastTurn, now).status();
	}

	/** Return what was last seen of the session of the holder of the lease. */
	synchronized @Nullable Observation holder(ElectionState state) {
		return this.sessions.of(state.presentLease());
	}

	/**
	 * Return whether there is no use in waiting for now: the holder of the lease is
	 * alive, or nobody can tell who holds it.
	 */
	boolean isHeldElsewhere(ElectionMember member, Moment now) {
		ElectionState state = member.state();
		return member.protocol().isHeldElsewhere(state, holder(state), now);
	}

	/** Return the ids of the sessions that hold the leases this process follows. */
	Set<String> holders() {
		return this.members.values()
			.stream()
			.map(ElectionMember::watchedSession)
			.filter(Objects::nonNull)
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	// What this process wants

	synchronized void join(String election) {
		enter(election, ElectionMember::pin);
	}

	void register(Candidate candidate) {
		register(candidate, candidate.election());
	}

	private synchronized void register(Candidate candidate, String election) {
		ElectionMember existing = this.members.get(election);
		if (existing != null && existing.candidates().find(candidate) != null) {
			throw new IllegalArgumentException(
					"This candidate is registered in election '%s' already".formatted(election));
		}
		enter(election, (member) -> member.add(candidate));
	}

	private void enter(String election, Consumer<ElectionMember> how) {
		if (this.closing == Closing.CLOSED) {
			throw new IllegalStateException(
					"Can't stand in election '%s': leader election has been shut down".formatted(election));
		}
		ElectionMember existing = this.members.get(election);
		ElectionMember member = (existing != null) ? existing : create(election);
		how.accept(member);
		Moment now = this.context.now();
		if (existing != null) {
			// If this fails, the next tick completes it.
			member.attempts().attempt(() -> member.update(this.closing, now));
		}
		else {
			member.update(this.closing, now);
			this.members.put(election, member);
			membersChanged();
			member.attend();
			this.past.forget(election);
		}
		this.context.wake().run();
		// Elections that are joined before the start are logged with the start.
		if (existing == null && this.lastTurn != null) {
			log(election, "Standing in election '{}' as well");
		}
	}

	private void log(String election, String line) {
		log.tell((logger) -> LogLines
			.about(election, this.context.candidateId(), logger.atLevel(this.context.level(Level.INFO)))
			.log(line, election));
	}

	private ElectionMember create(String election) {
		ElectionNames.requireValid(election);
		ElectionSettings chosen = this.settings.apply(election);
		OwnSession session = this.sessions.join(chosen);
		return this.protocols.member(this.context, election, chosen,
				this.protocols.election(this.context.candidateId(),
						this.timings.computeIfAbsent(chosen, ElectionSettings::timing), session.protocol()),
				session, this.agenda, this.past.recall(election), this.context.now());
	}

	boolean unregister(Candidate candidate) {
		return unregister(candidate, candidate.election());
	}

	private synchronized boolean unregister(Candidate candidate, String election) {
		ElectionMember member = this.members.get(election);
		if (member == null || !member.remove(candidate)) {
			return false;
		}
		update(member, this.context.now());
		return true;
	}

	synchronized boolean resign(String election, @Nullable String successor) {
		ElectionMember member = get(election);
		boolean leads = member.state().isIn(Phase.LEADING);
		member.on(ElectionEvent.resigned(LossReason.RESIGNED, successor), this.context.now());
		this.context.wake().run();
		return leads;
	}

	/**
	 * Hand over this term if this process leads under it, as after {@link #resign}. Takes
	 * effect at once: the next tick completes what fails, and no further candidate or
	 * listener is told that the term began.
	 */
	void giveUp(Term term) {
		term.giveUp();
		synchronized (this) {
			ElectionMember member = this.members.get(term.election());
			if (member != null) {
				member.reconcile();
			}
		}
		this.context.wake().run();
	}

	/** Pause this process in the election, or resume it. It stays registered. */
	synchronized void pauseMember(String election, boolean paused) {
		ElectionMember member = get(election);
		boolean before = member.isPausedHere();
		// If anything below fails, the next tick completes it.
		membersChanged();
		member.pause(paused);
		update(member, this.context.now());
		if (before != paused) {
			log(election, paused ? "Paused: this instance does not lead '{}' until resumed"
					: "Resumed: this instance can lead '{}' again");
		}
	}

	/** Take no further lease, and tell work under each term that the term is ending. */
	synchronized void prepareClose() {
		if (this.closing == Closing.NOT_YET) {
			close(Closing.ABOUT_TO);
		}
	}

	/** Withdraw from all elections, and accept no new ones. */
	synchronized void close() {
		close(Closing.CLOSED);
	}

	synchronized boolean isClosed() {
		return this.closing == Closing.CLOSED;
	}

	/** Set how far closing is. If anything below fails, the next tick completes it. */
	private void close(Closing next) {
		this.closing = next;
		this.context.wake().run();
		Moment now = this.context.now();
		try {
			Suppressed.forEach(this.members.values(), (member) -> {
				member.attend();
				member.update(next, now);
			});
		}
		finally {
			this.context.wake().run();
		}
	}

	/** Return the gated calls in flight. */
	synchronized List<GatedCall> callsInFlight() {
		return this.members.values()
			.stream()
			.map(ElectionMember::term)
			.filter(Objects::nonNull)
			.flatMap((term) -> term.calls().inFlight().stream())
			.toList();
	}

	private void update(ElectionMember member, Moment now) {
		refresh(member, now);
		this.context.wake().run();
		removeIfOver(member);
	}

	/** Tell the member what this process wants. */
	void refresh(ElectionMember member, Moment now) {
		member.update(this.closing, now);
	}

	/** Remove the election if nothing is left to do there. */
	void removeIfOver(ElectionMember member) {
		ElectionState state = member.state();
		if (!state.isOver() || member.isWanted() || !member.isQuiet() || this.calling
				|| this.closing == Closing.CLOSED) {
			return;
		}
		this.agenda.remove(member);
		// If this process has joined again, another member is there, and stays.
		if (this.members.remove(state.election(), member)) {
			membersChanged();
			if (!this.context.ephemeral()) {
				this.past.remember(state, member.isPausedHere(), this.context.now());
			}
			log(state.election(), "No longer standing in election '{}'");
		}
	}

	/**
	 * Return whether this process has withdrawn from all elections and holds no lease, or
	 * only leases that it can't keep any longer, since their session is over.
	 */
	synchronized boolean areOver() {
		return this.members.values().stream().allMatch(ElectionRegistry::isOver);
	}

	private static boolean isOver(ElectionMember member) {
		ElectionState state = member.state();
		boolean idle = state.term() == null || state.isIn(Phase.RELEASING);
		return state.isOver() || (!state.follows() && idle && member.session().valid() == null);
	}

	// Requests to other processes

	/**
	 * Ask another process that leads to hand over. Blocks for one store call.
	 * @return the lease in which the request was stored, {@code null} if no other leader
	 * is known, or the lease has changed since
	 */
	@Nullable Lease requestHandover(String election, @Nullable String successor) {
		ElectionMember member = get(election);
		Lease lease = member.state().presentLease();
		if (lease == null || lease.isVacant() || member.isOwn(lease)) {
			return null;
		}
		HandoverRequest request = new HandoverRequest(lease.term(), successor, this.context.candidateId());
		return this.context.store().ask(lease.asking(request), member.settings().operationTimeout()) ? lease : null;
	}

	/** Pause the election for all processes, or resume it. Blocks for one store call. */
	boolean pauseElection(String election, boolean paused) {
		ElectionMember member = get(election);
		boolean changed = this.context.store().pause(election, paused, member.settings().operationTimeout());
		if (changed) {
			takeNotice(List.of(), () -> member.on(ElectionEvent.doubted(), this.context.now()));
			log(election, paused ? "Election '{}' was paused through this instance, for all instances"
					: "Election '{}' was resumed through this instance, for all instances");
		}
		return changed;
	}

	// What is learned

	/**
	 * Handle the outcome of a call under the lock, and give these elections attention.
	 */
	void takeNotice(Collection<ElectionMember> concerned, Runnable notice) {
		synchronized (this) {
			try {
				notice.run();
			}
			finally {
				concerned.forEach(ElectionMember::attend);
			}
		}
		this.context.wake().run();
	}

	/** Return how many sessions have been seen for the first time so far. */
	synchronized long sessionsSeen() {
		return this.sessions.sessionsSeen();
	}

	/** Return the candidates that were seen alive and are no longer. */
	synchronized Set<String> gone(Moment now) {
		return this.sessions.gone(now);
	}

	/** Creates the protocols and members. */
	interface Protocols {

		/** Secure, so that instances started at the same time draw different numbers. */
		SecureRandom RANDOM = new SecureRandom();

		default SessionProtocol session(String candidateId, Timing timing, LongSupplier numbers) {
			return new SessionProtocol(candidateId, timing, numbers);
		}

		/** Return a number that no session of this candidate ever had. */
		default long sessionNumber() {
			return RANDOM.nextLong(Session.MAX_NUMBER) + 1;
		}

		default ElectionProtocol election(String candidateId, Timing timing, SessionProtocol sessions) {
			return new ElectionProtocol(candidateId, timing, sessions);
		}

		default ElectionMember member(EngineContext context, String election, ElectionSettings settings,
				ElectionProtocol protocol, OwnSession session, Agenda<ElectionMember> agenda,
				PastElections.@Nullable Past past, Moment now) {
			return new ElectionMember(context, election, settings, protocol, session, agenda, past, now);
		}

	}

}
