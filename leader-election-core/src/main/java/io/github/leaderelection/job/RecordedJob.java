package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Problem;
import io.github.leaderelection.job.PlannedRun.Launcher;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * One job of this process. Compares what has happened to the job in this process with its
 * record, and writes one change after the other until both agree.
 */
final class RecordedJob {

	/** Room for a few changes in a row, and a few conflicts with other processes. */
	private static final int MOST_ROUNDS = 10;

	private static final EngineLog log = EngineLog.of(RecordedJob.class);

	private final JobKey key;

	private final JobState state;

	private final Launches launches;

	private final RunStore store;

	private final JobListener listener;

	private final RunClock clock;

	/** Wakes the thread that looks after all jobs. */
	private final Runnable wake;

	private final Problem rejection = new Problem();

	/** {@code null} while the job is not registered; a run may still be in progress. */
	private volatile @Nullable JobSchedule schedule;

	/**
	 * Whether to launch a due run at once, without leaving it to the scheduler for
	 * {@link JobSchedule#GRACE}.
	 */
	private volatile boolean eager;

	/**
	 * The term of the last look that had one. Used only by the thread that looks after
	 * all jobs.
	 */
	private long term;

	RecordedJob(JobKey key, RunStore store, JobListener listener, Runnable wake) {
		this.key = key;
		this.state = new JobState(key);
		this.store = store;
		this.listener = listener;
		this.clock = store.clock();
		this.wake = wake;
		this.launches = new Launches(key, this.clock, this.state::isBusy, wake);
	}

	/**
	 * Register the job under its name.
	 * @return {@code false} if a job is registered already, unless it has no timetable
	 * and the new one has
	 */
	synchronized boolean register(Job job, @Nullable Launcher launcher) {
		JobSchedule present = this.schedule;
		// JobRuns.run may have used the name before the job was declared.
		if (present != null && (present.timetable() != Timetable.NONE || job.timetable() == Timetable.NONE)) {
			return false;
		}
		this.schedule = new JobSchedule(job, launcher != null);
		this.launches.use(launcher);
		this.eager = true;
		return true;
	}

	/**
	 * Start no further run. If the job is registered again, it waits for a run that is
	 * still in progress.
	 */
	void unregister() {
		this.schedule = null;
	}

	boolean isRegistered() {
		return this.schedule != null;
	}

	/** Let the next look launch a due run at once. */
	void lookAgain() {
		this.eager = true;
	}

	/**
	 * Begin a look at the record, in the thread that looks after all jobs.
	 * @param leadership the current term, {@code null} if there is none for this job
	 */
	Look look(@Nullable Leadership leadership) {
		if (leadership != null && leadership.term() != this.term) {
			this.term = leadership.term();
			this.eager = true;
			this.launches.forgive();
		}
		this.launches.endLost();
		return new Look(leadership, null);
	}

