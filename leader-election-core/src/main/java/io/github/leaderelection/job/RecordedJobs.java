package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.EngineThread;
import io.github.leaderelection.engine.Signal;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordStore;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of this process whose runs are recorded. Owns one thread, however many there
 * are, and none while there are none: it opens the records of what this process has begun
 * to lead, all in one call, has runs launched that are due, records what is owed, and
 * looks now and then what has become of the jobs that others run. Runs themselves take
 * place on the threads of their schedulers.
 */
public final class RecordedJobs implements JobRuns, ElectionListener, AutoCloseable {

	/**
	 * The fields of the records.
	 */
	public static final List<String> FIELDS = RunCodec.FIELDS;

	private static final EngineLog log = EngineLog.of(RecordedJobs.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration IDLE = Duration.ofSeconds(30);

	private final Map<JobKey, JobLedger> jobs = new ConcurrentHashMap<>();

	/** Runs of theirs may go on. */
	private final Map<JobKey, JobLedger> forgotten = new ConcurrentHashMap<>();

	private final AtomicBoolean started = new AtomicBoolean();

	/** Jobs that their schedulers did not take. Known to the own thread only. */
	private final Set<JobKey> rejected = new HashSet<>();

	private final Signal signal = new Signal();

	private final Supplier<LeaderElection> elections;

	private final RunRecords records;

	private final OwedEnds owed;

	private final RunClock runClock;

	private final JobListener listener;

	private final EngineClock clock;

	private volatile boolean wanted;

	private volatile boolean closed;

	private long lookAtOthers;

	/**
	 * Create an instance that knows no jobs.
	 * @param elections supplies the elections of this process; first asked when a job
	 * runs, or this instance was started
	 * @param store where runs are recorded
	 * @param listeners who hears of them
	 * @param clock the clocks of this process
	 */
	public RecordedJobs(Supplier<LeaderElection> elections, RecordStore store, List<JobListener> listeners,
			EngineClock clock) {
		this.elections = elections;
		this.runClock = new RunClock(clock);
		this.records = new RunRecords(store, this.runClock);
		this.owed = new OwedEnds(this.records, this.runClock);
		this.listener = new JobListeners(listeners);
		this.clock = clock;
		this.lookAtOthers = clock.nanos();
	}

	/**
	 * Add a job.
	 * @param job the job
	 * @param launcher starts runs that its scheduler would not start by itself,
	 * {@code null} if there are none
	 * @throws IllegalArgumentException if there is one of that name in the election
	 */
	public void register(Job job, @Nullable RunLauncher launcher) {
		JobLedger ledger = ledger(job, launcher);
		ledger.follow(this.forgotten.get(job.key()));
		JobLedger known = this.jobs.putIfAbsent(job.key(), ledger);
		if (known != null) {
			throw new IllegalArgumentException(
					"There are two jobs '%s'. Give one of them another name, ".formatted(job.key())
							+ "such as by @LeaderOnly(job = \"…\")");
		}
		this.listener.onRegistered(job);
		startThread();
		this.signal.raise();
	}

	/**
	 * Forget a job: no run of it is started any more. What a run that goes on owes is
	 * recorded all the same, and if the job comes again, it waits for that run. Has no
	 * effect if there is none of that name.
	 * @param key the job
	 */
	public void unregister(JobKey key) {
		JobLedger ledger = this.jobs.get(key);
		if (ledger != null) {
			this.forgotten.put(key, ledger);
			this.jobs.remove(key);
			ledger.left(0);
		}
	}

	private JobLedger ledger(Job job, @Nullable RunLauncher launcher) {
		return new JobLedger(job, launcher, this.records, this.owed, this.listener, this.runClock, this.signal::raise);
	}

	/**
	 * Begin to look after the jobs.
	 */
	public void start() {
		this.wanted = true;
		startThread();
	}

	private void startThread() {
		if (this.wanted && !this.jobs.isEmpty() && this.started.compareAndSet(false, true)) {
			EngineThread.start("leader-election-jobs", new EngineThread(() -> {
				this.signal.await(turn().toNanos());
				return !this.closed;
			}, () -> this.closed));
		}
	}

	/**
	 * Have all jobs looked at once more, at once: where clocks stand still, as in tests,
	 * nobody sees by himself that a fire time has come.
	 */
	public void look() {
		this.jobs.values().forEach(JobLedger::lookAgain);
		this.signal.raise();
	}

	/**
	 * End to look after the jobs. What is still owed is recorded once more, if the store
	 * can be reached.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.signal.raise();
		this.jobs.values().forEach((job) -> {
			job.concludeWhatIsOwed();
			job.left(0);
		});
		this.owed.settle();
		if (!this.owed.isEmpty()) {
			String failure = this.records.failure();
			log.tell((logger) -> logger.warn(
					"The end of a run can't be recorded, so the next leader will take it for unfinished{}",
					(failure != null) ? ": " + failure : ""));
		}
	}

	@Override
	public void onElected(Leadership leadership) {
		this.signal.raise();
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.signal.raise();
	}

	/**
	 * Do what there is to do now.
	 * @return how long there is nothing to do, unless something happens
	 */
	Duration turn() {
		LeaderElection present = this.elections.get();
		Map<JobLedger, Leadership> led = new HashMap<>();
		List<JobLedger> others = new ArrayList<>();
		for (JobLedger job : this.jobs.values()) {
			Leadership leadership = leadership(present, job.key().election());
			job.concludeWhatIsOwed();
			job.left((leadership != null) ? leadership.term() : 0);
			if (leadership != null) {
				led.put(job, leadership);
			}
			else {
				others.add(job);
			}
		}
		this.forgotten.values().forEach(JobLedger::concludeWhatIsOwed);
		this.owed.settle();
		boolean answered = true;
		try {
			if (!led.isEmpty()) {
				this.records.compareClocks();
			}
			open(led);
		}
		catch (LeaseStoreException ex) {
			// What is open is not concerned: the failure may be that of one record.
			answered = false;
		}
		Duration wait = launch(led);
		try {
			lookAtOthers(others);
		}
		catch (LeaseStoreException ex) {
			answered = false;
		}
		return (answered || wait.compareTo(RETRY) < 0) ? wait : RETRY;
	}

	private static @Nullable Leadership leadership(LeaderElection elections, String election) {
		try {
			return elections.leadership(election).orElse(null);
		}
		catch (UnknownElectionException ex) {
			// Not yet, or no more.
			return null;
		}
	}

	private void open(Map<JobLedger, Leadership> led) {
		Map<JobLedger, Leadership> opening = new HashMap<>(led);
		opening.entrySet().removeIf((entry) -> entry.getKey().isOpen(entry.getValue().term()));
		if (opening.isEmpty()) {
			return;
		}
		RunReading reading = this.records.open(
				opening.entrySet().stream().map((entry) -> entry.getKey().opening(entry.getValue().term())).toList(),
				// What is replaced is told, too.
				(before) -> opening.keySet()
					.stream()
					.filter((job) -> !job.isKnown())
					.forEach((job) -> job.seen(before, true)));
		opening.forEach((job, leadership) -> job.opened(reading, leadership));
	}

	private void lookAtOthers(Collection<JobLedger> others) {
		long now = this.clock.nanos();
		if (!others.isEmpty() && now - this.lookAtOthers >= 0) {
			RunReading reading = this.records.find(others.stream().map(JobLedger::key).toList());
			LeaderElection present = this.elections.get();
			for (JobLedger job : others) {
				job.seen(reading, leadership(present, job.key().election()) != null);
			}
			this.lookAtOthers = now + IDLE.toNanos();
		}
	}

	private Duration launch(Map<JobLedger, Leadership> led) {
		Duration wait = IDLE;
		for (Map.Entry<JobLedger, Leadership> entry : led.entrySet()) {
			Duration until = RETRY;
			try {
				until = entry.getKey().look(entry.getValue());
				this.rejected.remove(entry.getKey().key());
			}
			catch (LeaseStoreException ex) {
				// Told already.
			}
			catch (RuntimeException ex) {
				JobKey key = entry.getKey().key();
				if (this.rejected.add(key)) {
					log.tell(ex,
							(logger, cause) -> logger.warn(
									"A run of job '{}' is due and can't be started; it is tried again each second", key,
									cause));
				}
			}
			if (until != null && until.compareTo(wait) < 0) {
				wait = until;
			}
		}
		return (!this.owed.isEmpty() && RETRY.compareTo(wait) < 0) ? RETRY : wait;
	}

	/**
	 * Begin a run in the calling thread, which is in a call of the gate of its election.
	 * Calls the store.
	 * @param key the job, one that was registered
	 * @param planned which run
	 * @param leadership under which leadership
	 * @return what has become of it
	 */
	public Begin begin(JobKey key, PlannedRun planned, Leadership leadership) {
		JobLedger job = this.jobs.get(key);
		if (job == null) {
			throw new IllegalArgumentException("There is no job '%s'".formatted(key));
		}
		return begin(job, planned, leadership);
	}

	private Begin begin(JobLedger job, PlannedRun planned, Leadership leadership) {
		Begin begin = job.begin(planned, leadership);
		// A scheduler that counts by itself ticks whether or not a run is due.
		if (begin.run() == null && !(planned.isTick() && begin.result() == Result.ALREADY_RUN)) {
			this.listener.onRefused(job.key(), begin.result());
		}
		return begin;
	}

	/**
	 * Take note that a scheduler has called a job, and that its call did not come to the
	 * gate in the thread of the scheduler. Has no effect while this process does not
	 * lead.
	 * @param key the job
	 * @param elsewhere tells whether it has come there in another thread; does not block
	 */
	public void strayed(JobKey key, BooleanSupplier elsewhere) {
		JobLedger job = this.jobs.get(key);
		if (job != null && leadership(this.elections.get(), key.election()) != null) {
			job.strayed(elsewhere);
		}
	}

	/**
	 * Return how the jobs fare. Does no I/O.
	 * @return the jobs, by election and name
	 */
	public List<JobStatus> status() {
		return this.jobs.values()
			.stream()
			.map(JobLedger::status)
			.sorted((one, other) -> one.job().key().compareTo(other.job().key()))
			.toList();
	}

	/**
	 * Return how a job fares. Does no I/O.
	 * @param key the job
	 * @return how it fares, {@code null} if there is none of that name
	 */
	public @Nullable JobStatus status(JobKey key) {
		JobLedger job = this.jobs.get(key);
		return (job != null) ? job.status() : null;
	}

	@Override
	public Optional<JobRun> currentRun() {
		return Optional.ofNullable(RecordedRun.current()).map(RecordedRun::run);
	}

	@Override
	public Optional<JobRun> previousRun() {
		return Optional.ofNullable(RecordedRun.current()).map(RecordedRun::previous);
	}

	@Override
	public Result run(String election, String job, Instant fireTime, Consumer<JobRun> work) {
		JobKey key = new JobKey(election, Job.requireValidName(job));
		requireNear(key, fireTime);
		if (!this.elections.get().isLeader(election)) {
			return Result.NOT_LEADER;
		}
		JobLedger ledger = this.jobs.computeIfAbsent(key,
				(absent) -> ledger(new Job(absent, Timetable.NONE, Job.DEFAULT_STARTING_DEADLINE, 1), null));
		startThread();
		AtomicReference<Result> result = new AtomicReference<>(Result.NOT_LEADER);
		this.elections.get().runIfLeader(election, (leadership) -> {
			Begin begin = begin(ledger, PlannedRun.at(fireTime), leadership);
			result.set(begin.result());
			if (begin.run() != null) {
				run(begin.run(), work);
			}
		});
		return result.get();
	}

	private void requireNear(JobKey key, Instant fireTime) {
		if (fireTime.isAfter(Instant.ofEpochMilli(this.clock.millis()).plus(RunCodec.MOST_AHEAD))) {
			throw new IllegalArgumentException(("Fire time %s of job '%s' is more than a year ahead. Pass the time for "
					+ "which this run was scheduled")
				.formatted(fireTime, key));
		}
	}

	private static void run(RecordedRun run, Consumer<JobRun> work) {
		Throwable failure = null;
		try (WorkScope scope = run.enter()) {
			work.accept(run.run());
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			run.end(failure);
		}
	}

	@Override
	public void trigger(String election, String job) {
		if (!this.elections.get().isLeader(election)) {
			throw new NotLeaderException(election, "run of job '%s'".formatted(job));
		}
		JobLedger ledger = this.jobs.get(new JobKey(election, job));
		if (ledger == null) {
			throw new IllegalArgumentException("There is no job '%s' in election '%s'".formatted(job, election));
		}
		ledger.trigger();
	}

}
