package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.engine.SimulatedClient.Request;
import io.github.leaderelection.engine.Surroundings.Source;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.ElectionState;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.TermState;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStoreException;

/**
 * A process of a simulation. Runs the {@link EventLoop}, makes the steps of
 * {@link LeaseWatcher} at simulated times, and does what an application does: runs gated
 * work, and now and then resigns.
 */
class SimulatedProcess {

	private static final LeaseStoreException NO_ANSWER = new LeaseStoreException("No answer", null);

	private static final long TURN = 50_000;

	/** How long a thread of the engine pauses after a failure. */
	private static final long PAUSE = 10_000_000;

	private final SimulatedClient client;

	private final Map<String, RecordingCandidate> candidates = new LinkedHashMap<>();

	private final Map<GatedCall, Term> work = new LinkedHashMap<>();

	private final List<Runnable> backlog = new ArrayList<>();

	private final Simulation simulation;

	private final Surroundings surroundings;

	private final Timeline timeline;

	private final Dice dice;

	private final String id;

	private final ElectionSettings settings;

	private final SimulatedClock clock;

	private final SimulatedListener listener;

	private final ElectionRegistry elections;

	private final EventLoop electionLoop;

	private final Wake loop = new Wake(this::loop);

	private final Wake timer = new Wake(this::tick);

	private SimulatedLink link = SimulatedLink.GOOD;

	private State state = State.RUNNING;

	private boolean paused;

	private StoreCall call;

	/** Whether a call has ended that the loop has not processed yet. */
	private boolean settling;

	private Consumer<Lease> watch;

	/** When the last call failed, or the process went on after a pause. */
	private long troubledAt;

	private boolean closing;

	/** Whether it is about to close. */
	private boolean leaving;

	SimulatedProcess(Simulation simulation, String id, ElectionSettings settings, SimulatedClock clock, Flaw flaw,
			boolean ephemeral) {
		this.simulation = simulation;
		this.surroundings = simulation.surroundings();
		this.timeline = simulation.timeline();
		this.dice = simulation.dice();
		this.id = id;
		this.client = new SimulatedClient(id, ephemeral);
		this.settings = settings;
		this.clock = clock;
		this.listener = new SimulatedListener(this.surroundings, (complaint) -> simulation.invariants()
			.violate(Invariant.I3, "A listener in %s hears that %s".formatted(id, complaint)));
		EngineContext own = new EngineContext(id, this.client, clock, this::startThread,
				List.of(this.listener.observer()), this::wake);
		this.elections = new ElectionRegistry(own, (election) -> settings, protocols(flaw));
		MemberDirectory known = new MemberDirectory(
				new CandidateRecord(id, "app", "host", null, null, Set.of(), null, Set.of()),
				new CandidateRegistry(simulation.candidates(), ""), clock.now());
		this.electionLoop = new EventLoop(this.elections, new Answers(this.elections, known::candidates), known);
	}

	private ElectionRegistry.Protocols protocols(Flaw flaw) {
		return new ElectionRegistry.Protocols() {

			@Override
			public SessionProtocol session(String candidateId, Timing timing, LongSupplier numbers) {
				return flaw.session(candidateId, timing, numbers);
			}

			@Override
			public ElectionProtocol election(String candidateId, Timing timing, SessionProtocol sessions) {
				return flaw.election(candidateId, timing, sessions);
			}

			@Override
			public ElectionMember member(EngineContext context, String election, ElectionSettings known,
					ElectionProtocol protocol, OwnSession session, Agenda<ElectionMember> agenda,
					PastElections.Past past, Moment now) {
				return new SimulatedMember(flaw, context, election, known, protocol, session, agenda, past, now,
						SimulatedProcess.this.surroundings);
			}

			@Override
			public long sessionNumber() {
				return SimulatedProcess.this.simulation.sessionNumber();
			}

		};
	}

	/** Return the id of its current session, or an empty string if there is none. */
	String session() {
		return this.elections.sessions().own().stream().findFirst().map((own) -> own.current().id()).orElse("");
	}

