package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * One job of this process: takes note of its record, has runs launched that are due,
 * begins them and records their ends.
 */
final class JobLedger {

	private static final EngineLog log = EngineLog.of(JobLedger.class);

	private final Job job;

	private final JobSchedule schedule;

	private final JobState state;

	private final Launches launches;

	private final RunStarts starts;

	private final RunRecords records;

	private final OwedEnds owed;

	private final JobListener listener;

	private final RunClock clock;

	/** Has somebody look again. */
	private final Runnable wake;

	JobLedger(Job job, @Nullable RunLauncher launcher, RunRecords records, OwedEnds owed, JobListener listener,
			RunClock clock, Runnable wake) {
		this.job = job;
		this.schedule = new JobSchedule(job, launcher != null);
		this.state = new JobState(job.key());
		this.launches = new Launches(job.key(), launcher, clock, wake);
		this.starts = new RunStarts(this.schedule, this.state, this.launches, records, owed, listener, clock,
				this::opened);
		this.records = records;
		this.owed = owed;
		this.listener = listener;
		this.clock = clock;
		this.wake = wake;
	}

	JobKey key() {
		return this.job.key();
	}

	/**
	 * Begin nothing before what another registration of this job has begun has ended.
	 * @param earlier the other, or {@code null} if there is none
	 */
	void follow(@Nullable JobLedger earlier) {
		this.state.follow((earlier != null) ? earlier.state : null);
	}

	boolean isOpen(long term) {
		return this.state.isOpen(term);
	}

	/** Return whether the record was seen, or opened. */
	boolean isKnown() {
		return this.state.record() != null;
	}

	RunOpening opening(long term) {
		return this.starts.opening(term, this.clock.now());
	}

	/**
	 * Take note of what the record was when it was opened.
	 * @param reading the answer; without a record if a later term has opened it
	 * @param leadership the leadership under which it was
	 */
	void opened(RunReading reading, Leadership leadership) {
		RunRecord record = reading.records().get(key());
		String found = reading.damaged().get(key());
		if (record == null && found == null && leadership.isHeld()) {
			found = JobState.fenced(leadership);
		}
		if (record != null) {
			opened(record, leadership.term());
		}
		this.state.damaged(found);
	}

	private void opened(RunRecord opened, long term) {
		JobRun last = opened.last();
		RunRecord known;
		boolean unfinished;
		boolean again = false;
		synchronized (this.state) {
			if (term < this.state.term() || this.state.isOpen(term)) {
				return;
			}
			known = this.state.record();
			this.state.opened(opened, term);
			this.launches.notKeptBack();
			unfinished = last != null && last.outcome() == Outcome.RUNNING && last.term() < term
					&& !this.state.isRunning() && !this.state.isPreceded() && !this.owed.owesResult(last.id());
			if (last != null && unfinished) {
				again = this.launches.isPossible() && last.attempt() < this.job.attempts();
				if (!again) {
					end(this.starts.unfinished(last), opened);
				}
			}
		}
		if (last != null && unfinished) {
			this.listener.onUnfinished(this.starts.unfinished(last).ended(last), again);
		}
		if (known != null && !known.timetable().isEmpty() && !known.timetable().equals(opened.timetable())) {
			log.tell((logger) -> logger.info(
					"Job '{}' has another timetable, '{}' in place of '{}'. Fire times from "
							+ "{} to {} do not count any more",
					key(), opened.timetable(), StoredText.printable(known.timetable()), known.covered(),
					opened.covered()));
		}
	}

	private void end(RunEnd end, RunRecord known) {
		this.owed.settleLater(end);
		RunRecord ended = known.ended(end);
		this.state.changed((ended != null) ? ended : known);
	}

