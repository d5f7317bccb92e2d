package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.StoredText;
import io.github.leaderelection.store.UnusableRecordException;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the runs of one job, and the steps by which a run is
 * started: open the record under the present term, decide, record the start, run, record
 * the end. A start whose outcome is not known is tried again as the same run, so that it
 * is recorded once, whichever of the attempts arrives.
 */
final class JobLedger {

	private static final EngineLog log = EngineLog.of(RecordedJobs.class);

	/** Looks that nobody has asked for leave a fire time to the scheduler for a while. */
	private static final Duration GRACE = Duration.ofSeconds(5);

	/** What was launched and did not begin is launched again, but not at once. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	/** How early schedulers are, by the clock that tells when to run things. */
	private static final Duration EARLY = Duration.ofSeconds(1);

	private static final int MOST_STARTS = 3;

	private final Job job;

	private final @Nullable RunLauncher launcher;

	private final RecordStore store;

	private final JobListener listener;

	private final EngineClock clock;

	/** Has somebody look again. */
	private final Runnable wake;

	// All of it guarded by this object, which nobody holds while the store is asked.

	private @Nullable RunRecord record;

	/** The term under which the record was opened here, 0 if it was not. */
	private long term;

	/** A run whose start may be recorded, though that was not answered. */
	private @Nullable JobRun inDoubt;

	private @Nullable JobRun running;

	/** What the end of that run owes, made before it begins. */
	private @Nullable Ending ending;

	/** What began under another registration of this job, whose context has closed. */
	private @Nullable JobLedger predecessor;

	/** Whether a run is about to be started. */
	private boolean starting;

	/** What was handed to the scheduler and has not come back. */
	private @Nullable Launch launch;

	/** Whether the last call by the scheduler has not come to the gate. */
	private boolean keptBack;

	/** Whether somebody was told that calls do not come to the gate as they should. */
	private boolean strayedTold;

	/** Whether something may be due that the scheduler does not start by itself. */
	private boolean overdue;

	private long pausedSince;

	private boolean paused;

	private volatile @Nullable String damage;

	JobLedger(Job job, @Nullable RunLauncher launcher, RecordStore store, JobListener listener, EngineClock clock,
			Runnable wake) {
		this.job = job;
		this.launcher = launcher;
		this.store = store;
		this.listener = listener;
		this.clock = clock;
		this.wake = wake;
	}

	Job job() {
		return this.job;
	}

	JobKey key() {
		return this.job.key();
	}

	private Instant now() {
		return Instant.ofEpochMilli(this.clock.millis());
	}

	/**
	 * Begin nothing before what another registration of this job has begun has ended.
	 * @param earlier the other, or {@code null} if there is none
	 */
	synchronized void follow(@Nullable JobLedger earlier) {
		this.predecessor = earlier;
	}

	/** Return whether a run goes on, or is about to begin. */
	synchronized boolean isBusy() {
		return this.running != null || this.starting || isPreceded();
	}

	private boolean isPreceded() {
		JobLedger earlier = this.predecessor;
		if (earlier != null && !earlier.isBusy()) {
			this.predecessor = null;
			return false;
		}
		return earlier != null;
	}

	synchronized boolean isOpen(long term) {
		return this.term == term;
	}

	/** Return whether the record was seen, or opened. */
	synchronized boolean isKnown() {
		return this.record != null;
	}

	RunOpening opening(long term) {
		return opening(term, now());
	}

