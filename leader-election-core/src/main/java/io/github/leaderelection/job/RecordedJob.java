package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * One job of this process: brings about what its {@linkplain JobLedger ledger} and its
 * {@linkplain JobSchedule schedule} decide, and tells of it.
 */
final class RecordedJob {

	private static final EngineLog log = EngineLog.of(RecordedJob.class);

	private final JobKey key;

	private final JobLedger ledger = new JobLedger();

	private final Launches launches;

	private final RunStore store;

	private final JobListener listener;

	private final RunClock clock;

	/** Has somebody look again. */
	private final Runnable wake;

	private final Problem damage = new Problem();

	private volatile JobSchedule schedule;

	/** Whether runs are to be started; one may go on where they are not any more. */
	private volatile boolean registered;

	/** Whether fire times that have come are not left to the scheduler for a while. */
	private volatile boolean eager;

	/** The term of the last turn that had one. Known to one thread only. */
	private long term;

	/** The id of the last run that was reported as unfinished. */
	private volatile @Nullable String reported;

	RecordedJob(Job job, RunStore store, JobListener listener, Runnable wake) {
		this.key = job.key();
		this.schedule = new JobSchedule(job, false);
		this.store = store;
		this.listener = listener;
		this.clock = store.clock();
		this.wake = wake;
		this.launches = new Launches(this.key, this.clock);
	}

	/**
	 * Look after a job of that name from now on.
	 * @return whether there was none
	 */
	synchronized boolean register(Job job, @Nullable RunLauncher launcher) {
		if (this.registered) {
			return false;
		}
		this.schedule = new JobSchedule(job, launcher != null);
		this.registered = true;
		this.launches.use(launcher);
		this.eager = true;
		return true;
	}

	/**
	 * Start no run any more. If the job comes again, it waits for the one that goes on.
	 */
	void unregister() {
		this.registered = false;
	}

	boolean isRegistered() {
		return this.registered;
	}

	/** Leave nothing to the scheduler at the next look. */
	void lookAgain() {
		this.eager = true;
	}

	/**
	 * Begin a look at the record, in the thread that looks after all jobs.
	 * @param leadership the present term, {@code null} if there is none for this job
	 */
	Look look(@Nullable Leadership leadership) {
		if (leadership != null && leadership.term() != this.term) {
			this.term = leadership.term();
			this.eager = true;
			this.launches.forgive();
		}
		if (this.launches.isKeptBack()) {
			this.launches.tellStrayed();
		}
		return new Look(leadership, null);
	}

	/** Begin a run, in the thread that is going to run it. */
	RecordedRun.Begin begin(PlannedRun wanted, Leadership leadership) {
		this.launches.forgive();
		Look look = new Look(leadership, wanted);
		if (!this.ledger.claim()) {
			look.result = Result.STILL_RUNNING;
		}
		else {
			try {
				this.store.compareClocks();
				Duration left = leadership.remaining().plusMillis(1);
				this.store.reconcile(List.of(look), (left.compareTo(RunStore.TIMEOUT) < 0) ? left : RunStore.TIMEOUT);
			}
			catch (LeaseStoreException ex) {
				// Told already.
			}
			finally {
				this.ledger.release();
			}
			if (look.result == Result.UNREACHABLE) {
				this.eager = true;
				this.launches.backOff();
			}
		}
		RecordedRun begun = look.begun;
		if (begun != null) {
			this.listener.onStarted(begun.run(), begun.late());
		}
		else {
			this.wake.run();
		}
		return new RecordedRun.Begin(begun, look.result);
	}

	/**
	 * Record the end of a run, on the thread of the run: its call is in flight until that
	 * was tried, so that no next leader takes it for unfinished.
	 */
	private void ended(RecordedRun run, RecordedRun.End end) {
		try {
			// What came before the run, and is not covered, is looked at when it has
			// ended.
			RunRecord record = this.ledger.last();
			this.eager = this.eager || (record != null && this.schedule.isOpen(record, run.begunAt()));
			this.store.reconcile(List.of(new Look(null, null)), RunStore.TIMEOUT);
		}
		catch (LeaseStoreException ex) {
			// It is tried again.
		}
		finally {
			this.listener.onEnded(end.run(), end.duration());
			this.wake.run();
		}
	}

