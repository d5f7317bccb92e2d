package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.Dice;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.SuppliedClock;
import io.github.leaderelection.engine.Timeline;
import io.github.leaderelection.job.SimulatedElection.SimulatedTerm;
import io.github.leaderelection.store.StoredRecord;

/**
 * A bad day for one scheduled job on several processes, in one thread and in simulated
 * time. It runs the production code that opens, decides, starts and ends. The schedulers
 * of the processes, their wall clocks, the election and the store are simulated. One seed
 * decides everything.
 */
final class RunSimulation {

	enum Promise {

		/** No attempt of a fire time begins twice. */
		STARTED_ONCE,

		/** A run begins only while its term is held. */
		STARTED_BY_LEADER,

		/** A fire time that comes in the calm, or shortly before, is started. */
		NOT_MISSED,

		/**
		 * Each fire time was begun, reported as unfinished, or counted as skipped or
		 * missed, and an opened record shows all that was ever started before.
		 */
		NOTHING_SILENT

	}

	enum Event {

		CRASH, PAUSE, HANDOVER, EXPIRY, OUTAGE, CLOCK_SET

	}

	record Summary(long seed, Promise violated, String detail, int starts, int caughtUp, Map<Event, Integer> events) {

	}

	private static final JobKey KEY = new JobKey(SimulatedElection.NAME, "job");

	private static final long BEGIN = Instant.parse("2026-03-01T00:00:00Z").toEpochMilli();

	private static final int MOST_NESTED = 12;

	private final Timeline timeline = new Timeline();

	private final List<Process> processes = new ArrayList<>();

	private final Map<Event, Integer> events = new HashMap<>();

	private final Set<String> begun = new HashSet<>();

	private final Set<String> begunRuns = new HashSet<>();

	private final Set<String> unfinished = new HashSet<>();

	private final long seed;

	private final Dice dice;

	private final RunFlaw flaw;

	private final boolean sparse;

	private final long spacing;

	private final Job job;

	private final ObservedRecords store = new ObservedRecords(KEY, () -> Instant.ofEpochMilli(now()));

	private long terms;

	private int nested;

	private int incarnations;

	private boolean calm;

	private boolean storeDown;

	private int caughtUp;

	private Process leader;

	private Promise violated;

	private String detail = "";

	private RunSimulation(long seed, RunFlaw flaw) {
		this.seed = seed;
		this.dice = new Dice(seed);
		this.flaw = flaw;
		this.sparse = this.dice.onceIn(2);
		// Sparse: fire times are further apart than all faults together can last.
		this.spacing = this.sparse ? 900_000 : 1_000L * this.dice.between(5, 30);
		this.job = new Job(KEY, TimetableTests.everySeconds(this.spacing / 1000),
				Duration.ofMinutes(this.sparse ? 14 : this.dice.between(1, 10)), this.dice.between(1, 2));
		for (int i = this.dice.between(2, 4); i > 0; i--) {
			this.processes.add(new Process());
		}
	}

	static Summary run(long seed, RunFlaw flaw) {
		RunSimulation simulation = new RunSimulation(seed, flaw);
		try {
			simulation.run();
		}
		catch (Over ex) {
			// The broken promise has been noted.
		}
		return new Summary(seed, simulation.violated, simulation.detail, simulation.begun.size(), simulation.caughtUp,
				simulation.events);
	}

	private void run() {
		elect(0);
		for (int rounds = this.dice.between(4, 7); rounds > 0; rounds--) {
			for (int faults = this.dice.between(1, 5); faults > 0; faults--) {
				fault();
				// Mostly around fire times.
				long next = this.spacing - Math.floorMod(now(), this.spacing);
				advance(this.dice.onceIn(3) ? this.dice.below(20_000) : next - 2_000 + this.dice.below(4_000));
			}
			this.calm = true;
			this.storeDown = false;
			// Pauses end, and clocks that are a day ahead are set back.
			advance(100_000);
			calmIsOver();
			this.calm = false;
		}
	}

