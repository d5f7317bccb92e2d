package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Lease.HandoverRequest;

/**
 * Some minutes of a bad day, on which a few processes compete. Everything is drawn from
 * one seed, even how bad the day is; the same seed gives the same day. After the storm
 * comes a calm, in which everything must heal.
 */
class Simulation {

	/** The shortest storm; it lasts longer if the time to live is long. */
	private static final Duration STORM = Duration.ofMinutes(3);

	private static final List<Duration> TTLS = List.of(Duration.ofSeconds(2), Duration.ofSeconds(5),
			Duration.ofSeconds(10), Duration.ofSeconds(20));

	private static final int TRACED = 80;

	private final Timeline timeline = new Timeline();

	private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);

	private final List<SimulatedProcess> processes = new ArrayList<>();

	private final Surroundings surroundings;

	private final InMemoryRecordStores candidates = new InMemoryRecordStores(
			() -> Instant.ofEpochMilli(this.timeline.now() / 1_000_000));

	private final Deque<String> trace = new ArrayDeque<>();

	private final Invariants invariants = new Invariants(this);

	private final long seed;

	private final Flaw flaw;

	private long sessionNumbers;

	private final boolean traced;

	private final Dice dice;

	private final SimulatedMongo mongo;

	private final SimulatedNetwork network;

	private final List<String> elections;

	private final List<Fault> weather;

	private final Duration calmBetweenFaults;

	private final Duration ttl;

	private final boolean sameTtl;

	private final boolean suspends;

	private boolean stormy = true;

	private int started;

	private long steps;

	/** Return a number that no session has had. */
	long sessionNumber() {
		return ++this.sessionNumbers;
	}

	Simulation(long seed, Flaw flaw, boolean traced) {
		this.seed = seed;
		this.flaw = flaw;
		this.traced = traced;
		this.dice = new Dice(seed);
		this.surroundings = new Surroundings(seed, this::isStormy);
		this.mongo = new SimulatedMongo(this.timeline, flaw, this.dice.onceIn(2));
		this.mongo.onRelease(this.invariants::released);
		this.network = new SimulatedNetwork(this.timeline, this.dice, this.mongo);
		this.elections = List.of("invoices", "reports", "mails").subList(0, this.dice.between(1, 3));
		int kinds = this.dice.pick(List.of(2, 3, 6, 20));
		// Search for most flaws on days without requests by hand: they are rougher.
		this.weather = List.of(Fault.values())
			.stream()
			.filter((fault) -> flaw == Flaw.NONE || flaw.needs(fault) || !fault.isByHand())
			.filter((fault) -> this.dice.onceIn((fault == Fault.CUT_OFF) ? 2 : kinds) || flaw.needs(fault))
			.toList();
		this.ttl = this.dice.pick(TTLS);
		this.calmBetweenFaults = this.dice
			.pick(List.of(Duration.ofMillis(500), this.ttl.dividedBy(2), this.ttl.multipliedBy(2)));
		this.sameTtl = this.dice.onceIn(2);
		this.suspends = this.dice.onceIn(2);
	}

	/** Return how the day went. */
	static Outcome run(long seed, Flaw flaw) {
		return SimulationThread.call(() -> runHere(seed, flaw));
	}

	private static Outcome runHere(long seed, Flaw flaw) {
		Outcome outcome = new Simulation(seed, flaw, false).live();
		if (outcome.violated() == null) {
			return outcome;
		}
		// Repeat the day, and record what led to the violation.
		return new Simulation(seed, flaw, true).live();
	}

	/** Return the store in which processes announce themselves. */
	InMemoryRecordStores candidates() {
		return this.candidates;
	}

	Timeline timeline() {
		return this.timeline;
	}

	Dice dice() {
		return this.dice;
	}

	SimulatedMongo mongo() {
		return this.mongo;
	}

	SimulatedNetwork network() {
		return this.network;
	}

	Surroundings surroundings() {
		return this.surroundings;
	}

	Invariants invariants() {
		return this.invariants;
	}

	/** Return whether a replaced primary may have shown outdated data. */
	boolean hasShownThePast() {
		return this.faults.containsKey(Fault.TWO_PRIMARIES);
	}

	/** Return whether a lease was removed. */
	boolean hasRemovedLeases() {
		return this.faults.containsKey(Fault.REMOVE_LEASE);
	}

	boolean isStormy() {
		return this.stormy;
	}

	/** Return the process, {@code null} if it was replaced. */
	SimulatedProcess process(String id) {
		return this.processes.stream().filter((each) -> each.id().equals(id)).findFirst().orElse(null);
	}

	void trace(Object who, Supplier<String> what) {
		if (this.traced) {
			if (this.trace.size() == TRACED) {
				this.trace.removeFirst();
			}
			this.trace
				.add("%6d %s %s %s".formatted(this.steps, Duration.ofNanos(this.timeline.now()), who, what.get()));
		}
	}

	Outcome live() {
		SimulationThread.enter(this.surroundings);
		for (int i = this.dice.between(2, 4); i > 0; i--) {
			this.processes.add(start());
		}
		scheduleFault();
		pass(Timing.longer(STORM, this.ttl.multipliedBy(30)));
		if (holds()) {
			endStorm();
			checkRecovery();
		}
		return new Outcome(this.seed, this.steps, this.invariants.violated(), this.invariants.violation(),
				String.join("\n", this.trace), this.invariants.terms(), Map.copyOf(this.faults),
				Map.copyOf(this.surroundings.thrown()));
	}

	/** Return whether no promise has been violated so far. */
	boolean holds() {
		return this.invariants.violated() == null;
	}

	void pass(Duration duration) {
		long until = this.timeline.now() + duration.toNanos();
		while (holds() && this.timeline.proceed(until)) {
			this.steps++;
		}
	}

	private SimulatedProcess start() {
		Duration own = this.sameTtl ? this.ttl : this.dice.pick(TTLS);
		ElectionSettings defaults = ElectionSettings.of(own);
		Duration margin = this.dice.onceIn(2) ? defaults.safetyMargin() : own.dividedBy(50);
		Duration drainTimeout = this.dice
			.pick(List.of(Duration.ofMillis(100), Duration.ofSeconds(1), own, own.multipliedBy(2)));
		ElectionSettings settings = new ElectionSettings(own, defaults.renewInterval(), margin,
				defaults.operationTimeout(), own.dividedBy(this.dice.pick(List.of(10, 50))), drainTimeout,
				cooldown(defaults));
		int error = this.flaw.clockError();
		int wallOffset = this.dice.onceIn(2) ? this.dice.between(-7_200_000, 7_200_000) : 0;
		SimulatedClock clock = new SimulatedClock(this.timeline,
				this.dice.onceIn(3) ? this.dice.between(-error, error) : (this.started % 2 == 0) ? error : -error,
				Long.MAX_VALUE - this.dice.upTo(STORM), this.timeline.now() / 1_000_000 + wallOffset);
		SimulatedProcess process = create("process-" + ++this.started, settings, clock);
		process.start(this.elections);
		trace(process, () -> "starts with a ttl of " + own);
		return process;
	}

	Duration cooldown(ElectionSettings defaults) {
		return defaults.cooldown();
	}

	SimulatedProcess create(String id, ElectionSettings settings, SimulatedClock clock) {
		return new SimulatedProcess(this, id, settings, clock, this.flaw, false);
	}

	List<SimulatedProcess> processes() {
		return this.processes;
	}

	List<String> elections() {
		return this.elections;
	}

	/** Replace a process that has ended by a new one. */
	void replace(SimulatedProcess process) {
		this.processes.set(this.processes.indexOf(process), start());
	}

	// The storm

	private void scheduleFault() {
		this.timeline.after(this.dice.upTo(this.calmBetweenFaults.multipliedBy(2)), () -> {
			if (this.stormy && !this.weather.isEmpty()) {
				befall(this.dice.pick(this.weather), victim());
				scheduleFault();
			}
		});
	}

	/** Choose a process to hit, preferably a leader: it has more to lose. */
	private SimulatedProcess victim() {
		String election = this.dice.pick(this.elections);
		List<SimulatedProcess> leaders = this.processes.stream().filter((each) -> each.leads(election)).toList();
		boolean any = leaders.isEmpty() || this.dice.onceIn(2);
		return this.dice.pick(any ? this.processes : leaders);
	}

	void befall(Fault fault, SimulatedProcess process) {
		if (!process.isAlive() || process.isClosing()) {
			replaceIfOver(process);
			return;
		}
		this.faults.merge(fault, 1, Integer::sum);
		trace(process, () -> fault.name());
		if (this.dice.onceIn(2)) {
			this.network.flush();
		}
		Duration longTime = process.settings().ttl().multipliedBy(3);
		switch (fault) {
			case CRASH -> process.crash();
			case PAUSE -> process.pause(this.dice.upTo(longTime), false);
			case SUSPEND_OR_SET_CLOCK -> suspendOrSetClock(process, longTime);
			case CUT_OFF -> cutOff(process, longTime);
			case BREAK_WATCH -> process.breakWatch();
			case RESIGN -> process.run(() -> process.resign(this.dice.pick(this.elections), null));
			case TRANSFER ->
				process.run(() -> process.resign(this.dice.pick(this.elections), this.dice.pick(this.processes).id()));
			case STAND_ASIDE -> process.run(() -> process.standAsideForAWhile(this.dice.pick(this.elections)));
			case LEAVE -> process.run(() -> process.leaveForAWhile(this.dice.pick(this.elections)));
			case CLOSE -> process.run(process::prepareClose);
			case FAIL_OVER -> this.mongo.failOver(this.dice.below(this.mongo.uncommitted() + 1));
			case NO_MAJORITY -> forAWhile(longTime, this.network::setWithoutMajority);
			case TWO_PRIMARIES -> forAWhile(longTime, this.network::setSplitBrain);
			case DATABASE_DOWN -> forAWhile(longTime, this.network::setDown);
			case SET_SERVER_CLOCK -> setServerClock();
			case REMOVE_SESSION -> removeSession(process);
			case REMOVE_LEASE -> removeLease(process, this.dice.pick(this.elections));
			case ASK_FOR_HANDOVER -> askForHandover(this.dice.pick(this.elections));
			case PAUSE_ELECTION -> pauseElection(this.dice.pick(this.elections), longTime);
		}
	}

	private void replaceIfOver(SimulatedProcess process) {
		if (!process.isAlive() && !(this.weather.contains(Fault.REMOVE_LEASE) && isAnyLeaseMissing())) {
			replace(process);
		}
	}

	/** Never do both: a clock that is set during a suspension can't show its length. */
	private void suspendOrSetClock(SimulatedProcess process, Duration longTime) {
		if (this.suspends) {
			process.pause(this.dice.upTo(longTime), true);
		}
		else {
			process.clock().jump(Duration.ofMillis(this.dice.between(-7_200_000, 7_200_000)));
		}
	}

	private void cutOff(SimulatedProcess process, Duration longTime) {
		SimulatedLink link = this.dice
			.pick(List.of(SimulatedLink.cut(true, true), SimulatedLink.cut(true, true), SimulatedLink.cut(true, false),
					SimulatedLink.cut(false, true), SimulatedLink.slow(Duration.ofSeconds(2)), slowToAnswer(process)));
		// A link often gets slow before it breaks.
		long omen = this.dice.onceIn(2) ? this.dice.upTo(process.settings().ttl()) : 0;
		if (omen > 0) {
			process.setLink(slowToAnswer(process));
		}
		this.timeline.after(omen, () -> process.setLink(link));
		long time = process.settings().ttl().toNanos() / 2 + this.dice.upTo(longTime);
		this.timeline.after(omen + time, () -> recover(process, link));
	}

	/** Return a link by which most answers come just in time. */
	private static SimulatedLink slowToAnswer(SimulatedProcess process) {
		return SimulatedLink.slowToAnswer(process.settings().operationTimeout());
	}

	private void forAWhile(Duration longTime, Consumer<Boolean> condition) {
		condition.accept(true);
		this.timeline.after(this.dice.upTo(longTime), () -> condition.accept(false));
	}

	/** Remove a session, and perhaps the next one, as an operator may. */
	private void removeSession(SimulatedProcess process) {
		trace(process, () -> "loses its session");
		this.mongo.remove(process.session());
		if (this.dice.onceIn(2)) {
			this.network.flush();
		}
		if (!this.dice.onceIn(3)) {
			this.timeline.after(this.dice.upTo(process.settings().ttl()), () -> {
				if (this.stormy) {
					removeSession(process);
				}
			});
		}
	}

	/**
	 * Remove a lease, if the result can be checked. A process that has never seen the
	 * lease can't know of it, and takes it at once; one that has forgotten it waits for
	 * its own time to live. So no process is new while the lease is missing, all have the
	 * same time to live, and no server shows outdated data.
	 */
	private void removeLease(SimulatedProcess process, String election) {
		if (this.sameTtl && !this.weather.contains(Fault.TWO_PRIMARIES) && process.link().isGood()) {
			process.setLink(slowToAnswer(process));
			removeWhileItReads(process, election, this.timeline.now() + process.settings().ttl().toNanos());
		}
	}

	/** Remove the lease after a read has shown it, and long before that is answered. */
	private void removeWhileItReads(SimulatedProcess process, String election, long latest) {
		Lease lease = this.mongo.lease(election);
		// A process that last saw an earlier lease waits for another time to live.
		boolean known = this.stormy && lease != null && !this.mongo.isAboutToChange(election)
				&& this.processes.stream().allMatch((each) -> each.hasSeen(lease));
		if (known && process.isReading()) {
			trace(process, () -> "sees the lease of " + election + " for the last time");
			this.mongo.remove(election);
			this.processes.stream().filter((each) -> each != process).forEach(SimulatedProcess::loseWatch);
			SimulatedLink link = SimulatedLink.withoutReads();
			process.setLink(link);
			this.timeline.after(process.settings().ttl().multipliedBy(2).toNanos(), () -> recover(process, link));
		}
		else if (known && this.timeline.now() < latest) {
			this.timeline.after(Duration.ofMillis(10), () -> removeWhileItReads(process, election, latest));
		}
		else {
			recover(process, process.link());
		}
	}

	private static void recover(SimulatedProcess process, SimulatedLink from) {
		if (process.link() == from) {
			process.setLink(SimulatedLink.GOOD);
		}
	}

	private boolean isAnyLeaseMissing() {
		return this.elections.stream().anyMatch(this.mongo::isMissing);
	}

	/** Request a handover of the present term, or of an earlier or later one. */
	private void askForHandover(String election) {
		Lease lease = this.mongo.lease(election);
		if (lease != null) {
			long term = this.dice.onceIn(3) ? lease.term() + this.dice.between(-2, 2) : lease.term();
			String successor = this.dice.onceIn(2) ? this.dice.pick(this.processes).id() : null;
			this.mongo.ask(election, new HandoverRequest(term, successor, "somebody"));
		}
	}

	private void pauseElection(String election, Duration longTime) {
		this.mongo.pause(election, true);
		this.timeline.after(this.dice.upTo(longTime), () -> this.mongo.pause(election, false));
	}

	private void setServerClock() {
		this.mongo.setClockError(Duration.ofMillis(this.dice.between(-7_200_000, 7_200_000)));
	}

	// The calm

	private void endStorm() {
		this.stormy = false;
		this.network.calmDown();
		this.elections.forEach((election) -> this.mongo.pause(election, false));
		this.processes.forEach((process) -> process.setLink(SimulatedLink.GOOD));
		trace("the storm", () -> "ends");
		// Pauses end, and messages that are under way arrive.
		pass(longestTtl().plus(SimulatedNetwork.BEYOND_ANY_TIMEOUT));
		checkOutages();
		pass(longestTtl().multipliedBy(5));
		// A new process can't know of terms that no process remembers.
		this.elections.forEach((election) -> this.mongo.restore(election, this.invariants.highestTerm(election)));
		for (SimulatedProcess process : List.copyOf(this.processes)) {
			if (!process.isAlive() || process.isClosing()) {
				replace(process);
			}
		}
		while (this.processes.size() < 3) {
			this.processes.add(start());
		}
		pass(longestTtl().multipliedBy(3));
	}

	/** Check that nobody reports an outage that is over. */
	private void checkOutages() {
		for (SimulatedProcess process : this.processes) {
			StoreOutage wrong = process.wrongOutage(longestTtl());
			if (wrong != null) {
				this.invariants.violate(Invariant.I4, process + " still reports " + wrong);
			}
		}
	}

	Duration longestTtl() {
		return this.sameTtl ? this.ttl : TTLS.get(TTLS.size() - 1);
	}

	void checkRecovery() {
		this.elections.forEach((election) -> leader(election, "after the storm"));
		String election = this.dice.pick(this.elections);
		SimulatedProcess leader = leader(election, "after the storm");
		if (holds()) {
			checkCrash(election, leader);
		}
		leader = leader(election, "after a crash");
		if (holds()) {
			checkResignation(election, leader);
		}
		leader = leader(election, "after a resignation");
		if (holds()) {
			checkTransfer(election, leader);
		}
		if (holds()) {
			checkPause(election);
		}
		if (holds()) {
			checkStability();
		}
		leader = leader(election, "in a long calm");
		if (holds()) {
			checkStuckWork(election, leader);
		}
		if (holds()) {
			checkCrashAfterHandover(election);
		}
	}

	private void checkCrash(String election, SimulatedProcess leader) {
		pass(Duration.ofNanos(this.dice.upTo(leader.settings().ttl())));
		checkCrash(election, leader, 0, Duration.ZERO);
	}

	/** Check the crash of a leader that others may not have noticed yet. */
	private void checkCrashAfterHandover(String election) {
		this.processes.forEach(SimulatedProcess::crash);
		List.copyOf(this.processes).subList(0, this.dice.between(2, this.processes.size())).forEach(this::replace);
		// Perhaps long enough for all but one to stop standing by.
		pass(Sessions.LISTING_INTERVAL.multipliedBy(this.dice.onceIn(2) ? 2 : 0).plus(longestTtl().multipliedBy(2)));
		SimulatedProcess leader = leader(election, "before a resignation");
		for (int i = this.dice.between(1, 3); i > 0 && holds(); i--) {
			// This is longer than any cooldown.
			pass(longestTtl().dividedBy(4).plusNanos(this.dice.upTo(longestTtl())));
			checkResignation(election, leader);
			leader = leader(election, "after a resignation");
		}
		if (holds()) {
			long seen = this.timeline.now() + longest(ElectionSettings::pollInterval).toNanos() / 2;
			pass(Duration.ofNanos(
					this.dice.upTo(this.dice.onceIn(2) ? leader.settings().pollInterval() : leader.settings().ttl())));
			checkCrash(election, leader, seen, longest(ElectionSettings::renewInterval)
				.plus(longest(ElectionSettings::pollInterval).dividedBy(3)));
		}
	}

	private Duration longest(Function<ElectionSettings, Duration> setting) {
		return Collections.max(this.processes.stream().map((each) -> setting.apply(each.settings())).toList());
	}

	/**
	 * Check that a crashed leader is replaced in time, counted from its last renewal, or
	 * from when others saw that it leads, if that was later.
	 */
	private void checkCrash(String election, SimulatedProcess leader, long seen, Duration more) {
		trace(leader, () -> "crashes in the calm");
		leader.crash();
		// Requests that it has sent may still arrive.
		pass(Duration.ofMillis(10));
		Duration age = this.mongo.sinceRenewed(leader.session());
		long last = Math.max(seen, this.timeline.now() - age.toNanos());
		Duration time = leader.settings().ttl().plus(longest(ElectionSettings::pollInterval)).plus(more);
		long limit = last + Math.round(time.toNanos() * 1.0102) + Duration.ofMillis(50).toNanos();
		pass(Duration.ofNanos(limit - this.timeline.now()));
		leader(election, "a TTL and a poll interval after a crash");
	}

	private void checkResignation(String election, SimulatedProcess leader) {
		trace(leader, () -> "resigns in the calm");
		leader.run(() -> leader.resign(election, null));
		pass(Duration.ofMillis(200));
		if (leader(election, "200 ms after a resignation") == leader) {
			this.invariants.violate(Invariant.I4, leader + " has not handed over");
		}
	}

	private void checkTransfer(String election, SimulatedProcess leader) {
		SimulatedProcess successor = this.dice
			.pick(this.processes.stream().filter((each) -> each.isAlive() && each != leader).toList());
		// The successor may be in its cooldown after an earlier resignation.
		pass(longestTtl());
		trace(leader, () -> "resigns in favour of " + successor);
		leader.run(() -> leader.resign(election, successor.id()));
		pass(Duration.ofMillis(200));
		if (leader(election, "200 ms after a transfer") != successor) {
			this.invariants.violate(Invariant.I4, successor + " has not taken over from " + leader);
		}
	}

	/** Check that nobody leads a paused election, whatever else is requested. */
	private void checkPause(String election) {
		Lease lease = this.mongo.lease(election);
		trace(election, () -> "is paused in the calm");
		this.mongo.pause(election, true);
		this.mongo.ask(election, new HandoverRequest(lease.term() + 1, null, "somebody"));
		this.mongo.commit();
		// All have read their leases, and work has ended.
		pass(longestTtl().multipliedBy(2));
		List<SimulatedProcess> leaders = this.processes.stream().filter((each) -> each.leads(election)).toList();
		long term = this.mongo.lease(election).term();
		pass(longestTtl());
		if (!leaders.isEmpty() || this.mongo.lease(election).term() != term) {
			this.invariants.violate(Invariant.I4, "%s lead '%s', which is paused".formatted(leaders, election));
		}
		this.mongo.pause(election, false);
		this.mongo.commit();
		pass(longestTtl().multipliedBy(2));
		leader(election, "after it was resumed");
	}

	private void checkStability() {
		int terms = this.invariants.terms();
		pass(longestTtl().multipliedBy(3));
		for (String election : this.elections) {
			leader(election, "in a long calm");
			this.processes.stream().filter(SimulatedProcess::isAlive).forEach((each) -> {
				this.invariants.checkTold(each, election);
				this.invariants.checkHeard(each, election);
			});
		}
		if (this.invariants.terms() != terms) {
			this.invariants.violate(Invariant.I4, "a leader has changed without a reason");
		}
	}

	/** Check that work that never ends keeps no lease. */
	private void checkStuckWork(String election, SimulatedProcess leader) {
		trace(leader, () -> "is stuck in the calm");
		leader.run(() -> leader.getStuck(election));
		leader.run(() -> leader.resign(election, null));
		pass(leader.settings()
			.drainTimeout()
			.plus(leader.settings().ttl())
			.multipliedBy(102)
			.dividedBy(100)
			.plus(leader.settings().pollInterval().multipliedBy(3))
			.plusMillis(200));
		if (leader(election, "a TTL after a drain that took too long") == leader) {
			this.invariants.violate(Invariant.I4, leader + " leads on beside work that is stuck");
		}
	}

	private SimulatedProcess leader(String election, String when) {
		List<SimulatedProcess> leaders = this.processes.stream().filter((each) -> each.leads(election)).toList();
		if (leaders.size() != 1 && holds()) {
			this.invariants.violate(Invariant.I4, "%s lead '%s' %s".formatted(leaders, election, when));
			this.processes.forEach((each) -> trace(each, () -> each.describe(election)));
		}
		return leaders.isEmpty() ? null : leaders.get(0);
	}

	/** The faults. */
	enum Fault {

		CRASH, PAUSE, SUSPEND_OR_SET_CLOCK, CUT_OFF, BREAK_WATCH, RESIGN, TRANSFER, STAND_ASIDE, LEAVE, CLOSE,
		FAIL_OVER, NO_MAJORITY, TWO_PRIMARIES, DATABASE_DOWN, SET_SERVER_CLOCK, REMOVE_SESSION, REMOVE_LEASE,
		ASK_FOR_HANDOVER, PAUSE_ELECTION;

		/** Return whether an operator requests it, through the store. */
		boolean isByHand() {
			return this == ASK_FOR_HANDOVER || this == PAUSE_ELECTION;
		}

	}

	/**
	 * How a day went.
	 *
	 * @param violated the first promise that was broken, {@code null} if none was
	 * @param violation how it was broken
	 * @param trace what led to it
	 */
	record Outcome(long seed, long steps, Invariant violated, String violation, String trace, int terms,
			Map<Fault, Integer> faults, Map<Surroundings.Source, Integer> thrown) {

		@Override
		public String toString() {
			return "seed %d, step %d: %s: %s%n%s%nRepeat it with -Dsimulation.first=%d -Dsimulation.seeds=1"
				.formatted(this.seed, this.steps, this.violated, this.violation, this.trace, this.seed);
		}

	}

}