	/**
	 * Take note of what is recorded.
	 * @param reading the answer
	 * @param leading whether this process leads: then it is news only if nothing is known
	 */
	void seen(RunReading reading, boolean leading) {
		RunRecord seen = reading.records().get(key());
		synchronized (this.state) {
			if (seen != null && (!leading || this.state.record() == null)) {
				this.state.seen(seen);
			}
		}
		this.state.damaged(reading.damaged().get(key()));
	}

	/** The term has ended here. */
	void left(long ledNow) {
		this.starts.left(ledNow);
	}

	/** Leave fire times that have come to no scheduler at the next look. */
	void lookAgain() {
		this.state.setOverdue(true);
	}

	/**
	 * Have a run launched, if one is due.
	 * @return how long it takes until one can be, {@code null} if that is for the
	 * scheduler to know
	 */
	@Nullable Duration look(Leadership leadership) {
		endLostLaunch();
		RunRecord known = this.state.record();
		if (!this.launches.isPossible() || known == null || !this.state.isOpen(leadership.term()) || this.state.isBusy()
				|| this.launches.isPending() || leadership.isEnding()) {
			return null;
		}
		Duration paused = this.launches.paused(leadership.term());
		if (paused != null) {
			return paused;
		}
		Instant now = this.clock.now();
		JobRun orphan = JobSchedule.orphan(known, leadership.term(), this.owed);
		DueRun due = (orphan != null) ? JobSchedule.again(orphan)
				: this.schedule.due(known, now, this.state.isOverdue());
		if (due != null && due.isStart()) {
			if (!this.launches.isKeptBack()) {
				boolean unused = this.launches.launch(leadership.term(), PlannedRun.of(due));
			}
			return null;
		}
		if (due != null && due.expired() != null) {
			RunCover missed = new RunCover(known.fence(), known.covered(), due.expired(), 0, due.missed());
			if (!this.starts.settleMissed(known, missed, leadership)) {
				return Duration.ZERO;
			}
		}
		this.state.setOverdue(false);
		return this.schedule.wait(known, now);
	}

	private void endLostLaunch() {
		if (!this.state.isBusy()) {
			this.launches.endLost();
		}
	}

	/**
	 * A call by the scheduler did not come to the gate in the thread of the scheduler.
	 * @param elsewhere whether it has come there in another thread
	 */
	void strayed(BooleanSupplier elsewhere) {
		synchronized (this.state) {
			// Asked here: whatever comes in another thread comes before it begins.
			boolean arrived = elsewhere.getAsBoolean();
			// The run that goes on keeps others back.
			if (arrived || !this.state.isBusy()) {
				this.launches.strayed(arrived);
			}
		}
	}

	/**
	 * Start a run by hand.
	 * @throws IllegalStateException if a run goes on
	 * @throws UnusableRecordException if its start can't be recorded
	 */
	void trigger() {
		String damage = this.state.damage();
		if (damage != null) {
			// It may have been repaired.
			this.wake.run();
			throw new UnusableRecordException(key(), damage);
		}
		endLostLaunch();
		if (!this.launches.isPossible()) {
			throw new IllegalArgumentException(
					"Job '%s' is run by other code, which alone can start it".formatted(key()));
		}
		if (this.state.isBusy() || !this.launches.launch(this.state.term(), PlannedRun.triggered())) {
			throw new IllegalStateException("A run of job '%s' still goes on. Wait for its end".formatted(key()));
		}
	}

	/** Begin a run, in the thread that is going to run it. */
	Begin begin(PlannedRun planned, Leadership leadership) {
		this.launches.notKeptBack();
		if (!this.state.beginStart()) {
			this.wake.run();
			return Begin.refused(Result.STILL_RUNNING);
		}
		Result refused;
		try {
			RunStarts.Start start = this.starts.begin(planned, leadership);
			if (start.run() != null) {
				return begun(start.run(), start.previous(), leadership);
			}
			refused = start.result();
		}
		finally {
			this.state.endStart();
		}
		this.wake.run();
		return Begin.refused(refused);
	}

