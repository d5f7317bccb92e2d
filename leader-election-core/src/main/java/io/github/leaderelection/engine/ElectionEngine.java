package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * Takes part in elections on behalf of this process. Has three threads of its own,
 * whatever the number of elections: the first makes the store calls, the second watches
 * for changes, and the third ends terms whose deadline passes while the first is held up,
 * and interrupts calls that do not return. User code runs on none of them.
 */
public final class ElectionEngine implements LeaderElection, AutoCloseable {

	private static final EngineLog log = EngineLog.of(ElectionEngine.class);

	private static final Duration LISTENER_PATIENCE = Duration.ofSeconds(2);

	private static final Duration RETRY_UNSUPPORTED_WATCH = Duration.ofMinutes(5);

	private final AtomicBoolean started = new AtomicBoolean();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final AtomicBoolean toldOfCalls = new AtomicBoolean();

	private final EngineContext context;

	private final ElectionRegistry registry;

	private final MemberDirectory directory;

	private final EventLoop loop;

	private final EngineThread loopThread = new EngineThread("leader-election-loop", this::loopTurn);

	private final EngineThread timerThread = new EngineThread("leader-election-timer", this::timerTurn);

	private final Watchdog watchdog = new Watchdog();

	private final LeaseWatcher watcher;

	/**
	 * Create a builder of engines.
	 * @param store where leases are kept
	 * @return the builder
	 */
	public static ElectionEngineBuilder builder(LeaseStore store) {
		return new ElectionEngineBuilder(store);
	}

	/**
	 * Create an engine that does not take part yet.
	 * @param identity who this process is; the elections it names are ignored
	 * @param store where leases are kept
	 * @param registry where this process makes itself known
	 * @param settings the settings of each election, asked for once when this process
	 * begins to stand in it
	 * @param callbackExecutor runs each task on a thread of its own, never the caller's,
	 * without any limit on the number of threads
	 * @param listeners the listeners to notify
	 * @param clock the clocks of this process
	 */
	public ElectionEngine(CandidateRecord identity, LeaseStore store, CandidateRegistry registry,
			Function<String, ElectionSettings> settings, Executor callbackExecutor, List<ElectionListener> listeners,
			EngineClock clock) {
		this.context = new EngineContext(identity.id(), store, clock, callbackExecutor, listeners, this::wakeUp);
		this.registry = new ElectionRegistry(this.context, settings);
		this.directory = new MemberDirectory(identity, registry, clock.now());
		this.loop = new EventLoop(this.registry, new Answers(this.registry, this.directory::candidates),
				this.directory);
		this.watcher = new LeaseWatcher(this.context, this.loop.answers(), RETRY_UNSUPPORTED_WATCH);
	}

	/**
	 * Begin to take part. Returns at once, even if the store does not answer.
	 * @throws IllegalStateException if the engine has been started or closed before
	 */
	public void start() {
		if (this.closed.get() || !this.started.compareAndSet(false, true)) {
			throw new IllegalStateException("A leader election engine can be started only once");
		}
		this.registry.begin();
		// Before the first turn, which holds the lock while it loads its classes.
		Set<String> elections = this.registry.names();
		this.loopThread.start();
		this.timerThread.start();
		this.watcher.start();
		log.tell((logger) -> logger.atLevel(this.context.level(Level.INFO))
			.addKeyValue("candidate", candidateId())
			.log("Standing in {} as {}; leases are kept in {}", LogLines.elections(elections), candidateId(),
					this.context.store().place()));
	}

	/**
	 * Look at the clocks at once. For clocks that do not advance by themselves, as in
	 * tests: otherwise this engine can take a second to notice that a clock has moved.
	 */
	public void wakeUp() {
		this.loopThread.wake();
		this.timerThread.wake();
	}

	/**
	 * Announce that this engine is about to be closed: from now on each term
	 * {@linkplain Leadership#isEnding() is ending}, and no other begins. Nothing is
	 * handed over yet: this process goes on leading, and gated calls are let in, until
	 * {@link #close()}. This can't be undone.
	 */
	public void prepareClose() {
		this.registry.prepareClose();
		logCallsInFlight();
	}