	void start(List<String> names) {
		for (String name : names) {
			this.candidates.put(name, new SimulatedCandidate(name));
			stand(name);
			this.timeline.after(workInterval(), () -> run(() -> work(name)));
		}
		this.timeline.after(this.dice.upTo(Duration.ofSeconds(1)), () -> run(this::openWatch));
	}

	ElectionRegistry elections() {
		return this.elections;
	}

	String id() {
		return this.id;
	}

	ElectionSettings settings() {
		return this.settings;
	}

	SimulatedClock clock() {
		return this.clock;
	}

	SimulatedLink link() {
		return this.link;
	}

	void setLink(SimulatedLink link) {
		this.link = link;
		if (!link.isGood() && this.watch != null && this.dice.onceIn(2)) {
			breakWatch();
		}
	}

	Map<String, RecordingCandidate> candidates() {
		return this.candidates;
	}

	SimulatedListener listener() {
		return this.listener;
	}

	/** Return whether the process takes part: it has not crashed or closed. */
	boolean isAlive() {
		return this.state == State.RUNNING;
	}

	boolean isCrashed() {
		return this.state == State.CRASHED;
	}

	/**
	 * Return the outage of the store that this process reports although all its calls
	 * were answered in the last time, {@code null} for none.
	 */
	StoreOutage wrongOutage(Duration time) {
		boolean answered = isAlive() && !this.closing && !this.paused && this.call == null
				&& this.timeline.now() - this.troubledAt > time.toNanos();
		return answered ? this.electionLoop.outage(this.clock.now()) : null;
	}

	boolean isClosing() {
		return this.closing || this.leaving;
	}

	/** Return whether the process is stopped, and so can't even check its term. */
	boolean isPaused() {
		return this.paused;
	}

	/** Return the term, {@code null} if there is none. */
	Term term(String election) {
		ElectionMember member = member(election);
		return (member != null) ? member.term() : null;
	}

	/** Return its part in the election, {@code null} if it has none. */
	ElectionMember member(String election) {
		return this.elections.find(election);
	}

	/** Return what it knows of the election, {@code null} if it does not stand in it. */
	ElectionState state(String election) {
		ElectionMember member = member(election);
		return (member != null) ? member.state() : null;
	}

	/** Return whether a read of leases has most likely arrived at the database. */
	boolean isReading() {
		return this.call != null && this.call.operation() == StoreOperation.READ
				&& this.clock.now().since(this.call.sentAt()).toMillis() > 10;
	}

	/** Return whether it has seen this revision of the lease, or is closing or over. */
	boolean hasSeen(Lease lease) {
		ElectionState known = state(lease.election());
		Lease seen = (known != null) ? known.presentLease() : null;
		return !isAlive() || isClosing() || (seen != null && seen.isSameRevisionAs(lease));
	}

	/** Return whether the term was lost while its work may still be running. */
	boolean hasLost(String election, long term) {
		TermState own = (member(election) != null) ? member(election).state().term() : null;
		return own != null && own.number() == term && own.isLost();
	}

	boolean leads(String election) {
		Term term = isAlive() ? term(election) : null;
		return term != null && term.isHeld();
	}

	/** Return whether gated work of the term is in flight. */
	boolean works(String election, long term) {
		return worksIn(election, (number) -> number == term);
	}

	/** Return whether gated work of an earlier term is in flight. */
	boolean worksBefore(String election, long term) {
		return worksIn(election, (number) -> number < term);
	}

	private boolean worksIn(String election, LongPredicate term) {
		return this.work.values()
			.stream()
			.anyMatch((each) -> each.election().equals(election) && term.test(each.term()));
	}

	/** Run something in this process: later if it is paused, never if it has crashed. */
	void run(Runnable action) {
		if (isPaused()) {
			this.backlog.add(action);
		}
		else if (this.state != State.CRASHED) {
			attempt(action);
			check();
		}
	}

	/** Check the invariants after something has happened. */
	void check() {
		this.simulation.invariants().check(this);
	}

