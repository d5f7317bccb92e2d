package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * One job of this process: what has happened here, and is to be recorded. What is to be
 * written is found by comparing that with the record, again after each change, until both
 * agree. Whoever does several things at once holds this object meanwhile; nobody holds it
 * while the store is asked.
 */
final class RecordedJob implements RunStore.Reconciled {

	private static final EngineLog log = EngineLog.of(RecordedJob.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private final JobKey key;

	private final KnownRecord known;

	private final Launches launches;

	private final RunStore store;

	private final JobListener listener;

	private final RunClock clock;

	/** Has somebody look again. */
	private final Runnable wake;

	private final Problem rejection = new Problem();

	/** {@code null} while the job is not registered; a run of it may go on. */
	private volatile @Nullable JobSchedule schedule;

	/** The present term as of the last turn, {@code null} if others lead. */
	private volatile @Nullable Leadership leadership;

	/** Whether fire times that have come are not left to the scheduler for a while. */
	private volatile boolean eager;

	/** Whether a thread is about to begin a run. */
	private boolean starting;

	/** The run that goes on, or whose end is still to be recorded. */
	private @Nullable RecordedRun run;

	/** The term under which a start was not answered, 0 if there is none. */
	private long doubtful;

	/** The run before the last one that was to be started. */
	private @Nullable JobRun previous;

	/** The id of the last run that was told of as unfinished. */
	private @Nullable String unfinished;

	RecordedJob(JobKey key, RunStore store, JobListener listener, Runnable wake) {
		this.key = key;
		this.known = new KnownRecord(key);
		this.store = store;
		this.listener = listener;
		this.clock = store.clock();
		this.wake = wake;
		this.launches = new Launches(key, this.clock, wake);
	}

	@Override
	public KnownRecord known() {
		return this.known;
	}

	/**
	 * Look after a job of that name from now on.
	 * @return whether there was none
	 */
	synchronized boolean register(Job job, @Nullable RunLauncher launcher) {
		if (this.schedule != null) {
			return false;
		}
		this.schedule = new JobSchedule(job, launcher != null);
		this.launches.use(launcher);
		this.eager = true;
		return true;
	}

	/**
	 * Start no run any more. If the job comes again, it waits for the one that goes on.
	 */
	void unregister() {
		this.schedule = null;
	}

	boolean isRegistered() {
		return this.schedule != null;
	}

	/** Leave nothing to the scheduler at the next look. */
	void lookAgain() {
		this.eager = true;
	}

	/** Take note of the present term, {@code null} if there is none for this job. */
	synchronized void lead(@Nullable Leadership present) {
		Leadership before = this.leadership;
		if (present != null && (before == null || before.term() != present.term())) {
			this.eager = true;
			this.launches.beginTerm();
		}
		this.leadership = present;
	}

	boolean isLed() {
		return this.leadership != null;
	}

	/** Return whether there may be something to be recorded. */
	synchronized boolean isActive() {
		return isLed() || this.run != null || this.doubtful != 0;
	}

	/** Return whether a run goes on, or is about to begin. */
	private synchronized boolean isBusy() {
		return this.starting || isRunning();
	}

	private synchronized boolean isRunning() {
		return this.run != null && this.run.ended() == null;
	}

	/** What is to be recorded, whether or not a run is to begin. */
	@Override
	public @Nullable RunRecord next(@Nullable RunRecord record) {
		try {
			RunRecord next = next(record, this.leadership, null);
			if (next != null || record == null || this.known.isStale()) {
				return next;
			}
			// A start is up to the thread that is going to run it.
			RunRecord due = isAble(record) ? due(record) : null;
			return (due != null && !due.isRunning(due.fence())) ? due : null;
		}
		catch (RuntimeException ex) {
			rejected(ex);
			return null;
		}
	}

	/**
	 * Return what follows from what has happened, before a run can begin.
	 * @param wanted the run that is about to begin, {@code null} if none is
	 */
	private @Nullable RunRecord next(@Nullable RunRecord record, @Nullable Leadership leadership,
			@Nullable PlannedRun wanted) {
		RunRecord own = ownRun(record, leadership, wanted != null);
		JobSchedule present = this.schedule;
		if (own != null || this.known.isStale()) {
			return own;
		}
		if (leadership == null || present == null) {
			this.known.sound();
			return null;
		}
		long term = leadership.term();
		RunRecord opened = present.opened(record, this.known.last(), wanted, term, this.clock.now());
		if (opened == null) {
			requireNoLaterTerm(leadership);
			return null;
		}
		if (!opened.equals(record)) {
			return opened;
		}
		this.known.sound();
		JobRun last = opened.last();
		return (last != null && last.outcome() == Outcome.RUNNING && last.term() < term && !isOwn(last))
				? unfinished(opened, last, present) : null;
	}

	/**
	 * Return what the end of a run owes, or a start that was not answered and was not
	 * followed by a run: it is taken back when its term has ended, so that the next
	 * leader does not take it for one.
	 */
	private synchronized @Nullable RunRecord ownRun(@Nullable RunRecord record, @Nullable Leadership leadership,
			boolean beginning) {
		RecordedRun run = this.run;
		JobRun ended = (run != null) ? run.ended() : null;
		boolean held = leadership != null && leadership.term() == this.doubtful && leadership.isHeld();
		boolean left = this.doubtful != 0 && !held && (beginning || !this.starting);
		RunRecord next = (record != null && run != null && ended != null) ? finished(record, run, ended) : null;
		next = (next == null && record != null && left) ? record.withdrawn(this.doubtful, this.clock.now()) : next;
		// What can't follow a record never will, if that was read after it has happened.
		if (next == null && (ended != null || left) && this.known.isConfirmed()) {
			this.run = (ended != null) ? null : run;
			this.doubtful = left ? 0 : this.doubtful;
		}
		return next;
	}

	private @Nullable RunRecord finished(RunRecord record, RecordedRun run, JobRun ended) {
		JobSchedule present = this.schedule;
		try {
			if (present != null) {
				this.eager = this.eager || (run.wasHeld() && present.isOpen(record, run.begunAt()));
				return present.finished(record, run, ended);
			}
		}
		catch (RuntimeException ex) {
			// It is not this run that a timetable without an answer may keep from ending.
			this.eager = true;
		}
		return record.finished(ended, record.covered(), 0);
	}

	private synchronized boolean isOwn(JobRun other) {
		return this.run != null && this.run.run().id().equals(other.id());
	}

	/** Told before it is recorded: whoever finds it next tells of it otherwise. */
	private @Nullable RunRecord unfinished(RunRecord record, JobRun lost, JobSchedule present) {
		JobRun told = RunRecord.ended(lost, Outcome.UNFINISHED, this.clock.now());
		boolean news;
		synchronized (this) {
			news = !told.id().equals(this.unfinished);
			this.unfinished = told.id();
		}
		if (news) {
			this.listener.onUnfinished(told, present.isAttemptedAgain(told));
		}
		return record.finished(told, record.covered(), 0);
	}

	/**
	 * As long as a term is held there is no later one that could have opened the record.
	 */
	private void requireNoLaterTerm(Leadership leadership) {
		if (leadership.isHeld()) {
			this.known.damaged(
					"its fence is above term %d, which is held now. Was the lease removed, or an older one restored?"
						.formatted(leadership.term()));
		}
	}

	@Override
	public void written(@Nullable RunRecord before, RunRecord after) {
		written(before, after, false);
	}

	private void written(@Nullable RunRecord before, RunRecord after, boolean beginning) {
		synchronized (this) {
			if (after.last() != null && isOwn(after.last()) && after.last().outcome() != Outcome.RUNNING) {
				this.run = null;
			}
			// Any other start finds another revision, unless it was tried since.
			if ((beginning || !this.starting) && !this.known.isStale() && !after.isRunning(this.doubtful)) {
				this.doubtful = 0;
			}
		}
		if (before == null) {
			return;
		}
		if (after.missed() > before.missed()) {
			this.listener.onMissed(this.key, after.covered(), (int) (after.missed() - before.missed()));
		}
		if (after.skipped() > before.skipped()) {
			this.listener.onSkipped(this.key, (int) (after.skipped() - before.skipped()));
		}
		if (!before.timetable().isEmpty() && !before.timetable().equals(after.timetable())) {
			log.tell((logger) -> logger.info(
					"Job '{}' has another timetable, '{}' in place of '{}'. Fire times from "
							+ "{} to {} do not count any more",
					this.key, after.timetable(), StoredText.printable(before.timetable()), before.covered(),
					after.covered()));
		}
	}

	/**
	 * Have a run launched, if one is due.
	 * @return how long it takes until one can be, {@code null} if that is for the
	 * scheduler to know
	 */
	@Nullable Duration look() {
		endLostLaunch();
		RunRecord record = this.known.isStale() ? null : this.known.present();
		try {
			if (record == null || !isAble(record)) {
				return this.launches.isDelayed() ? this.launches.delay() : null;
			}
			RunRecord due = due(record);
			if (due == null) {
				JobSchedule present = this.schedule;
				this.eager = false;
				return (present != null) ? present.untilNext(record, this.clock.now()) : null;
			}
			if (due.isRunning(due.fence()) && !this.launches.isKeptBack()) {
				boolean unused = this.launches.launch(PlannedRun.catchUp());
			}
			boolean unused = this.rejection.ends();
			return null;
		}
		catch (RuntimeException ex) {
			rejected(ex);
			return RETRY;
		}
	}

	/** Return whether a run could be launched now. */
	private boolean isAble(RunRecord record) {
		JobSchedule present = this.schedule;
		Leadership leadership = this.leadership;
		return present != null && present.isLaunched() && leadership != null && leadership.term() == record.fence()
				&& !leadership.isEnding() && !isBusy() && !this.launches.isPending() && !this.launches.isDelayed();
	}

	private @Nullable RunRecord due(RunRecord record) {
		JobSchedule present = this.schedule;
		Leadership leadership = this.leadership;
		Instant now = this.clock.now();
		return (present != null && leadership != null) ? present.next(PlannedRun.catchUp(), record, leadership,
				this.eager ? now : now.minus(JobSchedule.GRACE)) : null;
	}

	private void rejected(RuntimeException failure) {
		if (this.rejection.begins("rejected")) {
			log.tell(failure, (logger, cause) -> logger
				.warn("A run of job '{}' is due and can't be started; it is tried again each second", this.key, cause));
		}
	}

	private void endLostLaunch() {
		if (!isBusy()) {
			this.launches.endLost();
		}
	}

	/**
	 * A call by the scheduler did not come to the gate in the thread of the scheduler.
	 * @param elsewhere whether it has come there in another thread
	 */
	synchronized void strayed(BooleanSupplier elsewhere) {
		// Asked here: whatever comes in another thread comes before it begins.
		boolean arrived = elsewhere.getAsBoolean();
		// The run that goes on keeps others back.
		if (arrived || !isBusy()) {
			this.launches.strayed(arrived);
		}
	}

	/**
	 * Start a run by hand.
	 * @throws IllegalStateException if a run goes on
	 * @throws UnusableRecordException if its start can't be recorded
	 */
	void trigger() {
		String damage = this.known.damage();
		if (damage != null) {
			// It may have been repaired.
			this.wake.run();
			throw new UnusableRecordException(this.key, damage);
		}
		endLostLaunch();
		JobSchedule present = this.schedule;
		if (present == null || !present.isLaunched()) {
			throw new IllegalArgumentException(
					"Job '%s' is run by other code, which alone can start it".formatted(this.key));
		}
		if (isBusy() || !this.launches.launch(PlannedRun.triggered())) {
			throw new IllegalStateException("A run of job '%s' still goes on. Wait for its end".formatted(this.key));
		}
	}

	/** Begin a run, in the thread that is going to run it. */
	RecordedRun.Begin begin(PlannedRun wanted, Leadership leadership) {
		this.launches.arrived();
		Start start = new Start(wanted, leadership);
		if (claim()) {
			start.result = Result.UNREACHABLE;
			try {
				this.store.compareClocks();
				this.store.reconcile(List.of(start), timeout(leadership));
			}
			catch (LeaseStoreException ex) {
				// Told already.
			}
			finally {
				release(start.result);
			}
		}
		RecordedRun begun = start.begun;
		if (begun != null) {
			this.listener.onStarted(begun.run(), begun.late());
		}
		else {
			this.wake.run();
		}
		return new RecordedRun.Begin(begun, start.result);
	}

	private synchronized boolean claim() {
		boolean free = !isBusy();
		this.starting = this.starting || free;
		return free;
	}

	private synchronized void release(Result result) {
		this.starting = false;
		if (result == Result.UNREACHABLE) {
			this.eager = true;
			this.launches.failed();
		}
	}

	private static Duration timeout(Leadership leadership) {
		Duration left = leadership.remaining().plusMillis(1);
		return (left.compareTo(RunStore.TIMEOUT) < 0) ? left : RunStore.TIMEOUT;
	}

	/**
	 * Record the end of a run, on the thread of the run: its call is in flight until that
	 * was tried, so that no next leader takes it for unfinished.
	 */
	private void ended(RecordedRun run, JobRun ended) {
		long unused = this.known.changed();
		try {
			this.store.reconcile(List.of(this), RunStore.TIMEOUT);
		}
		catch (LeaseStoreException ex) {
			// It is tried again.
		}
		finally {
			this.listener.onEnded(ended, run.duration());
			this.wake.run();
		}
	}

	/** Return how the job fares, {@code null} if it is not registered. */
	@Nullable JobStatus status() {
		JobSchedule present = this.schedule;
		if (present == null) {
			return null;
		}
		RunRecord record = this.known.last();
		String problem = (this.known.damage() != null) ? this.known.damage() : this.store.failure();
		if (problem == null && this.launches.isKeptBack()) {
			problem = "The last call by its scheduler was kept back in front of the gate";
		}
		return new JobStatus(present.job(), record, (record != null) ? present.job().timetable().next(record) : null,
				isRunning(), problem);
	}

	/**
	 * A run that is about to begin. It begins when an answer proves that its start is
	 * recorded. Without one it is found in the record, or not, by the next that begins.
	 */
	private final class Start implements RunStore.Reconciled {

		private final PlannedRun wanted;

		private final Leadership leadership;

		private Result result = Result.STILL_RUNNING;

		private @Nullable RunRecord tried;

		private @Nullable RecordedRun begun;

		Start(PlannedRun wanted, Leadership leadership) {
			this.wanted = wanted;
			this.leadership = leadership;
		}

		@Override
		public KnownRecord known() {
			return RecordedJob.this.known;
		}

		@Override
		public @Nullable RunRecord next(@Nullable RunRecord record) {
			if (this.begun != null) {
				return null;
			}
			this.result = Result.UNREACHABLE;
			RunRecord first = RecordedJob.this.next(record, this.leadership, this.wanted);
			JobSchedule present = RecordedJob.this.schedule;
			if (first != null || known().isStale() || known().damage() != null) {
				return first;
			}
			if (record == null || present == null || !this.leadership.isHeld()) {
				this.result = Result.NOT_LEADER;
				return null;
			}
			RunRecord next = present.next(this.wanted, record, this.leadership, RecordedJob.this.clock.now());
			if (next == null) {
				this.result = Result.ALREADY_RUN;
			}
			else if (next.isRunning(this.leadership.term())) {
				this.tried = next;
				doubt(record);
			}
			return next;
		}

		private void doubt(RunRecord record) {
			synchronized (RecordedJob.this) {
				RecordedJob.this.doubtful = this.leadership.term();
				if (!record.isRunning(this.leadership.term())) {
					RecordedJob.this.previous = record.last();
				}
			}
		}

		@Override
		public void written(@Nullable RunRecord before, RunRecord after) {
			RecordedJob.this.written(before, after, true);
			JobRun run = after.last();
			// Otherwise it is taken back.
			if (after.equals(this.tried) && run != null && this.leadership.isHeld()) {
				synchronized (RecordedJob.this) {
					this.begun = new RecordedRun(run, RecordedJob.this.previous, this.leadership,
							RecordedJob.this.clock, RecordedJob.this::ended);
					RecordedJob.this.run = this.begun;
					RecordedJob.this.doubtful = 0;
				}
				this.result = Result.RAN;
			}
		}

	}

}