	/** Log the calls in flight, once: {@link #prepareClose} or {@link #close} does so. */
	private void logCallsInFlight() {
		List<GatedCall> calls = this.toldOfCalls.getAndSet(true) ? List.of() : this.registry.callsInFlight();
		if (!calls.isEmpty()) {
			log.tell((logger) -> logger.atLevel(this.context.level(Level.INFO))
				.addKeyValue("candidate", candidateId())
				.log("Shutting down: waiting for {}: {}", LogLines.callsInFlight(calls.size()),
						LogLines.longest(calls, this.context.now())));
		}
	}

	/**
	 * Hand over all leadership, as after {@link #resign}, and take part no longer. Blocks
	 * until that is done, for the drain timeout and a few store calls at most, even if
	 * the calling thread is interrupted. No callback begins after this method has
	 * returned. Has no effect the second time.
	 * <p>
	 * Do not call this from a gated call or a callback, nor from a shutdown hook while
	 * one of them waits for the JVM to exit: this method would wait for that work in
	 * vain, until the drain timeout. Let another thread close the engine, and let the
	 * work return.
	 */
	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		Suppressed last = new Suppressed();
		// From now on the loop makes only the calls that it takes to withdraw.
		last.attempt(this.registry::close);
		last.attempt(this::logCallsInFlight);
		if (this.started.get()) {
			last.attempt(this::awaitOver);
			last.attempt(this::awaitListeners);
		}
		this.loopThread.stop();
		this.timerThread.stop();
		this.watcher.stop();
		for (ElectionMember member : this.registry.all()) {
			last.attempt(member::abandon);
		}
		last.rethrow();
	}

	private Duration closeLimit() {
		// Even without any election, the loop has to end.
		return this.registry.all()
			.stream()
			.map(ElectionMember::settings)
			.map((each) -> each.drainTimeout().plus(each.operationTimeout().multipliedBy(2)))
			.reduce(Duration.ofSeconds(2), Timing::longer);
	}

	private void awaitOver() {
		Duration limit = closeLimit();
		if (!EngineThread.await(this.loopThread.end(), limit)) {
			log.tell((logger) -> logger.warn("Leader election did not stop within {}; leases still held will expire",
					ReadableDuration.exact(limit)));
		}
	}

	/** Wait until listeners have been told of the end, unless one takes too long. */
	private void awaitListeners() {
		List<CompletableFuture<Void>> told = new ArrayList<>();
		this.registry.all().forEach((member) -> told.add(member.notifier().allTold()));
		if (!EngineThread.await(CompletableFuture.allOf(told.toArray(CompletableFuture[]::new)), LISTENER_PATIENCE)) {
			log.tell((logger) -> logger.warn(
					"Leader election listeners took longer than {}; they may miss the last events",
					ReadableDuration.exact(LISTENER_PATIENCE)));
		}
	}

	/**
	 * Stand in the election from now on, even without any candidate. Has no effect if
	 * this process does so already.
	 * @param election the election name
	 * @throws IllegalArgumentException if the name is not valid
	 * @throws io.github.leaderelection.InvalidConfigurationException if the election
	 * can't have its settings
	 * @throws IllegalStateException if the engine has been closed
	 */
	public void stand(String election) {
		this.registry.join(election);
		this.context.observers().fire((observer) -> observer.onStand(election));
	}

	/**
	 * Enter the gate of the election, in the calling thread.
	 * @param election the election name
	 * @param interruptible whether to interrupt the thread if leadership is lost during
	 * the call
	 * @return the call, to be {@linkplain GatedCall#close() closed}; {@code null} if this
	 * process does not lead, or its gate has closed for a handover
	 */
	public @Nullable GatedCall enter(String election, boolean interruptible) {
		Term term = this.registry.get(election).term();
		return (term != null) ? term.enter(interruptible) : null;
	}

	/**
	 * Notify observers that a gated call was not let in.
	 * @param election the election name
	 * @param rejected whether the caller gets an exception; otherwise the call is skipped
	 */
	public void refuse(String election, boolean rejected) {
		this.context.observers().fire((observer) -> observer.onCallRefused(election, rejected));
	}

	/**
	 * Return whether a call of the store has failed of late, and the store is not known
	 * to answer again.
	 * @param time within which time the call has failed
	 * @return whether it seems that the store does not answer
	 */
	public boolean hasFailedWithin(Duration time) {
		return this.loop.hasFailedWithin(time, this.context.now());
	}

	/**
	 * Return the status of this engine. Reads local state only.
	 * @return the status, a snapshot
	 */
	public EngineStatus status() {
		Moment now = this.context.now();
		List<ElectionStatus> statuses = new ArrayList<>(this.registry.status(now));
		statuses.sort(Comparator.comparing(ElectionStatus::election));
		Set<String> gone = this.registry.gone(now);
		List<CandidateRecord> present = this.directory.candidates()
			.stream()
			.filter((candidate) -> !gone.contains(candidate.id()))
			.toList();
		List<String> damaged = new ArrayList<>(this.context.store().damaged());
		damaged.addAll(this.directory.damaged());
		return new EngineStatus(this.loop.outage(now), this.loop.answers().isPushed(), this.watcher.obstacle(),
				statuses, present, damaged);
	}

	/**
	 * Return the address that a candidate has announced. It can be two minutes out of
	 * date.
	 * @param candidateId the id of the candidate
	 * @return its address, or empty if it is not known
	 */
	public Optional<String> addressOf(String candidateId) {
		return this.directory.candidates()
			.stream()
			.filter((candidate) -> candidate.id().equals(candidateId))
			.map(CandidateRecord::address)
			.filter(Objects::nonNull)
			.findFirst();
	}

	@Override
	public String candidateId() {
		return this.context.candidateId();
	}

	@Override
	public Set<String> elections() {
		return this.registry.names();
	}

	@Override
	public boolean isLeader(String election) {
		Term term = this.registry.get(election).term();
		return term != null && term.isHeld();
	}

	@Override
	public Optional<Leadership> leadership(String election) {
		Term term = this.registry.get(election).term();
		return (term != null && term.isHeld()) ? Optional.of(term) : Optional.empty();
	}

	@Override
	public Optional<String> leader(String election) {
		return Optional.ofNullable(this.registry.get(election).state().leader(candidateId()));
	}

	@Override
	public Leadership currentLeadership() {
		Leadership current = WorkScope.find(Leadership.class);
		if (current == null) {
			throw new IllegalStateException("The current thread is not inside a call that requires leadership. "
					+ "Annotate the method that is called with @LeaderOnly, and call it through its Spring bean");
		}
		return current;
	}

	@Override
	public boolean runIfLeader(String election, Consumer<Leadership> work) {
		try (GatedCall call = enter(election, true)) {
			if (call == null) {
				refuse(election, false);
				return false;
			}
			work.accept(call.leadership());
			return true;
		}
	}

	@Override
	public boolean resign(String election) {
		return this.registry.resign(election, null);
	}

	/**
	 * Hand over this term, as after {@link #resign}, unless it has ended. Any step that
	 * fails is retried until it succeeds.
	 * @param leadership a term of this process, of this engine
	 */
	public void giveUp(Leadership leadership) {
		if (leadership instanceof Term term) {
			this.registry.giveUp(term);
		}
	}

	@Override
	public boolean transfer(String election, String candidateId) {
		if (candidateId.equals(candidateId())) {
			throw new IllegalArgumentException(
					"Leadership of '%s' can't be transferred to this instance itself".formatted(election));
		}
		return this.registry.resign(election, candidateId);
	}

	/**
	 * Ask the leader of the election, which is another process, to hand over its present
	 * term. The request is stored in the lease, in one round trip that this method waits
	 * for. The leader hands over as soon as it sees the request: at once where changes
	 * are pushed, otherwise when it next reads its lease, after half of its time to live
	 * at most. A later term is not affected. A leader that runs a version without support
	 * for requests ignores it.
	 * @param election the election name
	 * @param successor the id of the candidate to leave the lease to, {@code null} for
	 * any
	 * @return the lease in which the request was stored; empty if this process holds the
	 * lease, if no leader is known here, or if the lease has changed since this process
	 * last saw it
	 * @throws io.github.leaderelection.UnknownElectionException if this process does not
	 * stand in the election
	 * @throws io.github.leaderelection.store.LeaseStoreException if it is not known
	 * whether the request was stored
	 */
	public Optional<Lease> requestHandover(String election, @Nullable String successor) {
		return Optional.ofNullable(this.registry.requestHandover(election, successor));
	}

	/**
	 * Pause the election for all processes until it is {@linkplain #resumeElection
	 * resumed}: the leader hands over, and no process takes the lease, not even one that
	 * starts meanwhile. The pause is stored in the lease, in a few round trips that this
	 * method waits for. The leader sees it at once where changes are pushed, otherwise
	 * when it next reads its lease, after half of its time to live at most. A process
	 * that runs a version without support for pauses ignores it.
	 * @param election the election name
	 * @return whether the pause was stored; {@code false} if the election was paused
	 * already, or there is no lease yet
	 * @throws io.github.leaderelection.UnknownElectionException if this process does not
	 * stand in the election
	 * @throws io.github.leaderelection.store.LeaseStoreException if the outcome is not
	 * known
	 */
	public boolean pauseElection(String election) {
		return this.registry.pauseElection(election, true);
	}

	/**
	 * Let processes lead again after {@link #pauseElection}, except those that are
	 * {@linkplain #pause paused themselves}.
	 * @param election the election name
	 * @return whether the election was paused
	 * @throws io.github.leaderelection.UnknownElectionException if this process does not
	 * stand in the election
	 * @throws io.github.leaderelection.store.LeaseStoreException if the outcome is not
	 * known
	 */
	public boolean resumeElection(String election) {
		return this.registry.pauseElection(election, false);
	}

	/**
	 * Return the elections in which this process itself is {@linkplain #pause paused},
	 * whether or not they are paused for all processes.
	 * @return the election names
	 */
	public Set<String> paused() {
		return this.registry.paused();
	}

	@Override
	public void pause(String election) {
		this.registry.pauseMember(election, true);
	}

	@Override
	public void resume(String election) {
		this.registry.pauseMember(election, false);
	}

	@Override
	public void register(Candidate candidate) {
		this.registry.register(candidate);
		String election = candidate.election();
		this.context.observers().fire((observer) -> observer.onStand(election));
	}

	@Override
	public boolean unregister(Candidate candidate) {
		return this.registry.unregister(candidate);
	}

	// The threads

	private long loopTurn() {
		Moment now = this.context.now();
		StoreCall call = this.loop.next(now);
		if (call != null) {
			perform(call);
		}
		if (this.loop.isOver()) {
			this.loopThread.stop();
		}
		return (call != null || this.loop.isOver()) ? 0 : this.loop.plan(now, CommandPlanner::nextAt) - now.nanos();
	}

	private void perform(StoreCall call) {
		EngineObservers observers = this.context.observers();
		long since = observers.now();
		Consumer<Moment> reply;
		try {
			reply = this.watchdog.guard(this.loop.patience(), this.context.now(), call.request());
		}
		catch (Throwable ex) {
			// Any failure leaves open whether the store has carried out the call. A call
			// that is interrupted by closing is no outage.
			this.loop.failed(call, this.loopThread.isStopped() ? null : ex, this.context.now());
			observers.fireEnd(since, (observer, nanos) -> observer.onStoreCall(call.operation(), nanos, false));
			return;
		}
		try {
			this.loop.answered(call, reply, this.context.now());
		}
		finally {
			observers.fireEnd(since, (observer, nanos) -> observer.onStoreCall(call.operation(), nanos, true));
		}
	}

	private long timerTurn() {
		Moment now = this.context.now();
		try {
			this.loop.tick(now);
		}
		finally {
			this.watchdog.check(now);
			this.watcher.check(now);
		}
		return this.loop.plan(now, CommandPlanner::tickAt) - now.nanos();
	}

}