	/**
	 * Run an action. Callers of the engine survive what the surroundings throw.
	 */
	boolean attempt(Runnable action) {
		try {
			action.run();
			return true;
		}
		catch (RuntimeException | Error ex) {
			if (ex instanceof Surroundings.Thrown) {
				this.simulation.trace(this, () -> "catches what was thrown");
				return false;
			}
			throw ex;
		}
	}

	// What happens to the process

	void crash() {
		this.state = State.CRASHED;
		closeWatch();
	}

	/** Stop the process for some time, or suspend its whole machine. */
	void pause(long trueNanos, boolean suspended) {
		if (this.paused) {
			return;
		}
		this.paused = true;
		this.timeline.after(trueNanos, () -> {
			this.paused = false;
			this.troubledAt = this.timeline.now();
			if (suspended) {
				this.clock.wasSuspended(trueNanos);
			}
			List<Runnable> due = new ArrayList<>(this.backlog);
			this.backlog.clear();
			this.dice.shuffle(due);
			due.forEach(this::run);
		});
	}

	/** Resign in favor of another process, or of none. */
	void resign(String election, String successor) {
		if (!this.closing && member(election) != null) {
			this.elections.resign(election, successor);
		}
	}

	/** Stand aside in the election, and stand in it again later. */
	void standAsideForAWhile(String election) {
		if (!this.closing && member(election) != null) {
			attempt(() -> this.elections.pauseMember(election, true));
			this.timeline.after(this.dice.upTo(this.settings.ttl()), () -> run(() -> resume(election)));
		}
	}

	private void resume(String election) {
		if (member(election) != null) {
			this.elections.pauseMember(election, false);
		}
		else if (!this.closing) {
			// It has left, and will be paused when it comes back.
			this.timeline.after(this.settings.pollInterval().toNanos(), () -> run(() -> resume(election)));
		}
	}

	/** Leave the election, and join it again later, or at once. */
	void leaveForAWhile(String election) {
		AtomicBoolean left = new AtomicBoolean();
		// If the call fails, the candidate still leaves, but later.
		if (!attempt(() -> left.set(this.elections.unregister(this.candidates.get(election)))) || left.get()) {
			long away = this.dice.upTo(this.settings.ttl());
			if (away < this.settings.ttl().toNanos() / 2) {
				stand(election);
			}
			else {
				this.timeline.after(away, () -> run(() -> stand(election)));
			}
		}
	}

	private void stand(String election) {
		if (!this.closing && !attempt(() -> this.elections.register(this.candidates.get(election)))) {
			after(this.settings.pollInterval(), () -> stand(election));
		}
	}

	/** Shut down gracefully, as an application context does when it is closed. */
	void prepareClose() {
		this.leaving = true;
		attempt(this.elections::prepareClose);
		this.timeline.after(this.dice.upTo(this.settings.ttl()), () -> run(this::close));
	}

	/** Shut down gracefully, as {@link ElectionEngine#close()} does. */
	void close() {
		if (!this.closing) {
			this.closing = true;
			attempt(this.elections::close);
			Duration limit = this.settings.drainTimeout().plus(this.settings.operationTimeout().multipliedBy(2));
			after(limit, this::end);
		}
	}

	private void end() {
		if (isAlive()) {
			this.state = State.CLOSED;
			this.elections.all().forEach((each) -> each.abandon());
			closeWatch();
			this.simulation.invariants().closed(this);
		}
	}

	// The threads of the engine

	private void wake() {
		this.loop.after(TURN);
		boolean late = this.dice.onceIn(50) && this.simulation.isStormy();
		this.timer.after(TURN + (late ? this.dice.upTo(this.settings.ttl()) : 0));
	}

	private void loop() {
		if (this.call != null || this.settling || !isAlive()) {
			return;
		}
		Moment now = this.clock.now();
		StoreCall next = this.electionLoop.next(now);
		if (next != null) {
			this.call = next;
			hesitate(() -> send(next));
		}
		else if (this.electionLoop.isOver()) {
			this.simulation.invariants().settled(this);
			end();
		}
		else {
			this.loop.after(this.clock.trueNanos(this.electionLoop.plan(now, CommandPlanner::nextAt) - now.nanos()));
		}
	}