	/**
	 * A call by the scheduler has returned.
	 * @param arrived whether it has come to the gate
	 * @param moved whether it has come there in another thread
	 */
	void returned(boolean arrived, boolean moved) {
		if (arrived && this.launches.arrived()) {
			this.wake.run();
		}
		// A run that goes on may keep others back.
		if (!arrived && !this.ledger.isBusy()) {
			this.launches.keptBack();
		}
		if (moved) {
			this.launches.tellStrayed();
		}
	}

	/**
	 * Start a run by hand.
	 * @throws IllegalStateException if a run goes on
	 * @throws UnusableRecordException if its start can't be recorded
	 */
	void trigger() {
		String damage = this.damage.present();
		if (damage != null) {
			// It may have been repaired.
			this.wake.run();
			throw new UnusableRecordException(this.key, damage);
		}
		if (!this.schedule.isLaunched()) {
			throw new IllegalArgumentException(
					"Job '%s' is run by other code, which alone can start it".formatted(this.key));
		}
		if (this.ledger.isBusy() || this.launches.isPending()) {
			throw new IllegalStateException("A run of job '%s' still goes on. Wait for its end".formatted(this.key));
		}
		this.launches.launch(PlannedRun.TRIGGER);
	}

	/** Return how the job fares. */
	JobStatus status() {
		Job job = this.schedule.job();
		RunRecord record = this.ledger.last();
		String problem = (this.damage.present() != null) ? this.damage.present() : this.store.failure();
		if (problem == null && this.launches.isKeptBack()) {
			problem = "The last call by its scheduler was kept back in front of the gate";
		}
		return new JobStatus(job, record, (record != null) ? job.timetable().next(record) : null,
				this.ledger.isRunning(), problem);
	}

	/**
	 * One look at the record, by a thread that is about to begin a run, or by another on
	 * behalf of one that the scheduler does not start. A run begins when an answer proves
	 * that its start is recorded. Without one its start is taken back by the next look.
	 */
	final class Look {

		private final @Nullable Leadership leadership;

		/** The run that is about to begin, {@code null} if that is for another look. */
		private final @Nullable PlannedRun wanted;

		private boolean open = true;

		private Result result = Result.UNREACHABLE;

		/** The start that was tried last, or is due. */
		private @Nullable RunRecord start;

		private @Nullable RecordedRun begun;

		Look(@Nullable Leadership leadership, @Nullable PlannedRun wanted) {
			this.leadership = leadership;
			this.wanted = wanted;
			if (RecordedJob.this.damage.present() != null) {
				// It may have been repaired.
				ledger().expire();
			}
		}

		JobKey key() {
			return RecordedJob.this.key;
		}

		JobLedger ledger() {
			return RecordedJob.this.ledger;
		}

		boolean isLed() {
			return this.leadership != null;
		}

		/** Return whether there may be something to be written. */
		boolean isOpen() {
			return this.open;
		}

		/** The record can't be used. Whatever it is, it costs no other job anything. */
		void damaged(String found) {
			this.open = false;
			if (RecordedJob.this.damage.begins(found)) {
				log.tell((logger) -> logger.error(
						"The record of job '{}' is damaged, so that it can't be started: {}{} "
								+ "Repair it, or remove it to begin anew",
						key(), found, found.endsWith("?") ? "" : "."));
			}
		}

		/**
		 * Take note of what was read.
		 * @param asked how many changes there were when the store was asked
		 */
		void read(RecordReading reading, String id, long asked) {
			StoredRecord stored = reading.records().get(id);
			String damage = reading.damaged().get(id);
			try {
				if (damage != null) {
					throw new DamagedRecordException(damage);
				}
				ledger().read((stored != null) ? RunCodec.toRecord(key(), stored, RecordedJob.this.clock.now()) : null,
						asked);
			}
			catch (DamagedRecordException | RuntimeException ex) {
				damaged(EngineLog.messageOf(ex));
			}
		}

		/** Return what is to be written next, {@code null} if nothing is. */
		RunStore.@Nullable Change next() {
			if (!this.open || ledger().isStale()) {
				return null;
			}
			// Whoever is about to begin a run does what has to be done before.
			this.open = this.begun == null && (this.wanted != null || !ledger().isStarting());
			RunRecord record = ledger().present();
			RunRecord next = null;
			try {
				next = this.open ? next(record) : null;
			}
			catch (DamagedRecordException ex) {
				damaged(EngineLog.messageOf(ex));
			}
			catch (RuntimeException ex) {
				launches().rejected(ex);
			}
			this.open = next != null;
			return (next != null)
					? new RunStore.Change(this, record, next, ledger().attempted(next, next.equals(this.start))) : null;
		}