	private synchronized RunOpening opening(long term, Instant asOf) {
		// Others come with the fire times of theirs after these have passed, the first
		// too.
		Instant from = (this.job.timetable() == Timetable.NONE) ? Instant.EPOCH : asOf;
		RunRecord known = this.record;
		// One that is gone is made anew as it was: nobody else has started anything.
		if (known != null && known.fence() == term && known.timetable().equals(this.job.timetable().toString())) {
			from = known.covered();
		}
		return new RunOpening(key(), term, this.job.timetable().toString(), from);
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
			found = fenced(leadership);
		}
		boolean news = isNews(found);
		opened(record, leadership.term());
		tell(news ? found : null);
	}

	/**
	 * As long as a term is held there is no later one that could have raised the fence.
	 */
	private static String fenced(Leadership leadership) {
		return "its fence is above term %d, which is held now. Was the lease removed, or an older one restored?"
			.formatted(leadership.term());
	}

	private void opened(@Nullable RunRecord opened, long term) {
		JobRun unfinished = null;
		RunRecord known;
		boolean again = false;
		synchronized (this) {
			if (opened == null || term < this.term || (term == this.term && this.record != null)) {
				return;
			}
			known = this.record;
			this.record = opened;
			this.term = term;
			this.overdue = true;
			this.keptBack = false;
			JobRun last = opened.last();
			if (last != null && last.outcome() == Outcome.RUNNING && last.term() < term && this.running == null
					&& !isPreceded() && !this.store.owesResult(last.id())) {
				unfinished = unfinished(last);
				again = this.launcher != null && last.attempt() < this.job.attempts();
				if (!again) {
					this.record = with(opened, unfinished, opened.covered(), 0, 0);
					this.store.finishLater(new RunEnd(key(), last.id(), Outcome.UNFINISHED));
				}
			}
		}
		if (unfinished != null) {
			this.listener.onUnfinished(unfinished, again);
		}
		if (known != null && !known.timetable().isEmpty() && !known.timetable().equals(opened.timetable())) {
			log.tell((logger) -> logger.info(
					"Job '{}' has another timetable, '{}' in place of '{}'. Fire times from "
							+ "{} to {} do not count any more",
					key(), opened.timetable(), StoredText.printable(known.timetable()), known.covered(),
					opened.covered()));
		}
	}

	/**
	 * Take note of what is recorded.
	 * @param reading the answer
	 * @param leading whether this process leads: then it is news only if nothing is known
	 */
	void seen(RunReading reading, boolean leading) {
		String found = reading.damaged().get(key());
		boolean news = isNews(found);
		RunRecord seen = reading.records().get(key());
		synchronized (this) {
			if (seen != null && (!leading || this.record == null)) {
				this.record = seen;
				this.term = 0;
			}
		}
		tell(news ? found : null);
	}

	private boolean isNews(@Nullable String found) {
		String known = this.damage;
		this.damage = found;
		return !Objects.equals(found, known);
	}

	private void tell(@Nullable String damage) {
		if (damage != null) {
			log.tell(
					(logger) -> logger.error(
							"The record of job '{}' is damaged, so that it can't be started: {}{} "
									+ "Repair it, or remove it to begin anew",
							key(), damage, damage.endsWith("?") ? "" : "."));
		}
	}

	/**
	 * The term has ended here. A start that may be recorded, and was not followed by a
	 * run, is taken back, so that the next leader does not take it for one.
	 */
	synchronized void left(long ledNow) {
		JobRun doubtful = this.inDoubt;
		if (doubtful != null && doubtful.term() != ledNow && !this.starting) {
			this.store.finishLater(withdrawal(doubtful));
			this.inDoubt = null;
		}
	}

	/** Leave fire times that have come to no scheduler at the next look. */
	synchronized void lookAgain() {
		this.overdue = true;
	}

	/**
	 * Have a run launched, if one is due.
	 * @return how long it takes until one can be, {@code null} if that is for the
	 * scheduler to know
	 */
	@Nullable Duration look(Leadership leadership) {
		RunRecord present;
		boolean asked;
		boolean mayLaunch;
		endLostLaunch();
		synchronized (this) {
			if (this.launcher == null || this.record == null || this.term != leadership.term() || isBusy()
					|| this.launch != null || leadership.isEnding()) {
				return null;
			}
			Duration pause = pause();
			if (pause != null) {
				return pause;
			}
			present = this.record;
			asked = this.overdue;
			mayLaunch = !this.keptBack;
		}
		Instant now = now();
		boolean fixed = this.job.timetable().isFixed();
		JobRun orphan = orphan(present, leadership);
		DueRun due = (orphan != null) ? new DueRun(orphan.fireTime(), orphan.cause(), orphan.attempt(), 0, null, true)
				: DueRun.of(this.job, present, (asked || !fixed) ? now : now.minus(GRACE));
		if (due != null && due.isStart()) {
			if (mayLaunch) {
				launch(due);
			}
			return null;
		}
		if (due != null && !settleMissed(present, Objects.requireNonNull(due.expired()), due.missed(), leadership)) {
			return Duration.ZERO;
		}
		synchronized (this) {
			this.overdue = false;
		}
		Instant next = fixed ? null : this.job.timetable().next(present);
		return (next != null) ? Duration.between(now, next) : null;
	}

	private void launch(DueRun due) {
		Launch launch;
		synchronized (this) {
			launch = new Launch(this.term);
			this.launch = launch;
		}
		launch(launch, PlannedRun.of(due));
	}

	private void launch(Launch launch, PlannedRun planned) {
		boolean taken = false;
		try {
			launch.task = Objects.requireNonNull(this.launcher).launch(planned, () -> launchEnded(launch));
			taken = true;
		}
		finally {
			if (!taken) {
				launchEnded(launch);
			}
		}
	}

	private void launchEnded(Launch launch) {
		synchronized (this) {
			if (this.launch == launch) {
				this.launch = null;
			}
			// A later term owes nothing to what failed to begin in an earlier one.
			if (!launch.begun && launch.term == this.term) {
				beginPause();
			}
		}
		this.wake.run();
	}

	/**
	 * A scheduler may have done with a run that nobody has called: a lock in front of the
	 * scheduler, for one, was not free.
	 */
	private void endLostLaunch() {
		Launch lost;
		synchronized (this) {
			lost = this.launch;
			if (lost == null || !lost.isLost(this.clock.nanos()) || isBusy()) {
				return;
			}
		}
		strayed(() -> false);
		launchEnded(lost);
	}

	/**
	 * A call by the scheduler did not come to the gate in the thread of the scheduler. If
	 * it was kept back it is not repeated: the next one comes with the next fire time.
	 */
	void strayed(BooleanSupplier elsewhere) {
		boolean news;
		synchronized (this) {
			// Asked here: whatever comes in another thread comes before it begins.
			boolean arrived = elsewhere.getAsBoolean();
			if (!arrived && isBusy()) {
				// The run that goes on keeps others back.
				return;
			}
			this.keptBack = !arrived;
			news = !this.strayedTold;
			this.strayedTold = true;
		}
		if (news) {
			log.tell((logger) -> logger
				.warn("A scheduled call of job '{}' did not come to the gate in the thread of its "
						+ "scheduler. If it was kept back by a lock, an aspect or a proxy, it is not repeated before the next "
						+ "fire time. If it was moved to another thread, it is recorded only if it comes within 5 s. Let "
						+ "that come after the gate", key()));
		}
	}

	private void beginPause() {
		this.paused = true;
		this.pausedSince = this.clock.nanos();
	}

	private @Nullable Duration pause() {
		Duration left = PAUSE.minusNanos(this.clock.nanos() - this.pausedSince);
		this.paused = this.paused && !left.isNegative() && !left.isZero();
		return this.paused ? left : null;
	}

	/** Return whether it was as expected; otherwise the record was read again. */
	private boolean settleMissed(RunRecord known, Instant until, int missed, Leadership leadership) {
		if (!this.store.cover(new RunCover(key(), leadership.term(), known.covered(), until, 0, missed))) {
			reopen(leadership);
			return false;
		}
		synchronized (this) {
			if (this.record != null && this.record.covered().equals(known.covered())) {
				this.record = with(this.record, this.record.last(), until, 0, missed);
			}
		}
		this.listener.onMissed(key(), until, missed);
		return true;
	}

	private void reopen(Leadership leadership) {
		reopen(leadership, now());
	}

	private void reopen(Leadership leadership, Instant asOf) {
		synchronized (this) {
			this.term = 0;
		}
		opened(this.store.open(List.of(opening(leadership.term(), asOf))), leadership);
	}

	/**
	 * A fire time that is not covered by what is known of the record, which there may not
	 * be yet, or no more, has not come before the job.
	 */
	private synchronized Instant before(PlannedRun wanted) {
		Instant now = now();
		Instant fireTime = wanted.fireTime();
		RunRecord known = this.record;
		if (wanted.isTick()) {
			Instant recent = now.minus(GRACE);
			Instant from = (known != null && known.covered().isAfter(recent)) ? known.covered() : recent;
			Timetable timetable = this.job.timetable();
			// Only the last one: those before it are not missed, since there was no job.
			fireTime = timetable.last(new RunRecord(key(), 1, from, timetable.toString(), 0, 0, null), now);
			return (fireTime != null) ? fireTime.minusMillis(1) : now;
		}
		boolean open = known == null || (fireTime != null && fireTime.isAfter(known.covered()));
		return (open && fireTime != null && !fireTime.isAfter(now)) ? fireTime.minusMillis(1) : now;
	}

	/**
	 * Start a run by hand.
	 * @throws IllegalStateException if a run goes on
	 * @throws UnusableRecordException if its start can't be recorded
	 */
	void trigger() {
		Launch launch;
		String damage = this.damage;
		if (damage != null) {
			// It may have been repaired.
			this.wake.run();
			throw new UnusableRecordException(key(), damage);
		}
		endLostLaunch();
		synchronized (this) {
			if (isBusy() || this.launch != null) {
				throw new IllegalStateException("A run of job '%s' still goes on. Wait for its end".formatted(key()));
			}
			if (this.launcher == null) {
				throw new IllegalArgumentException(
						"Job '%s' is run by other code, which alone can start it".formatted(key()));
			}
			launch = new Launch(this.term);
			this.launch = launch;
		}
		launch(launch, PlannedRun.triggered());
	}

	/** Begin a run, in the thread that is going to run it. */
	Begin begin(PlannedRun planned, Leadership leadership) {
		synchronized (this) {
			this.keptBack = false;
			if (isBusy()) {
				return Begin.refused(Result.STILL_RUNNING);
			}
			this.starting = true;
		}
		Begin begin;
		LeaseStoreException failure = null;
		try {
			begin = start(planned, leadership);
		}
		catch (LeaseStoreException ex) {
			synchronized (this) {
				this.overdue = true;
				beginPause();
				if (ex instanceof UnusableRecordException) {
					// It may be made anew, or be repaired.
					this.term = 0;
				}
			}
			begin = Begin.refused(Result.UNREACHABLE);
			failure = ex;
		}
		finally {
			synchronized (this) {
				this.starting = false;
			}
		}
		if (failure instanceof UnusableRecordException unusable) {
			tell(isNews(unusable.problem()) ? unusable.problem() : null);
		}
		if (begin.run() == null) {
			this.wake.run();
		}
		return begin;
	}

	private Begin start(PlannedRun wanted, Leadership leadership) {
		this.store.settle(key());
		if (!isOpen(leadership.term())) {
			reopen(leadership, before(wanted));
			if (!isOpen(leadership.term())) {
				return Begin.refused((this.damage != null) ? Result.UNREACHABLE : Result.NOT_LEADER);
			}
		}
		PlannedRun planned = dated(wanted);
		if (planned == null) {
			return Begin.refused(Result.ALREADY_RUN);
		}
		for (int i = 0; i < MOST_STARTS; i++) {
			RunRecord known;
			JobRun run;
			JobRun orphan;
			synchronized (this) {
				known = Objects.requireNonNull(this.record);
				orphan = orphan(known, leadership);
				run = plan(planned, leadership);
				if (orphan == null && isOver(planned, known)) {
					return Begin.refused(Result.ALREADY_RUN);
				}
			}
			if (orphan != null && (!orphan.id().equals(run.id()) || isTooLate(planned))) {
				takeBack(orphan);
				reopen(leadership);
				continue;
			}
			if (isTooLate(planned)) {
				if (settleMissed(known, Objects.requireNonNull(planned.fireTime()),
						this.job.timetable().count(known.covered(), planned.fireTime()), leadership)) {
					return Begin.refused(Result.ALREADY_RUN);
				}
				continue;
			}
			if (!noteMissed(planned, known, leadership)) {
				continue;
			}
			JobRun previous = known.last();
			synchronized (this) {
				this.inDoubt = run;
			}
			RunRecord now = this.store.start(new RunStart(run, (previous != null) ? previous.id() : null),
					timeout(leadership));
			this.damage = null;
			synchronized (this) {
				this.record = now;
				if (now.isLast(run.id()) || now.fence() > run.term()) {
					this.inDoubt = null;
				}
			}
			JobRun recorded = now.last();
			if (recorded != null && now.isLast(run.id()) && recorded.outcome() == Outcome.RUNNING) {
				return begun(recorded, previous, leadership);
			}
			if (now.fence() > run.term()) {
				if (leadership.isHeld()) {
					throw new UnusableRecordException(key(), fenced(leadership));
				}
				return Begin.refused(Result.NOT_LEADER);
			}
		}
		throw new LeaseStoreException("the record of job '%s' changes all the time".formatted(key()), null);
	}

	/**
	 * A tick is for the last fire time that has come and is not covered. If there is none
	 * it may be for the next one.
	 */
	private synchronized @Nullable PlannedRun dated(PlannedRun wanted) {
		if (!wanted.isTick()) {
			return wanted;
		}
		RunRecord known = Objects.requireNonNull(this.record);
		Instant now = now();
		Instant last = this.job.timetable().last(known, now);
		Instant due = (last != null) ? last : imminent(known, now);
		return (due != null) ? new PlannedRun(due, wanted.cause(), 1) : null;
	}

	/** The next fire time, if it is close, and closer than what is covered. */
	private @Nullable Instant imminent(RunRecord known, Instant now) {
		Instant next = this.job.timetable().isFixed() ? this.job.timetable().next(known) : null;
		Duration left = (next != null) ? Duration.between(now, next) : null;
		return (left != null && left.compareTo(EARLY) <= 0
				&& left.compareTo(Duration.between(known.covered(), now)) < 0) ? next : null;
	}

	/**
	 * A run whose start was recorded though that was not answered, so that it never
	 * began.
	 */
	private @Nullable JobRun orphan(RunRecord known, Leadership leadership) {
		JobRun last = known.last();
		return (last != null && last.outcome() == Outcome.RUNNING && last.term() == leadership.term()
				&& !this.store.owes(last.id())) ? last : null;
	}

	/**
	 * From then on it is never begun, also if this is not answered: it may be done later.
	 */
	private void takeBack(JobRun orphan) {
		RecordStore.Debt debt = this.store.owe(withdrawal(orphan));
		synchronized (this) {
			if (this.inDoubt != null && this.inDoubt.id().equals(orphan.id())) {
				this.inDoubt = null;
			}
		}
		this.store.settle(debt);
	}

	/** The same run as before if its start is in doubt. */
	private JobRun plan(PlannedRun planned, Leadership leadership) {
		JobRun doubtful = this.inDoubt;
		if (doubtful != null && doubtful.term() == leadership.term() && doubtful.attempt() == planned.attempt()
				&& Objects.equals(doubtful.fireTime(), planned.fireTime())) {
			return doubtful;
		}
		return new JobRun(UUID.randomUUID().toString(), key().election(), key().job(), planned.fireTime(),
				planned.cause(), planned.attempt(), leadership.term(), leadership.candidateId(), null, null,
				Outcome.RUNNING);
	}

	private static boolean isOver(PlannedRun planned, RunRecord known) {
		if (planned.attempt() > 1) {
			return known.last() == null || !DueRun.isUnfinished(known.last());
		}
		return planned.fireTime() != null && !planned.fireTime().isAfter(known.covered());
	}

	/**
	 * A scheduler that was busy for long may come with a fire time of the distant past.
	 */
	private boolean isTooLate(PlannedRun planned) {
		Instant fireTime = planned.fireTime();
		return fireTime != null && planned.attempt() == 1 && this.launcher != null && this.job.timetable().isFixed()
				&& fireTime.plus(this.job.startingDeadline()).isBefore(now());
	}

	private boolean noteMissed(PlannedRun planned, RunRecord known, Leadership leadership) {
		Instant fireTime = planned.fireTime();
		if (fireTime == null || planned.attempt() > 1) {
			return true;
		}
		Instant last = this.job.timetable().isFixed() ? this.job.timetable().last(known, fireTime.minusMillis(1))
				: null;
		return last == null || settleMissed(known, last, this.job.timetable().count(known.covered(), last), leadership);
	}

	private Begin begun(JobRun run, @Nullable JobRun previous, Leadership leadership) {
		if (!leadership.isHeld()) {
			this.store.tryToSettle(this.store.owe(withdrawal(run)));
			return Begin.refused(Result.NOT_LEADER);
		}
		Instant fireTime = run.fireTime();
		Instant begunAt = now();
		Duration late = (fireTime != null) ? Duration.between(fireTime, begunAt) : Duration.ZERO;
		JobRun before = (previous != null && previous.outcome() == Outcome.RUNNING) ? unfinished(previous) : previous;
		Ending over = new Ending(run, leadership, begunAt, this.clock.nanos());
		Begin begin = new Begin(new RecordedRun(run, before, (failure) -> {
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

	private synchronized void goOn(@Nullable JobRun run, @Nullable Ending over) {
		if (this.launch != null) {
			this.launch.begun = run != null;
		}
		this.running = run;
		this.ending = over;
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
		Ending over;
		synchronized (this) {
			over = this.ending;
		}
		if (over != null && over.isOwed()) {
			conclude();
		}
	}

	private void conclude() {
		Ending over;
		RunCover skipped;
		RecordStore.Debt debt;
		synchronized (this) {
			over = this.ending;
			if (over == null || !over.hasCome()) {
				return;
			}
			RunRecord known = Objects.requireNonNull(this.record);
			skipped = skippedUnlessUnknown(over, known);
			RunRecord next = known.isLast(over.run().id()) ? with(known, ended(over.run(), over.outcome()),
					(skipped != null) ? skipped.until() : known.covered(), (skipped != null) ? skipped.skipped() : 0, 0)
					: known;
			// Before the next run can begin, which would take this one for an orphan.
			int number = (skipped != null) ? skipped.skipped() : 0;
			debt = this.store.owe(skipped, () -> this.listener.onSkipped(key(), number),
					new RunEnd(key(), over.run().id(), over.outcome()));
			this.record = next;
			this.running = null;
			this.ending = null;
		}
		this.store.tryToSettle(debt);
		this.listener.onEnded(ended(over.run(), over.outcome()), over.duration());
		this.wake.run();
	}

	private @Nullable RunCover skippedUnlessUnknown(Ending over, RunRecord known) {
		try {
			return skipped(over, known);
		}
		catch (RuntimeException ex) {
			// It is not this run that a timetable without an answer may keep from ending.
			this.overdue = true;
			return null;
		}
	}

	/**
	 * What has come during the run is skipped. What came before it, and is not covered,
	 * is none of its business: it is looked at when the run has ended. Nothing is skipped
	 * during a run whose term has ended: whoever leads next finds what has come, as if
	 * the process had crashed.
	 */
	private @Nullable RunCover skipped(Ending over, RunRecord known) {
		Timetable timetable = this.job.timetable();
		Instant last = timetable.isFixed() ? timetable.last(known, now()) : null;
		// Asked after the clock: what has come by then has come while it was held.
		if (last == null || !over.leadership().isHeld()) {
			return null;
		}
		if (timetable.last(known, over.begunAt()) != null) {
			this.overdue = true;
			return null;
		}
		return new RunCover(key(), over.run().term(), known.covered(), last, timetable.count(known.covered(), last), 0);
	}

	/**
	 * Makes room for the fire time again, if nobody leads under a later term yet. A
	 * further attempt stays what the one before it was.
	 */
	private RunEnd withdrawal(JobRun run) {
		return new RunEnd(key(), run.id(), (run.attempt() > 1) ? Outcome.UNFINISHED : Outcome.WITHDRAWN);
	}

	private JobRun ended(JobRun run, Outcome outcome) {
		return with(run, now(), outcome);
	}

	/** Nobody knows when it has ended. */
	private static JobRun unfinished(JobRun run) {
		return with(run, null, Outcome.UNFINISHED);
	}

	private static JobRun with(JobRun run, @Nullable Instant finishedAt, Outcome outcome) {
		return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), run.startedAt(), finishedAt, outcome);
	}

	private static RunRecord with(RunRecord record, @Nullable JobRun last, Instant covered, int skipped, int missed) {
		return new RunRecord(record.key(), record.fence(), covered, record.timetable(), record.skipped() + skipped,
				record.missed() + missed, last);
	}

	private static Duration timeout(Leadership leadership) {
		Duration remaining = leadership.remaining();
		Duration least = Duration.ofMillis(1);
		if (remaining.compareTo(least) < 0) {
			return least;
		}
		return (remaining.compareTo(RecordStore.TIMEOUT) < 0) ? remaining : RecordStore.TIMEOUT;
	}

	synchronized JobStatus status() {
		return new JobStatus(this.job, this.record,
				(this.record != null) ? this.job.timetable().next(this.record) : null, this.running != null, problem());
	}

	private @Nullable String problem() {
		String known = (this.damage != null) ? this.damage : this.store.failure();
		return (known == null && this.keptBack) ? "The last call by its scheduler was kept back in front of the gate"
				: known;
	}

	/** A run that was handed to the scheduler. */
	private static final class Launch {

		private final long term;

		private boolean begun;

		private volatile @Nullable Future<?> task;

		private @Nullable Long lostSince;

		Launch(long term) {
			this.term = term;
		}

		/** Whether the scheduler has done with it for a while, and nothing has come. */
		boolean isLost(long now) {
			Future<?> present = this.task;
			if (present == null || !present.isDone()) {
				return false;
			}
			if (this.lostSince == null) {
				this.lostSince = now;
			}
			return now - this.lostSince >= GRACE.toNanos();
		}

	}

	/** The end of a run. It comes once, and nothing has to be allocated for that. */
	private static final class Ending {

		private final JobRun run;

		private final Leadership leadership;

		private final Instant begunAt;

		private final long begunNanos;

		private long endedNanos;

		private boolean failed;

		private volatile boolean come;

		private volatile boolean owed;

		Ending(JobRun run, Leadership leadership, Instant begunAt, long begunNanos) {
			this.run = run;
			this.leadership = leadership;
			this.begunAt = begunAt;
			this.begunNanos = begunNanos;
		}

		void come(boolean failed, long now) {
			this.failed = failed;
			this.endedNanos = now;
			this.come = true;
		}

		boolean hasCome() {
			return this.come;
		}

		void owe() {
			this.owed = true;
		}

		boolean isOwed() {
			return this.owed;
		}

		JobRun run() {
			return this.run;
		}

		Leadership leadership() {
			return this.leadership;
		}

		Instant begunAt() {
			return this.begunAt;
		}

		Outcome outcome() {
			return this.failed ? Outcome.FAILED : Outcome.SUCCEEDED;
		}

		Duration duration() {
			return Duration.ofNanos(this.endedNanos - this.begunNanos);
		}

	}

}