	private void send(StoreCall next) {
		Request request = this.surroundings.undisturbed(() -> this.client.ask(next));
		if (request == null) {
			// It is a call of the candidate registry, which decides nothing.
			settle((now) -> this.electionLoop.answered(next, (then) -> {
			}, now));
			return;
		}
		this.simulation.trace(this, () -> "sends " + request.name().get());
		this.simulation.network()
			.send(this, request, (found) -> answer(next, request, found), () -> fail(next, request));
		Duration patience = request.timeout().multipliedBy(this.dice.onceIn(50) ? 10 : 1);
		after(patience, () -> fail(next, request));
		if (this.simulation.isStormy() && this.dice.onceIn(200)) {
			// The process is stopped when the answer arrives.
			pause(this.dice.upTo(this.settings.ttl()), false);
		}
	}

	private void answer(StoreCall answered, Request request, Object found) {
		if (this.call == answered) {
			this.simulation.trace(this, () -> "gets the answer to " + request.name().get() + ": " + found);
			Consumer<Moment> reply = this.client.answer(answered, found);
			settle((now) -> this.electionLoop.answered(answered, reply, now));
		}
	}

	private void fail(StoreCall failed, Request request) {
		if (this.call == failed) {
			this.simulation.trace(this, () -> "gets no answer to " + request.name().get());
			this.troubledAt = this.timeline.now();
			settle((now) -> this.electionLoop.failed(failed, NO_ANSWER, now));
		}
	}

	/** Process the end of the call, and go on. */
	private void settle(Consumer<Moment> end) {
		this.call = null;
		this.settling = true;
		Moment now = this.clock.now();
		hesitate(() -> {
			this.settling = false;
			boolean ended = attempt(() -> {
				end.accept(now);
				loop();
			});
			if (!ended) {
				this.loop.after(PAUSE);
			}
		});
	}

	/**
	 * Go on, perhaps later: a thread, or the whole process, may be held up between
	 * reading the clock and the next step.
	 */
	private void hesitate(Runnable next) {
		if (!this.simulation.isStormy() || !this.dice.onceIn(100)) {
			next.run();
			return;
		}
		long trueNanos = this.dice.upTo(this.settings.ttl());
		if (this.dice.onceIn(2)) {
			this.timeline.after(trueNanos, () -> run(next));
		}
		else {
			pause(trueNanos, false);
			run(next);
		}
	}

	private void tick() {
		if (isAlive()) {
			Moment now = this.clock.now();
			this.electionLoop.tick(now);
			this.timer.after(this.clock.trueNanos(this.electionLoop.plan(now, CommandPlanner::tickAt) - now.nanos()));
		}
	}

	void startThread(Runnable task) {
		this.surroundings.pass(Source.THREAD);
		if (this.surroundings.onceIn(100)) {
			// As user code may do when no threads are left.
			this.candidates.keySet().forEach((election) -> attempt(() -> resign(election, null)));
		}
		boolean slow = this.simulation.isStormy() && this.dice.onceIn(30);
		this.timeline.after(TURN + this.dice.upTo(slow ? this.settings.ttl().multipliedBy(2) : Duration.ofMillis(2)),
				() -> run(task));
	}

	// The watch

	private void openWatch() {
		Consumer<Lease> opened = this::push;
		if (isAlive() && this.watch == null && this.simulation.network().watch(this, opened)) {
			this.watch = opened;
			this.simulation.network().carry(this, this.link.slowness(), () -> run(() -> {
				if (this.watch == opened) {
					this.electionLoop.answers().setPushed(true);
				}
			}));
		}
		else if (isAlive() && this.watch == null) {
			after(Duration.ofSeconds(1), this::openWatch);
		}
	}

	private void push(Lease lease) {
		Consumer<Lease> source = this.watch;
		this.simulation.network().push(this, () -> {
			if (this.watch == source && source != null) {
				this.electionLoop.answers().pushed(lease);
			}
		});
	}