	private Begin begun(JobRun run, @Nullable JobRun previous, Leadership leadership) {
		Instant fireTime = run.fireTime();
		Instant begunAt = this.clock.now();
		Duration late = (fireTime != null) ? Duration.between(fireTime, begunAt) : Duration.ZERO;
		Ending over = new Ending(run, leadership, begunAt, this.clock.nanos());
		Begin begin = new Begin(new RecordedRun(run, previous, (failure) -> {
			over.come(failure != null, this.clock.nanos());
			conclude(over);
		}), Result.RAN);
		goOn(run, over);
		boolean begun = false;
		try {
			this.listener.onStarted(run, late.isNegative() ? Duration.ZERO : late);
			begun = true;
		}
		finally {
			if (!begun) {
				// It never begins. Its record makes room for it again.
				goOn(null, null);
			}
		}
		return begin;
	}

	private void goOn(@Nullable JobRun run, @Nullable Ending over) {
		synchronized (this.state) {
			this.launches.begun(run != null);
			this.state.run(run, over);
		}
	}

	/**
	 * Do what the end of a run owes, on the thread of the run: its call is in flight
	 * until the end is recorded, so that no next leader takes it for unfinished.
	 */
	private void conclude(Ending over) {
		boolean concluded = false;
		try {
			conclude();
			concluded = true;
		}
		finally {
			if (!concluded) {
				over.owe();
			}
		}
	}

	/**
	 * Do what the end of a run still owes, since it failed on the thread of the run. If
	 * it fails again it is done at the next attempt.
	 */
	void concludeWhatIsOwed() {
		Ending over = this.state.ending();
		if (over != null && over.isOwed()) {
			conclude();
		}
	}

	private void conclude() {
		Ending over;
		OwedEnds.Debt debt;
		JobRun ended;
		synchronized (this.state) {
			over = this.state.ending();
			if (over == null || !over.hasCome()) {
				return;
			}
			RunRecord known = this.state.openRecord();
			RunCover skipped = skippedUnlessUnknown(over, known);
			RunEnd end = over.end(key(), this.clock.now(), skipped);
			RunRecord next = known.ended(end);
			// Before the next run can begin, which would take this one for an orphan.
			int number = (skipped != null) ? skipped.skipped() : 0;
			debt = this.owed.owe(end, () -> this.listener.onSkipped(key(), number));
			this.state.changed((next != null) ? next : known);
			this.state.run(null, null);
			ended = end.ended(over.run());
		}
		this.owed.tryToSettle(debt);
		this.listener.onEnded(ended, over.duration());
		this.wake.run();
	}

	/**
	 * What has come during the run is skipped. What came before it, and is not covered,
	 * is looked at when the run has ended. Nothing is skipped during a run whose term has
	 * ended: whoever leads next finds what has come, as if the process had crashed.
	 */
	private @Nullable RunCover skippedUnlessUnknown(Ending over, RunRecord known) {
		try {
			RunCover skipped = this.schedule.skipped(known, over.begunAt(), this.clock.now());
			// Asked after the clock: what has come by then has come while it was held.
			boolean held = over.leadership().isHeld();
			if (held && this.schedule.isOpen(known, over.begunAt())) {
				this.state.setOverdue(true);
			}
			return held ? skipped : null;
		}
		catch (RuntimeException ex) {
			// It is not this run that a timetable without an answer may keep from ending.
			this.state.setOverdue(true);
			return null;
		}
	}

	JobStatus status() {
		RunRecord record = this.state.record();
		return new JobStatus(this.job, record, (record != null) ? this.job.timetable().next(record) : null,
				this.state.isRunning(), problem());
	}

	private @Nullable String problem() {
		String damage = this.state.damage();
		String known = (damage != null) ? damage : this.records.failure();
		return (known == null && this.launches.isKeptBack())
				? "The last call by its scheduler was kept back in front of the gate" : known;
	}

}