	/** Check, after all was well for a while, that everything that has come is done. */
	private void calmIsOver() {
		Process present = this.leader;
		if (present == null || !present.election.isLed()) {
			throw violation(Promise.NOT_MISSED, "nobody leads in calm times");
		}
		RunRecord record = this.store.record();
		if (record == null) {
			throw violation(Promise.NOT_MISSED, "there is no record");
		}
		// A clock that is ahead of the store's by more than a minute must not decide.
		Instant settled = Instant.ofEpochMilli(Math.min(present.wall(), now()) - 10_000);
		if (record.covered().toEpochMilli() > now() + 65_000) {
			throw violation(Promise.NOT_MISSED, "covered is what is still to come, in " + record);
		}
		int open = this.job.timetable().count(record.covered(), settled);
		if (open > 0 && present.run == null) {
			throw violation(Promise.NOT_MISSED, open + " fire times are open until " + settled + ", of " + record);
		}
		JobRun last = record.last();
		if (last != null && last.outcome() == Outcome.UNFINISHED && last.attempt() < this.job.attempts()) {
			throw violation(Promise.NOT_MISSED, "there is no further attempt, in " + record);
		}
		account(record);
		if (this.sparse && record.missed() > 0) {
			throw violation(Promise.NOT_MISSED, record.missed() + " were missed of " + record);
		}
	}

	private void account(RunRecord record) {
		if (this.store.late() != null) {
			throw violation(Promise.NOTHING_SILENT, "started after a later term had begun: " + this.store.late());
		}
		Instant since = this.store.since();
		Set<Instant> started = new HashSet<>();
		this.store.started().forEach((id, fireTime) -> {
			boolean told = this.begunRuns.contains(id) || this.unfinished.contains(id);
			boolean present = record.last() != null && record.isLast(id) && record.last().outcome() == Outcome.RUNNING;
			if (told || present) {
				started.add(fireTime);
			}
		});
		started.removeIf((fireTime) -> !fireTime.isAfter(since) || fireTime.isAfter(record.covered()));
		long all = this.job.timetable().count(since, record.covered());
		if (all < 1000 && all != started.size() + record.skipped() + record.missed()) {
			throw violation(Promise.NOTHING_SILENT,
					"%d fire times since %s, of which %d started, in %s".formatted(all, since, started.size(), record));
		}
		JobRun last = record.last();
		if (last != null && last.outcome() == Outcome.RUNNING && !this.begunRuns.contains(last.id())
				&& last.term() < record.fence() && !this.unfinished.contains(last.id())) {
			throw violation(Promise.NOTHING_SILENT, "neither begun nor reported: " + record);
		}
	}

	private void fault() {
		Event event = Event.values()[this.dice.below(Event.values().length)];
		this.events.merge(event, 1, Integer::sum);
		Process victim = (this.leader != null && this.dice.onceIn(2)) ? this.leader
				: this.processes.get(this.dice.below(this.processes.size()));
		switch (event) {
			case CRASH -> crash(victim);
			case PAUSE -> pause(victim, this.dice.below(60_000));
			case HANDOVER -> handOver();
			case EXPIRY -> expire();
			case OUTAGE -> {
				long millis = this.dice.below(60_000);
				this.storeDown = true;
				later(millis, () -> this.storeDown = false);
				expireAfter(millis);
			}
			case CLOCK_SET -> victim.setClock();
		}
	}

	private void crash(Process victim) {
		int index = this.processes.indexOf(victim);
		if (index < 0) {
			return;
		}
		victim.crashed = true;
		this.processes.set(index, new Process());
		if (victim == this.leader) {
			end(victim.election.term());
			elect(this.dice.below(30_000));
		}
	}

	private void pause(Process victim, long millis) {
		victim.pausedUntil = Math.max(victim.pausedUntil, now() + millis);
		if (victim == this.leader) {
			expireAfter(millis);
		}
	}