	/** Break the watch; the process finds out some time later. */
	void breakWatch() {
		if (this.watch != null) {
			closeWatch();
			this.timeline.after(this.dice.upTo(Duration.ofSeconds(17)), () -> run(() -> {
				attempt(() -> this.electionLoop.answers().setPushed(false));
				after(Duration.ofSeconds(1), this::openWatch);
			}));
		}
	}

	/** Push nothing for a while, and let the process know. */
	void loseWatch() {
		closeWatch();
		run(() -> attempt(() -> this.electionLoop.answers().setPushed(false)));
		after(this.settings.ttl(), this::openWatch);
	}

	private void closeWatch() {
		this.simulation.mongo().unwatch(this.watch);
		this.watch = null;
	}

	// The application

	private void work(String election) {
		if (!isAlive()) {
			return;
		}
		Term term = term(election);
		GatedCall begun = (term != null) ? term.enter(false) : null;
		if (begun != null) {
			begun.detach(null);
			this.work.put(begun, term);
			this.timeline.after(workDuration(), () -> run(() -> {
				this.work.remove(begun);
				begun.close();
			}));
		}
		this.timeline.after(workInterval(), () -> run(() -> work(election)));
	}

	/** Begin work that never ends. */
	void getStuck(String election) {
		Term term = term(election);
		GatedCall stuck = (term != null) ? term.enter(false) : null;
		if (stuck != null) {
			stuck.detach(null);
			this.work.put(stuck, term);
		}
	}

	private long workInterval() {
		return this.dice.upTo(this.settings.ttl());
	}

	private long workDuration() {
		boolean slow = this.simulation.isStormy() && this.dice.onceIn(5);
		return this.dice.upTo(slow ? this.settings.ttl().multipliedBy(2) : Duration.ofMillis(20));
	}

	private void after(Duration delay, Runnable action) {
		this.timeline.after(this.clock.trueNanos(delay.toNanos()), () -> run(action));
	}

	String describe(String election) {
		return "is %s%s%s, %s; now %s".formatted(this.state, isPaused() ? ", paused" : "",
				(this.call != null) ? ", waits for an answer" : "",
				(member(election) != null) ? member(election).state() : "does not stand", this.clock.now());
	}

	@Override
	public String toString() {
		return this.id;
	}

	private enum State {

		RUNNING, CRASHED, CLOSED

	}

	/** A thread that sleeps until a given time, or until it is woken earlier. */
	private final class Wake {

		private final Runnable action;

		private long at;

		private boolean asleep;

		private int naps;

		Wake(Runnable action) {
			this.action = action;
		}

		void after(long trueNanos) {
			long delay = Math.max(TURN, trueNanos);
			long time = SimulatedProcess.this.timeline.now() + delay;
			if (this.asleep && this.at <= time) {
				return;
			}
			this.at = time;
			this.asleep = true;
			int nap = ++this.naps;
			SimulatedProcess.this.timeline.after(delay, () -> {
				if (nap == this.naps || isPaused()) {
					run(() -> wake(nap));
				}
			});
		}

		private void wake(int nap) {
			if (nap == this.naps) {
				this.asleep = false;
				if (!attempt(this.action)) {
					after(PAUSE);
				}
			}
		}

	}

	/** Now and then fails, or resigns at once. */
	private final class SimulatedCandidate extends RecordingCandidate {

		SimulatedCandidate(String election) {
			super(election);
		}

		@Override
		protected void lead(Leadership leadership) {
			if (SimulatedProcess.this.simulation.isStormy() && SimulatedProcess.this.dice.onceIn(50)) {
				throw new IllegalStateException("A candidate that fails when elected");
			}
			if (SimulatedProcess.this.surroundings.onceIn(10)) {
				resignInside();
			}
			SimulatedProcess.this.surroundings.pass(Source.CANDIDATE);
		}

		/** Resign, and let that take effect while still inside: it is interrupted. */
		private void resignInside() {
			attempt(() -> {
				resign(election(), null);
				SimulatedProcess.this.electionLoop.tick(SimulatedProcess.this.clock.now());
			});
		}

		@Override
		public void onDefeated(Leadership leadership) {
			super.onDefeated(leadership);
			SimulatedProcess.this.surroundings.pass(Source.CANDIDATE);
		}

	}

}
