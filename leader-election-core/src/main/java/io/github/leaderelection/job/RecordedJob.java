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
 * One job of this process. What is to be recorded is found by comparing what has happened
 * here with the record, again after each change, until both agree.
 */
final class RecordedJob {

	/** A few for what follows, one after the other, and a few for what others change. */
	private static final int MOST_ROUNDS = 10;

	private static final EngineLog log = EngineLog.of(RecordedJob.class);

	private final JobKey key;

	private final JobState state;

	private final Launches launches;

	private final RunStore store;

	private final JobListener listener;

	private final RunClock clock;

	/** Has somebody look again. */
	private final Runnable wake;

	private final Problem rejection = new Problem();

	/** {@code null} while the job is not registered; a run of it may go on. */
	private volatile @Nullable JobSchedule schedule;

	/** Whether fire times that have come are not left to the scheduler for a while. */
	private volatile boolean eager;

	/** The term of the last turn that had one. Known to one thread only. */
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
	 * Look after a job of that name from now on.
	 * @return {@code false} if there is one already, unless only the new one has a
	 * timetable
	 */
	synchronized boolean register(Job job, @Nullable Launcher launcher) {
		JobSchedule present = this.schedule;
		// Other code may run it by its name before it is declared.
		if (present != null && (present.timetable() != Timetable.NONE || job.timetable() == Timetable.NONE)) {
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
				// Told already.
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
	 * Record the end of a run, on the thread of the run: its call is in flight until that
	 * was tried, so that no next leader takes it for unfinished.
	 */
	private void ended(RecordedRun run, RecordedRun.End end) {
		this.state.changed();
		try {
			// What came before the run, and is not covered, is looked at when it has
			// ended.
			JobSchedule present = this.schedule;
			RunRecord record = this.state.last();
			this.eager = this.eager || (present != null && record != null && present.isOpen(record, run.begunAt()));
			new Look(null, null).reconcile(RunStore.TIMEOUT);
		}
		catch (RuntimeException ex) {
			// It is tried again. What the run itself has thrown is not to be hidden.
		}
		finally {
			this.listener.onEnded(end.run(), end.duration());
			this.wake.run();
		}
	}

	/**
	 * Return what follows from what has happened, before a run can begin.
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
			// As long as a term is held there is no later one that could have opened it.
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

	/** Reported before it is recorded: otherwise whoever leads next reports it. */
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

	/** It is tried again, but not at once. */
	private void rejected(RuntimeException failure) {
		this.launches.backOff();
		if (this.rejection.begins("rejected")) {
			log.tell(failure, (logger, cause) -> logger
				.warn("A run of job '{}' is due and can't be started; it is tried again each second", this.key, cause));
		}
	}

	/** Return what is handed to the scheduler. */
	Launches launches() {
		return this.launches;
	}

	/**
	 * Start a run by hand.
	 * @throws IllegalStateException if a run goes on
	 * @throws RecordRefusedException if its start can't be recorded
	 */
	void trigger() {
		String damage = this.state.damage();
		if (damage != null) {
			// It may have been repaired.
			this.wake.run();
			throw new RecordRefusedException("The record of job '%s' can't be used: %s".formatted(this.key, damage),
					null);
		}
		this.launches.endLost();
		JobSchedule present = this.schedule;
		if (present == null || !present.isLaunched()) {
			throw new IllegalArgumentException(
					"Job '%s' can't be started by hand: other code runs it, or its bean is no singleton"
						.formatted(this.key));
		}
		if (!this.launches.launch(PlannedRun.triggered())) {
			throw new IllegalStateException("A run of job '%s' still goes on. Wait for its end".formatted(this.key));
		}
	}

	/** Return how the job fares, {@code null} if it is not registered. */
	@Nullable JobStatus status() {
		JobSchedule present = this.schedule;
		if (present == null) {
			return null;
		}
		RunRecord record = this.state.last();
		String problem = (this.state.damage() != null) ? this.state.damage() : this.store.failure(this.key);
		if (problem == null && this.launches.isKeptBack()) {
			problem = "The last call by its scheduler was kept back in front of the gate";
		}
		return new JobStatus(present.job(), record, (record != null) ? present.job().timetable().next(record) : null,
				this.state.isRunning(), problem);
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

		private Result result = Result.UNREACHABLE;

		/** The start that was tried last, or is due. */
		private @Nullable RunRecord start;

		private @Nullable RecordedRun begun;

		Look(@Nullable Leadership leadership, @Nullable PlannedRun wanted) {
			this.leadership = leadership;
			this.wanted = wanted;
			if (state().damage() != null) {
				// It may have been repaired.
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
		 * Read the record if it is stale, and write what follows, until nothing does.
		 * What is damaged, or refused, is left alone.
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
				throw new LeaseStoreException(
						"the record of job '%s' changes all the time".formatted(RecordedJob.this.key), null);
			}
			state.damaged("it is not there and can't be made. Does the collection have a collation by which two "
					+ "names are the same?");
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
		 * Return what is to be written next.
		 * @param record the record as it is, {@code null} if there is none
		 * @return the record that follows, {@code null} if there is nothing to be written
		 * as long as what is known is not stale
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
					// It is up to the thread that is going to run it.
					return null;
				}
				state().tried(record);
			}
			return next;
		}

		/** A change was made here, the one of that number. */
		private void written(@Nullable RunRecord before, RunRecord after, long change) {
			state().written(after, change, this.wanted != null);
			report(before, after);
			JobRun run = after.last();
			// Otherwise it is taken back.
			if (before != null && run != null && after.equals(this.start) && this.leadership != null
					&& this.leadership.isHeld()) {
				this.begun = new RecordedRun(run, before.last(), this.leadership, RecordedJob.this.clock,
						RecordedJob.this::ended);
				state().begun(this.begun);
				this.result = Result.RAN;
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
			// It was left to the scheduler for so long.
			return (!due && known != null && present != null)
					? present.untilNext(known, RecordedJob.this.clock.now().minus(JobSchedule.GRACE)) : null;
		}

	}

}