	/** End the term of the leader if it is silent for too long. */
	private void expireAfter(long silence) {
		Process silent = this.leader;
		if (silent != null && silence > 18_000) {
			SimulatedTerm term = silent.election.term();
			later(18_000, () -> {
				if (silent == this.leader && term.isHeld()) {
					end(term);
					elect(this.dice.below(4_000));
				}
			});
		}
	}

	private void expire() {
		if (this.leader != null) {
			end(this.leader.election.term());
			elect(this.dice.below(4_000));
		}
	}

	private void handOver() {
		Process present = this.leader;
		if (present != null && !present.election.term().isEnding()) {
			SimulatedTerm term = present.election.term();
			term.beginEnding();
			drain(present, term, now() + 25_000);
		}
	}

	private void drain(Process present, SimulatedTerm term, long until) {
		if (!term.isHeld()) {
			return;
		}
		if (!present.isBusy() || now() >= until) {
			boolean drained = !present.isBusy();
			end(term);
			elect(drained ? this.dice.below(200) : 20_000);
		}
		else {
			later(50, () -> drain(present, term, until));
		}
	}

	private void end(SimulatedTerm term) {
		term.end();
		Process past = this.leader;
		this.leader = null;
		if (past != null && !past.crashed) {
			past.noteClock();
			past.wake();
			past.interrupt();
		}
	}

	private void elect(long in) {
		long after = this.terms;
		later(in, () -> {
			if (this.leader != null || this.terms != after) {
				return;
			}
			List<Process> able = this.processes.stream()
				.filter((each) -> !each.isBusy() && each.pausedUntil <= now())
				.toList();
			if (able.isEmpty() || this.storeDown) {
				elect(500);
				return;
			}
			this.leader = able.get(this.dice.below(able.size()));
			this.terms++;
			this.leader.election.begin(this.terms);
			this.leader.wake();
		});
	}

	Dice dice() {
		return this.dice;
	}

	boolean isCalm() {
		return this.calm;
	}

	boolean isStoreDown() {
		return this.storeDown;
	}

	void later(long millis, Runnable action) {
		this.timeline.after(Duration.ofMillis(millis), action);
	}

	private long now() {
		return BEGIN + this.timeline.now() / 1_000_000;
	}

	/** Let time pass, and run the events in it. */
	private void advance(long millis) {
		long until = this.timeline.now() + millis * 1_000_000;
		if (this.nested == MOST_NESTED) {
			this.timeline.holdUp(until);
			return;
		}
		this.nested++;
		try {
			while (this.timeline.proceed(until)) {
				// The condition runs the event.
			}
		}
		finally {
			this.nested--;
		}
	}

	private Over violation(Promise promise, String what) {
		if (this.violated == null) {
			this.violated = promise;
			this.detail = "seed=%d at %s: %s".formatted(this.seed, Instant.ofEpochMilli(now()), what);
		}
		return new Over();
	}

	/** Ends the day, or what a process is doing when it crashes. */
	private static final class Over extends Error {

		private static final long serialVersionUID = 1L;

		Over() {
			super(null, null, false, false);
		}

	}

	/** A process with its scheduler, until it crashes. */
	final class Process implements JobListener {

		private final SimulatedElection election;

		private final RecordedJobs jobs;

		private long offset = drawOffset();

		private long pausedUntil;

		private boolean crashed;

		private boolean turning;

		private boolean turnAgain;

		private long turnPlanned = Long.MAX_VALUE;

		private int calls;

		private RecordedRun run;

		/** Whether the run waits for the store, even after its term has ended. */
		private boolean hangs;

		/** The latest wall-clock time that was shown while this process led. */
		private long ledUntil = Long.MIN_VALUE;

		private StoredRecord toRecord;