	/** Begin a run, in the thread that is going to run it. */
	RecordedRun.Begin begin(PlannedRun wanted, Leadership leadership) {
		this.launches.forgive();
		Look look = new Look(leadership, wanted);
		if (!this.state.claim()) {
			look.result = Result.STILL_RUNNING;
		}
		else {
			try {
				this.store.compareClocks();
				look.reconcile(timeout(leadership));
			}
			catch (LeaseStoreException ex) {
				// RunStore logs outages.
			}
			finally {
				this.state.release();
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

	private static Duration timeout(Leadership leadership) {
		Duration left = leadership.remaining().plusMillis(1);
		return (left.compareTo(RunStore.TIMEOUT) < 0) ? left : RunStore.TIMEOUT;
	}

	/**
	 * Record the end of a run, on the thread of the run. Its call stays in flight until
	 * this was tried, so that on a graceful handover the next leader does not find the
	 * run unfinished.
	 */
	private void ended(RecordedRun run, RecordedRun.End end) {
		this.state.changed();
		try {
			// If a fire time from before the run is still not covered, launch it at once.
			JobSchedule present = this.schedule;
			RunRecord record = this.state.last();
			this.eager = this.eager || (present != null && record != null && present.isOpen(record, run.begunAt()));
			new Look(null, null).reconcile(RunStore.TIMEOUT);
		}
		catch (RuntimeException ex) {
			// The next look tries again. This exception must not hide the one that the
			// run has thrown.
		}
		finally {
			this.listener.onEnded(end.run(), end.duration());
			this.wake.run();
		}
	}

	/**
	 * Return the next change that must be recorded before a run can begin: the end of a
	 * run, a start that is taken back, the opening under the current term, or an
	 * unfinished run.
	 * @param wanted the run that is about to begin, {@code null} if none is
	 */
	private @Nullable RunRecord owed(@Nullable RunRecord record, @Nullable Leadership leadership,
			@Nullable PlannedRun wanted) {
		JobSchedule present = this.schedule;
		RunRecord own = this.state.settled(record, present, wanted != null);
		if (own != null || this.state.isStale()) {
			return own;
		}
		if (leadership == null || present == null) {
			this.state.sound();
			return null;
		}
		RunRecord opened = present.opened(record, this.state.last(), wanted, leadership.term(), this.clock.now());
		if (opened == null && leadership.isHeld()) {
			// While a term is held, no later term can have opened the record.
			this.state.damaged(
					"its fence is above term %d, which is held now. Was the lease removed, or an older one restored?"
						.formatted(leadership.term()));
		}
		if (record == null || opened == null || !opened.equals(record)) {
			return opened;
		}
		this.state.sound();
		JobRun lost = this.state.lost(record);
		return (lost != null) ? unfinished(record, lost, present) : null;
	}

	/**
	 * Report an unfinished run, and return the record that says so. If this process
	 * crashes in between, the next leader reports the run again.
	 */
	private @Nullable RunRecord unfinished(RunRecord record, JobRun lost, JobSchedule present) {
		Instant now = this.clock.now();
		JobRun unfinished = RunRecord.ended(lost, Outcome.UNFINISHED, now);
		if (this.state.isNews(lost)) {
			this.listener.onUnfinished(unfinished, present.isAttemptedNext(record, lost, now));
		}
		return record.finished(unfinished, record.covered(), 0);
	}

	private void report(@Nullable RunRecord before, RunRecord after) {
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
			log.tell(
					(logger) -> logger.info(
							"Job '{}' has a new schedule, '{}' instead of '{}'. Fire times from "
									+ "{} to {} no longer count",
							this.key, after.timetable(), StoredText.printable(before.timetable()), before.covered(),
							after.covered()));
		}
	}

	/** Log that a due run can't be started. It is tried again after the backoff. */
	private void rejected(RuntimeException failure) {
		this.launches.backOff();
		if (this.rejection.begins("rejected")) {
			log.tell(failure, (logger, cause) -> logger
				.warn("A run of job '{}' is due but could not be started; retrying every second", this.key, cause));
		}
	}

	/** Return the runs that are handed to the scheduler. */
	Launches launches() {
		return this.launches;
	}

	/**
	 * Start a run by hand.
	 * @throws IllegalStateException if a run is in progress, or was already handed to the
	 * scheduler
	 * @throws RecordRefusedException if the record can't be used
	 */
	void trigger() {
		String damage = this.state.damage();
		if (damage != null) {
			// Have the record read again: it may have been repaired.
			this.wake.run();
			throw new RecordRefusedException("The record of job '%s' can't be used: %s".formatted(this.key, damage),
					null);
		}
		this.launches.endLost();
		JobSchedule present = this.schedule;
		if (present == null || !present.isLaunched()) {
			throw new IllegalArgumentException(
					"Job '%s' can't be triggered: application code runs it, or its bean is not a singleton"
						.formatted(this.key));
		}
		if (!this.launches.launch(PlannedRun.triggered())) {
			throw new IllegalStateException("Job '%s' is still running. Wait until it ends".formatted(this.key));
		}
	}

	/** Return the status of the job, {@code null} if it is not registered. */
	@Nullable JobStatus status() {
		JobSchedule present = this.schedule;
		if (present == null) {
			return null;
		}
		RunRecord record = this.state.last();
		String problem = (this.state.damage() != null) ? this.state.damage() : this.store.failure(this.key);
		if (problem == null && this.launches.isKeptBack()) {
			problem = "The last call by its scheduler did not reach the gate";
		}
		return new JobStatus(present.job(), record, (record != null) ? present.job().timetable().next(record) : null,
				this.state.isRunning(), problem);
	}

	/**
	 * One look at the record, which writes what follows from it. A thread that is about
	 * to begin a run also records its start. The thread that looks after all jobs finds
	 * out whether a run is due that the scheduler does not start. A run begins only when
	 * an answer proves that its start is recorded. If there was no answer, the next look
	 * takes the start back.
	 */
	final class Look {

		private final @Nullable Leadership leadership;

		/** The run that is about to begin, {@code null} if this look begins none. */
		private final @Nullable PlannedRun wanted;

		private Result result = Result.UNREACHABLE;

		/** The record with the start that was tried last, or is due. */
		private @Nullable RunRecord start;

		private @Nullable RecordedRun begun;

		Look(@Nullable Leadership leadership, @Nullable PlannedRun wanted) {
			this.leadership = leadership;
			this.wanted = wanted;
			if (state().damage() != null) {
				// Read the record again: it may have been repaired.
				state().expire();
			}
		}

		JobState state() {
			return RecordedJob.this.state;
		}

		boolean isLed() {
			return this.leadership != null;
		}

		/**
		 * Read the record if it is stale, and write what follows from it, until nothing
		 * more follows. A record that is damaged, or whose change is refused, is left
		 * alone.
		 */
		void reconcile(Duration timeout) {
			JobState state = state();
			for (int i = 0; i < MOST_ROUNDS; i++) {
				if (state.isStale()) {
					RecordedJob.this.store.read(List.of(state), timeout);
				}
				if (state.isStale()) {
					if (state.damage() != null) {
						return;
					}
					continue;
				}
				RunRecord before = state.present();
				RunRecord unreported = state.beforeUnanswered();
				if (unreported != null && before != null) {
					report(unreported, before);
				}
				RunRecord after = next(before);
				if (after == null && !state.isStale()) {
					if (this.result != Result.UNREACHABLE) {
						RecordedJob.this.store.settled(RecordedJob.this.key);
					}
					return;
				}
				if (after != null && !write(before, after, timeout) && state.damage() != null) {
					return;
				}
			}
			if (state.present() != null) {
				throw new LeaseStoreException("the record of job '%s' keeps changing".formatted(RecordedJob.this.key),
						null);
			}
			state.damaged("it does not exist and can't be created. Does the collection have a collation under "
					+ "which two names are equal?");
		}

		private boolean write(@Nullable RunRecord before, RunRecord after, Duration timeout) {
			long change = state().attempted();
			try {
				boolean done = RecordedJob.this.store.write(state(), before, after, timeout);
				if (done) {
					written(before, after, change);
				}
				return done;
			}
			catch (LeaseStoreException ex) {
				state().unanswered(before, after);
				throw ex;
			}
		}

		/**
		 * Return the next record to write.
		 * @param record the current record, {@code null} if there is none
		 * @return the record to write, {@code null} if there is nothing to write or, if
		 * the state has become stale, the record must be read first
		 */
		private @Nullable RunRecord next(@Nullable RunRecord record) {
			try {
				return (this.begun != null) ? null : nextUnlessBegun(record);
			}
			catch (RuntimeException ex) {
				rejected(ex);
				return null;
			}
		}

		private @Nullable RunRecord nextUnlessBegun(@Nullable RunRecord record) {
			this.start = null;
			this.result = Result.UNREACHABLE;
			RunRecord owed = owed(record, this.leadership, this.wanted);
			JobSchedule present = RecordedJob.this.schedule;
			if (owed != null || state().isStale() || state().damage() != null) {
				return owed;
			}
			if (record == null || present == null || this.leadership == null || !this.leadership.isHeld()) {
				this.result = Result.NOT_LEADER;
				return null;
			}
			boolean starter = this.wanted != null;
			if (!starter && !present.isLaunched()) {
				this.result = Result.NOT_LEADER;
				return null;
			}
			if (!starter && (this.leadership.isEnding() || !launches().isReady())) {
				return null;
			}
			Instant now = RecordedJob.this.clock.now();
			boolean waits = !starter && !RecordedJob.this.eager;
			RunRecord next = present.next((this.wanted != null) ? this.wanted : PlannedRun.catchUp(), record,
					this.leadership, waits ? now.minus(JobSchedule.GRACE) : now);
			if (next == null) {
				this.result = Result.ALREADY_RUN;
			}
			else if (next.isRunning(this.leadership.term())) {
				this.start = next;
				if (!starter) {
					// The thread that is going to run it records the start.
					return null;
				}
				state().tried(record);
			}
			return next;
		}

		/** Note that the change with this number was written. */
		private void written(@Nullable RunRecord before, RunRecord after, long change) {
			state().written(after, change, this.wanted != null);
			report(before, after);
			JobRun run = after.last();
			// Begin only while the term is held. Otherwise the start is taken back.
			if (before != null && run != null && after.equals(this.start) && this.leadership != null
					&& this.leadership.isHeld()) {
				this.begun = new RecordedRun(run, before.last(), this.leadership, RecordedJob.this.clock,
						RecordedJob.this::ended);
				state().begun(this.begun);
				this.result = Result.RAN;
			}
		}

		/**
		 * Launch the run that was found to be due, if there is one.
		 * @return how long until this job needs another look, {@code null} if it needs
		 * none before the usual one
		 */
		@Nullable Duration launch() {
			boolean due = this.start != null;
			if (!due && this.result != Result.ALREADY_RUN) {
				return launches().delay();
			}
			try {
				boolean unused = due && !launches().isKeptBack() && launches().launch(PlannedRun.catchUp());
				RecordedJob.this.rejection.ends();
			}
			catch (RuntimeException ex) {
				rejected(ex);
				return launches().delay();
			}
			RecordedJob.this.eager = RecordedJob.this.eager && due;
			RunRecord known = state().present();
			JobSchedule present = RecordedJob.this.schedule;
			// A due run is left to the scheduler for the grace period first.
			return (!due && known != null && present != null)
					? present.untilNext(known, RecordedJob.this.clock.now().minus(JobSchedule.GRACE)) : null;
		}

	}

}