		private @Nullable RunRecord next(@Nullable RunRecord record) throws DamagedRecordException {
			JobSchedule schedule = RecordedJob.this.schedule;
			Instant now = RecordedJob.this.clock.now();
			this.start = null;
			this.result = Result.UNREACHABLE;
			RunRecord owed = ledger().owed(schedule, this.leadership, this.wanted, now);
			if (owed != null) {
				tellIfUnfinished(record, owed);
				return owed;
			}
			RecordedJob.this.damage.ends();
			if (record == null || this.leadership == null || !this.leadership.isHeld()) {
				this.result = Result.NOT_LEADER;
				return null;
			}
			RunRecord next;
			if (this.wanted != null) {
				next = schedule.next(this.wanted, record, this.leadership, now);
			}
			else if (!schedule.isLaunched() || this.leadership.isEnding() || !isIdle()) {
				return null;
			}
			else {
				next = schedule.next(PlannedRun.CATCH_UP, record, this.leadership,
						RecordedJob.this.eager ? now : now.minus(JobSchedule.GRACE));
			}
			this.result = (next == null) ? Result.ALREADY_RUN : this.result;
			this.start = (next != null && next.isRunning(this.leadership.term())) ? next : null;
			// It is up to the thread that is going to run it.
			return (this.start != null && this.wanted == null) ? null : next;
		}

		private boolean isIdle() {
			return !ledger().isBusy() && !launches().isPending() && launches().delay() == null;
		}

		/** Before it is recorded: otherwise whoever leads next reports it. */
		private void tellIfUnfinished(@Nullable RunRecord before, RunRecord after) {
			JobRun run = after.last();
			if (before != null && before.isLost() && run != null && run.outcome() == Outcome.UNFINISHED
					&& !run.id().equals(RecordedJob.this.reported)) {
				RecordedJob.this.reported = run.id();
				RecordedJob.this.listener.onUnfinished(run, RecordedJob.this.schedule.isAttemptedAgain(run));
			}
		}

		/** A change was made here. */
		void written(RunStore.Change change) {
			RunRecord before = change.before();
			RunRecord after = change.after();
			ledger().written(after, change.number());
			if (before == null) {
				return;
			}
			tell(before, after);
			JobRun run = after.last();
			// Otherwise it is taken back.
			if (run != null && after.equals(this.start) && this.leadership != null && this.leadership.isHeld()) {
				this.begun = new RecordedRun(run, before.last(), this.leadership, RecordedJob.this.clock,
						RecordedJob.this::ended);
				ledger().begun(this.begun);
				this.result = Result.RAN;
			}
		}

		private void tell(RunRecord before, RunRecord after) {
			JobListener listener = RecordedJob.this.listener;
			if (after.missed() > before.missed()) {
				listener.onMissed(key(), after.covered(), (int) (after.missed() - before.missed()));
			}
			if (after.skipped() > before.skipped()) {
				listener.onSkipped(key(), (int) (after.skipped() - before.skipped()));
			}
			if (!before.timetable().isEmpty() && !before.timetable().equals(after.timetable())) {
				log.tell((logger) -> logger.info(
						"Job '{}' has another timetable, '{}' in place of '{}'. Fire times from "
								+ "{} to {} do not count any more",
						key(), after.timetable(), StoredText.printable(before.timetable()), before.covered(),
						after.covered()));
			}
		}

		/**
		 * Have the run launched that was found to be due, if there is one.
		 * @return how long it takes until one can be, {@code null} if that is for the
		 * scheduler to know
		 */
		@Nullable Duration launch() {
			boolean due = this.start != null;
			if (!due && this.result != Result.ALREADY_RUN) {
				return launches().delay();
			}
			try {
				if (due && launches().isReady()) {
					launches().launch(PlannedRun.CATCH_UP);
				}
				RecordedJob.this.eager = RecordedJob.this.eager && due;
				RunRecord known = ledger().present();
				return (!due && known != null)
						? RecordedJob.this.schedule.untilNext(known, RecordedJob.this.clock.now()) : null;
			}
			catch (RuntimeException ex) {
				launches().rejected(ex);
				return launches().delay();
			}
		}

		private Launches launches() {
			return RecordedJob.this.launches;
		}

	}

}