		Process() {
			this.election = new SimulatedElection("p" + RunSimulation.this.incarnations++);
			this.jobs = new RecordedJobs(this.election::seen, new SimulatedRecordStore(RunSimulation.this, this,
					RunSimulation.this.store, RunSimulation.this.flaw), "", List.of(this), clock());
			this.jobs.register(RunSimulation.this.job, (planned, done) -> {
				if (RunSimulation.this.flaw != RunFlaw.NOTHING_CAUGHT_UP) {
					RunSimulation.this.later(RunSimulation.this.dice.below(50), () -> onThread(() -> {
						try {
							attempt(planned);
						}
						finally {
							done.run();
						}
					}));
				}
				return new CompletableFuture<>();
			});
			tickAfter(Instant.ofEpochMilli(wall()));
			wake();
		}

		private EngineClock clock() {
			return new SuppliedClock(RunSimulation.this.timeline::now, this::wall);
		}

		/** Return the present term, 0 if there is none. */
		long term() {
			return this.election.isLed() ? this.election.term().term() : 0;
		}

		long wall() {
			return now() + this.offset;
		}

		private long drawOffset() {
			return RunSimulation.this.dice.below(240_000) - 120_000;
		}

		private void setClock() {
			noteClock();
			this.offset = drawOffset();
			if (RunSimulation.this.dice.onceIn(3)) {
				this.offset += 86_400_000;
				RunSimulation.this.later(22_000, () -> this.offset = drawOffset());
			}
		}

		/** Note the wall clock, before it is set and at the end of a term. */
		private void noteClock() {
			this.ledUntil = Math.max(this.ledUntil, wall());
		}

		/** Check that fire times are skipped only during a run whose term is held. */
		void requireLedUntil(Instant skipped) {
			if (!this.election.isLed() && skipped.toEpochMilli() > this.ledUntil) {
				throw violation(Promise.NOT_MISSED, "skipped until " + skipped + ", after its term");
			}
		}

		boolean isBusy() {
			return this.run != null || this.calls > 0;
		}

		/** Run an action on a thread of this process, after its pause if it is paused. */
		private void onThread(Runnable action) {
			if (this.crashed) {
				return;
			}
			if (this.pausedUntil > now()) {
				RunSimulation.this.later(this.pausedUntil - now(), () -> onThread(action));
				return;
			}
			try {
				action.run();
			}
			catch (Over ex) {
				if (RunSimulation.this.violated != null) {
					throw ex;
				}
			}
		}

		/** Let a call of the store take its time. */
		void await(long millis) {
			advance(millis);
			while (this.pausedUntil > now() && !this.crashed) {
				advance(this.pausedUntil - now());
			}
			if (this.crashed) {
				throw new Over();
			}
		}

		private void tickAfter(Instant last) {
			Instant from = latest(last, Instant.ofEpochMilli(wall()));
			Instant fireTime = RunSimulation.this.job.timetable().next(new RunRecord(KEY, 1, 0, from, "", 0, 0, null));
			waitFor(fireTime);
		}

		private static Instant latest(Instant one, Instant other) {
			return one.isAfter(other) ? one : other;
		}

		private void waitFor(Instant fireTime) {
			long left = fireTime.toEpochMilli() - wall();
			// A scheduler waits by the monotonic clock, and does not notice a set clock.
			RunSimulation.this.later(Math.max(1, left), () -> onThread(() -> {
				try {
					attempt(PlannedRun.tick());
				}
				finally {
					awaitRun(fireTime);
				}
			}));
		}

		/** Plan the next run once the last one has ended, as a scheduler does. */
		private void awaitRun(Instant fireTime) {
			if (this.run != null) {
				RunSimulation.this.later(50, () -> onThread(() -> awaitRun(fireTime)));
			}
			else {
				tickAfter(fireTime);
			}
		}

