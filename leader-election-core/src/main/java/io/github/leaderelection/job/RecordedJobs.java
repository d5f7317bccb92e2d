package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.LeaderElection;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.NotLeaderException;
import io.github.leaderelection.UnknownElectionException;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.EngineThread;
import io.github.leaderelection.engine.WorkScope;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordStore;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of this process whose runs are recorded. One thread looks after all of them,
 * and is started only when there is a job. It opens the records of jobs that this process
 * has begun to lead, launches runs that are due, records what is owed, and every 30
 * seconds reads the records of jobs that other processes run. The runs themselves take
 * place on the threads of their schedulers.
 */
public final class RecordedJobs implements JobRuns, ElectionListener, AutoCloseable {

	/**
	 * The kind of record that holds the last run of a job.
	 */
	public static final RecordKind RUNS = new RecordKind("runs", RunCodec.FIELDS, RunCodec.OUTCOME);

	private static final EngineLog log = EngineLog.of(RecordedJobs.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration IDLE = Duration.ofSeconds(30);

	private final Map<JobKey, RecordedJob> jobs = new ConcurrentHashMap<>();

	private final AtomicBoolean started = new AtomicBoolean();

	private final EngineThread thread = new EngineThread("leader-election-jobs", () -> turn().toNanos());

	private final Supplier<LeaderElection> elections;

	private final RunStore store;

	private final JobListener listener;

	private final EngineClock clock;

	private volatile boolean wanted;

	// Used by the thread of this instance, and by close.

	private long lookAtOthers;

	/** The state that was reconciled last, or failed to be. */
	private @Nullable JobState last;

	/**
	 * Create an instance without jobs.
	 * @param elections supplies the elections of this process; not called before a job
	 * runs or this instance is started
	 * @param store where runs are recorded
	 * @param prefix the prefix of election names in the ids of records; may be empty
	 * @param listeners the listeners to notify
	 * @param clock the clocks of this process
	 */
	public RecordedJobs(Supplier<LeaderElection> elections, RecordStore store, String prefix,
			List<JobListener> listeners, EngineClock clock) {
		this.elections = elections;
		this.store = new RunStore(store, prefix, new RunClock(clock));
		this.listener = new JobListeners(listeners);
		this.clock = clock;
		this.lookAtOthers = clock.nanos();
	}

	/**
	 * Add a job.
	 * @param job the job
	 * @param launcher starts runs that the scheduler would not start by itself,
	 * {@code null} if that is not possible
	 * @throws IllegalArgumentException if the election already has a job of that name
	 */
	public void register(Job job, PlannedRun.@Nullable Launcher launcher) {
		if (!runner(job.key()).register(job, launcher)) {
			throw new IllegalArgumentException(
					"There are two jobs '%s', perhaps in two application contexts. Give one of them another name, "
						.formatted(job.key()) + "for example with @LeaderOnly(job = \"…\")");
		}
		this.listener.onRegistered(job);
		startThread();
		this.thread.wake();
	}

	/**
	 * Remove a job: no further run of it is started. The end of a run in progress is
	 * still recorded, and if the job is registered again, it waits for that run. Has no
	 * effect if there is no such job.
	 * @param key the job
	 */
	public void unregister(JobKey key) {
		RecordedJob job = this.jobs.get(key);
		if (job != null) {
			job.unregister();
		}
	}

	private RecordedJob runner(JobKey key) {
		return this.jobs.computeIfAbsent(key,
				(absent) -> new RecordedJob(absent, this.store, this.listener, this.thread::wake));
	}

	private @Nullable RecordedJob registered(JobKey key) {
		RecordedJob job = this.jobs.get(key);
		return (job != null && job.isRegistered()) ? job : null;
	}

	/**
	 * Start to look after the jobs.
	 */
	public void start() {
		this.wanted = true;
		startThread();
	}

	private void startThread() {
		if (this.wanted && !this.jobs.isEmpty() && this.started.compareAndSet(false, true)) {
			this.thread.start();
		}
	}

	/**
	 * Look at all jobs again now, on the thread of this instance. This is for clocks that
	 * are advanced by hand, as in tests, where no timer notices that a fire time has
	 * come.
	 */
	public void look() {
		this.jobs.values().forEach(RecordedJob::lookAgain);
		this.thread.wake();
	}

	/**
	 * Stop looking after the jobs, after one more attempt to write what is still to be
	 * recorded.
	 */
	@Override
	public void close() {
		this.thread.stop();
		List<RecordedJob.Look> looks = new ArrayList<>();
		this.jobs.values().forEach((job) -> looks.add(job.look(null)));
		if (!reconcile(looks) && looks.stream().anyMatch((look) -> look.state().isOwing())) {
			String failure = this.store.failure();
			log.tell((logger) -> logger.warn(
					"Job records can't be written{}. The next leader reports runs whose end is not recorded as unfinished",
					(failure != null) ? ": " + failure : ""));
		}
	}

	@Override
	public void onElected(Leadership leadership) {
		this.thread.wake();
	}

	@Override
	public void onDefeated(Leadership leadership) {
		this.thread.wake();
	}

	/**
	 * Do what there is to do now.
	 * @return how long to sleep unless woken
	 */
	Duration turn() {
		LeaderElection present = this.elections.get();
		List<RecordedJob.Look> looks = new ArrayList<>();
		this.jobs.forEach((key, job) -> looks.add(job.look(job.isRegistered() ? leadership(present, key) : null)));
		List<RecordedJob.Look> led = looks.stream().filter(RecordedJob.Look::isLed).toList();
		long now = this.clock.nanos();
		if (now - this.lookAtOthers >= 0) {
			looks.stream().filter((look) -> !look.isLed()).forEach((look) -> look.state().expire());
			this.lookAtOthers = now + IDLE.toNanos();
		}
		// First: a clock that is ahead must not decide from when on fire times count.
		boolean answered = (led.isEmpty() || isAnswered(this.store::compareClocks)) && reconcile(looks);
		Duration wait = answered ? IDLE : RETRY;
		for (RecordedJob.Look look : led) {
			Duration until = look.launch();
			wait = (until != null && until.compareTo(wait) < 0) ? until : wait;
		}
		return wait;
	}

	private static @Nullable Leadership leadership(LeaderElection elections, JobKey job) {
		try {
			return elections.leadership(job.election()).orElse(null);
		}
		catch (UnknownElectionException ex) {
			// This process has not joined the election yet, or has left it.
			return null;
		}
	}

	private static boolean isAnswered(Runnable request) {
		try {
			request.run();
			return true;
		}
		catch (LeaseStoreException ex) {
			return false;
		}
	}

	/**
	 * Reconcile jobs with their records, one after the other, beginning after the one
	 * that failed last: its record may be locked in the store. If the store does not
	 * answer, this waits for it once, and not once for each job.
	 * @return {@code false} if a call of the store has failed, so that changes may still
	 * be owed
	 */
	private boolean reconcile(List<RecordedJob.Look> looks) {
		List<JobState> states = looks.stream().map(RecordedJob.Look::state).toList();
		Collections.rotate(looks, -1 - states.indexOf(this.last));
		return isAnswered(() -> {
			this.store.read(states.stream().filter(JobState::isStale).toList(), RunStore.TIMEOUT);
			for (RecordedJob.Look look : looks) {
				this.last = look.state();
				look.reconcile(RunStore.TIMEOUT);
			}
		});
	}

	/**
	 * Begin a run in the calling thread, which must be inside a gated call of the
	 * election. Calls the store.
	 * @param key the job, which must be registered
	 * @param planned the run
	 * @param leadership the leadership of the gated call
	 * @return the run, or the reason why none has begun
	 */
	public RecordedRun.Begin begin(JobKey key, PlannedRun planned, Leadership leadership) {
		RecordedJob job = registered(key);
		if (job == null) {
			throw new IllegalArgumentException("There is no job '%s'".formatted(key));
		}
		RecordedRun.Begin begin = job.begin(planned, leadership);
		// A scheduler with its own interval ticks whether or not a run is due.
		if (begin.run() == null && !(planned.isTick() && begin.result() == Result.ALREADY_RUN)) {
			this.listener.onRefused(key, begin.result());
			if (planned.cause() == Cause.TRIGGERED) {
				log.tell((logger) -> logger.warn(
						"Job '{}' was triggered, but its run could not begin ({}). It is not retried", key,
						begin.result()));
			}
		}
		return begin;
	}

	/**
	 * Note that a scheduler has called a job, but the call did not reach the gate in the
	 * thread of the scheduler. Has no effect while this process does not lead.
	 * @param key the job
	 * @param elsewhere tells whether the call has reached the gate in another thread;
	 * does not block
	 */
	public void strayed(JobKey key, BooleanSupplier elsewhere) {
		RecordedJob job = registered(key);
		if (job != null && leadership(this.elections.get(), key) != null) {
			job.launches().strayed(elsewhere);
		}
	}

	/**
	 * Return the status of all registered jobs. Does no I/O.
	 * @return the status of each job, sorted by election and name
	 */
	public List<JobStatus> status() {
		return this.jobs.values()
			.stream()
			.map(RecordedJob::status)
			.filter(Objects::nonNull)
			.sorted(Comparator.comparing((status) -> status.job().key().id()))
			.toList();
	}

	/**
	 * Return the status of a job. Does no I/O.
	 * @param key the job
	 * @return the status, {@code null} if there is no such job
	 */
	public @Nullable JobStatus status(JobKey key) {
		RecordedJob job = this.jobs.get(key);
		return (job != null) ? job.status() : null;
	}

	@Override
	public Optional<JobRun> currentRun() {
		return Optional.ofNullable(WorkScope.find(RecordedRun.class)).map(RecordedRun::run);
	}

	@Override
	public Optional<JobRun> previousRun() {
		return Optional.ofNullable(WorkScope.find(RecordedRun.class)).map(RecordedRun::previous);
	}

	@Override
	public Result run(String election, String job, Instant fireTime, Consumer<JobRun> work) {
		JobKey key = new JobKey(election, Job.requireValidName(job));
		requireNear(key, fireTime);
		if (!this.elections.get().isLeader(election)) {
			return Result.NOT_LEADER;
		}
		// It may be registered already, also as a scheduled job.
		boolean unused = runner(key).register(new Job(key, Timetable.NONE, Job.DEFAULT_STARTING_DEADLINE, 1), null);
		startThread();
		AtomicReference<Result> result = new AtomicReference<>(Result.NOT_LEADER);
		this.elections.get().runIfLeader(election, (leadership) -> {
			RecordedRun.Begin begin = begin(key, PlannedRun.at(fireTime), leadership);
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
		RecordedJob known = registered(new JobKey(election, job));
		if (known == null) {
			throw new IllegalArgumentException("There is no job '%s' in election '%s'".formatted(job, election));
		}
		known.trigger();
	}

}