		private void attempt(PlannedRun planned) {
			SimulatedTerm term = this.election.term();
			if (term == null || term.isEnding()) {
				return;
			}
			PlannedRun asPlanned = (RunSimulation.this.flaw == RunFlaw.OWN_CLOCK_FOR_FIRE_TIME
					&& planned.attempt() == 1) ? PlannedRun.at(Instant.ofEpochMilli(wall())) : planned;
			this.calls++;
			RecordedRun.Begin begin;
			try {
				begin = this.jobs.begin(KEY, asPlanned,
						(RunSimulation.this.flaw == RunFlaw.RUN_OUTLIVES_ITS_TERM) ? outlived(term) : term);
			}
			finally {
				this.calls--;
			}
			if (begin.result() == Result.RAN && begin.run() != null) {
				begun(begin.run(), term);
			}
		}

		private Leadership outlived(SimulatedTerm term) {
			return new SimulatedTerm(term.candidateId(), term.term()) {

				@Override
				public boolean isHeld() {
					return Process.this.run != null || term.isHeld();
				}

			};
		}

		private void begun(RecordedRun begun, SimulatedTerm term) {
			if (!term.isHeld()) {
				throw violation(Promise.STARTED_BY_LEADER, begun.run() + " was begun after its term");
			}
			RunSimulation.this.begunRuns.add(begun.run().id());
			if (!RunSimulation.this.begun.add(nominal(begun.run()) + "#" + begun.run().attempt())) {
				throw violation(Promise.STARTED_ONCE, begun.run() + " was begun before");
			}
			if (begun.run().cause() == JobRun.Cause.CATCH_UP) {
				RunSimulation.this.caughtUp++;
			}
			this.run = begun;
			Dice dice = RunSimulation.this.dice;
			this.hangs = dice.onceIn(2);
			endIn(dice.below(dice.onceIn(5) ? 40_000 : 500), begun, null);
		}

		private Instant nominal(JobRun run) {
			return Instant.ofEpochMilli(Math.floorDiv(run.fireTime().toEpochMilli(), RunSimulation.this.spacing)
					* RunSimulation.this.spacing);
		}

		private void endIn(long millis, RecordedRun ending, Throwable failure) {
			RunSimulation.this.later(millis, () -> onThread(() -> {
				if (this.run == ending && isHanging()) {
					endIn(1_000, ending, failure);
				}
				else if (this.run == ending) {
					this.calls++;
					try {
						ending.end(failure);
						recordNow();
					}
					finally {
						this.calls--;
						this.run = (this.run == ending) ? null : this.run;
					}
				}
			}));
		}

		private boolean isHanging() {
			return this.hangs && RunSimulation.this.storeDown;
		}

		void interrupt() {
			RecordedRun interrupted = this.run;
			if (interrupted != null && !RunSimulation.this.dice.onceIn(4)) {
				endIn(RunSimulation.this.dice.below(2_000), interrupted, new InterruptedException());
			}
		}

		void recordLater(StoredRecord start) {
			this.toRecord = start;
		}

		private void recordNow() {
			if (this.toRecord != null) {
				RunSimulation.this.store.replace(this.toRecord);
				this.toRecord = null;
			}
		}

		void wake() {
			plan(0);
		}

		private void plan(long in) {
			long at = now() + in;
			if (at < this.turnPlanned) {
				this.turnPlanned = at;
				RunSimulation.this.later(in, () -> onThread(this::turn));
			}
		}

		private void turn() {
			this.turnPlanned = Long.MAX_VALUE;
			if (this.turning) {
				this.turnAgain = true;
				return;
			}
			this.turning = true;
			Duration wait;
			try {
				wait = this.jobs.turn();
			}
			finally {
				this.turning = false;
			}
			plan(this.turnAgain ? 0 : Math.min(1_000, Math.max(1, wait.toMillis())));
			this.turnAgain = false;
		}

		@Override
		public void onUnfinished(JobRun run, boolean again) {
			RunSimulation.this.unfinished.add(run.id());
		}

	}

}
