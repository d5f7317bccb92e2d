package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.job.RecordedJobs.Begin;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * Does for one job of this process what its schedule has decided: has runs launched,
 * records their starts in the threads that are going to run them, and their ends. Whoever
 * does several things at once holds this object meanwhile; nobody holds it while the
 * store is asked.
 */
final class JobRunner {

	private static final EngineLog log = EngineLog.of(RecordedJobs.class);

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

	/** The last term under which the record was opened. */
	private long term;

	private boolean starting;

	private volatile @Nullable RecordedRun running;

	/** A run whose start may be recorded, and that has not begun. */
	private @Nullable RecordedRun doubtful;

	/** A run whose end has failed on its own thread. */
	private volatile @Nullable RecordedRun unconcluded;

	JobRunner(JobKey key, RunStore store, JobListener listener, Runnable wake) {
		this.key = key;
		this.state = new JobState(key);
		this.store = store;
		this.listener = listener;
		this.clock = store.clock();
		this.wake = wake;
		this.launches = new Launches(key, this.clock, wake);
	}

	JobKey key() {
		return this.key;
	}

	JobState state() {
		return this.state;
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
		this.term = 0;
		this.state.close();
		return true;
	}

	/**
	 * Start no run any more. If the job comes again, it waits for the one that goes on.
	 */
	void unregister() {
		this.schedule = null;
		left(0);
	}

	boolean isRegistered() {
		return this.schedule != null;
	}

	/**
	 * Have the record opened under a term, unless it is open.
	 * @param wanted the run for which it is, {@code null} if there is none yet
	 */
	void open(@Nullable PlannedRun wanted, Leadership leadership) {
		JobSchedule present = this.schedule;
		if (present != null && this.state.open(leadership.term()) == null) {
			this.state.later(present.opening(wanted, this.state.record(), leadership.term(), this.clock.now()),
					(before, opened) -> opened(before, opened, leadership.term()));
		}
	}

	/** Take note of the record when it is open, before anything is started. */
	private void opened(@Nullable RunRecord before, RunRecord opened, long term) {
		JobRun lost = null;
		boolean again = false;
		synchronized (this) {
			this.eager = true;
			if (term > this.term) {
				this.term = term;
				this.launches.beginTerm();
				lost = lost(term);
				JobSchedule present = this.schedule;
				again = lost != null && present != null && present.isAttemptedAgain(lost);
				if (lost != null && !again) {
					later(unfinished(lost));
				}
			}
		}
		if (lost != null) {
			this.listener.onUnfinished(unfinished(lost).ended(lost), again);
		}
		if (before != null && !before.timetable().isEmpty() && !before.timetable().equals(opened.timetable())) {
			log.tell((logger) -> logger.info(
					"Job '{}' has another timetable, '{}' in place of '{}'. Fire times from "
							+ "{} to {} do not count any more",
					this.key, opened.timetable(), StoredText.printable(before.timetable()), before.covered(),
					opened.covered()));
		}
	}

	/** The last run, if it was begun under an earlier term and nobody has it any more. */
	private @Nullable JobRun lost(long term) {
		RunRecord record = this.state.record();
		JobRun last = (record != null) ? record.last() : null;
		return (last != null && last.outcome() == Outcome.RUNNING && last.term() < term && this.running == null) ? last
				: null;
	}

	private RunChange.Finish unfinished(JobRun lost) {
		return new RunChange.Finish(lost.id(), Outcome.UNFINISHED, this.clock.now(), null);
	}

	private synchronized void later(RunChange change) {
		if (change instanceof RunChange.Withdraw) {
			// From then on it is never begun, also if that is not answered.
			this.doubtful = null;
		}
		this.state.later(change, (before, after) -> {
			if (change instanceof RunChange.Cover cover) {
				this.listener.onMissed(this.key, cover.until(), cover.missed());
			}
		});
	}

	/**
	 * The term has ended here. A start that may be recorded, and was not followed by a
	 * run, is taken back, so that the next leader does not take it for one.
	 */
	synchronized void left(long ledNow) {
		RecordedRun left = this.doubtful;
		if (left != null && left.run().term() != ledNow && !this.starting) {
			later(new RunChange.Withdraw(left.run().id(), left.run().term(), this.clock.now()));
		}
	}

	/** Leave nothing to the scheduler at the next look. */
	void lookAgain() {
		this.eager = true;
	}

	/**
	 * Have a run launched, if one is due.
	 * @return how long it takes until one can be, {@code null} if that is for the
	 * scheduler to know
	 */
	@Nullable Duration look(Leadership leadership) {
		endLostLaunch();
		JobSchedule present = this.schedule;
		// Before it is asked what goes on: it shows no run that has begun since.
		RunRecord known = this.state.open(leadership.term());
		if (known == null) {
			requireNoLaterTerm(leadership);
		}
		if (present == null || !present.isLaunched() || known == null || isBusy() || this.launches.isPending()
				|| leadership.isEnding()) {
			return null;
		}
		Duration delay = this.launches.delay();
		if (delay.compareTo(Duration.ZERO) > 0) {
			return delay;
		}
		Instant now = this.clock.now();
		RunChange next = present.next(PlannedRun.catchUp(), known, leadership,
				this.eager ? now : now.minus(JobSchedule.GRACE));
		if (next == null) {
			this.eager = false;
			return present.untilNext(known, now);
		}
		if (next instanceof RunChange.Cover missed) {
			later(missed);
			return look(leadership);
		}
		if (!this.launches.isKeptBack()) {
			boolean unused = this.launches.launch(PlannedRun.catchUp());
		}
		return null;
	}

	/** Take note that a look has failed, or has not any more. */
	void rejected(@Nullable RuntimeException failure) {
		if (failure == null) {
			this.rejection.ends();
			return;
		}
		this.rejection.begins("rejected", (logger) -> logger
			.warn("A run of job '{}' is due and can't be started; it is tried again each second", this.key, failure));
	}

	/**
	 * As long as a term is held there is no later one that could have opened the record.
	 */
	private void requireNoLaterTerm(Leadership leadership) {
		RunRecord known = this.state.record();
		if (known != null && known.fence() > leadership.term() && leadership.isHeld()) {
			this.state.damaged(
					"its fence is above term %d, which is held now. Was the lease removed, or an older one restored?"
						.formatted(leadership.term()));
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

	/** Return whether a run goes on, or is about to begin. */
	private synchronized boolean isBusy() {
		return this.starting || this.running != null;
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
	Begin begin(PlannedRun wanted, Leadership leadership) {
		this.launches.arrived();
		Begin begin = Begin.refused(Result.STILL_RUNNING);
		if (claim()) {
			begin = Begin.refused(Result.UNREACHABLE);
			try {
				begin = start(wanted, leadership);
			}
			catch (LeaseStoreException ex) {
				if (ex instanceof RecordRefusedException) {
					this.state.damaged(EngineLog.messageOf(ex));
				}
			}
			finally {
				started(begin);
			}
		}
		if (begin.run() == null) {
			this.wake.run();
		}
		return begin;
	}

	private synchronized boolean claim() {
		if (isBusy()) {
			return false;
		}
		this.starting = true;
		return true;
	}

	private synchronized void started(Begin begin) {
		this.starting = false;
		this.running = begin.run();
		if (begin.run() != null) {
			this.doubtful = null;
		}
		else if (begin.result() == Result.UNREACHABLE) {
			this.eager = true;
			this.launches.failed();
		}
	}

	private Begin start(PlannedRun wanted, Leadership leadership) {
		JobSchedule present = this.schedule;
		if (present == null) {
			return Begin.refused(Result.NOT_LEADER);
		}
		this.store.compareClocks();
		for (int i = 0; i < RunStore.MOST_ROUNDS; i++) {
			open(wanted, leadership);
			this.store.flush(List.of(this.state));
			RunRecord known = this.state.open(leadership.term());
			if (known == null) {
				requireNoLaterTerm(leadership);
				if (this.state.damage() != null) {
					return Begin.refused(Result.UNREACHABLE);
				}
				if (!leadership.isHeld() || i == RunStore.MOST_ROUNDS - 1) {
					return Begin.refused(Result.NOT_LEADER);
				}
				// Another thread has opened it, and is about to say so.
				LockSupport.parkNanos(10_000_000);
				continue;
			}
			RunChange next = present.next(wanted, known, leadership, this.clock.now());
			if (next == null) {
				return Begin.refused(Result.ALREADY_RUN);
			}
			if (next instanceof RunChange.Start start) {
				RecordedRun run = run(start.run(), known, leadership);
				if (known.isLast(run.run().id())
						|| this.store.change(this.state, known, new RunChange.Start(run.run()), timeout(leadership))) {
					return begin(run);
				}
			}
			else {
				later(next);
			}
		}
		throw RunStore.busy(this.key);
	}

	/**
	 * The same run as before if its start is in doubt: it is recorded once, whichever of
	 * the attempts arrives.
	 */
	private synchronized RecordedRun run(JobRun planned, RunRecord known, Leadership leadership) {
		RecordedRun run = this.doubtful;
		if (run == null || run.run().term() != planned.term() || !JobSchedule.isSame(run.run(), planned)) {
			JobRun last = known.isLast(planned.id()) ? null : known.last();
			JobRun previous = (last != null && last.outcome() == Outcome.RUNNING) ? unfinished(last).ended(last) : last;
			run = new RecordedRun(planned, previous, leadership, this.clock, this::conclude);
			this.doubtful = run;
		}
		return run;
	}

	private static Duration timeout(Leadership leadership) {
		Duration left = leadership.remaining().plusMillis(1);
		return (left.compareTo(RunStore.TIMEOUT) < 0) ? left : RunStore.TIMEOUT;
	}

	/** Begin a run whose start is recorded. */
	private Begin begin(RecordedRun run) {
		if (!run.leadership().isHeld()) {
			later(new RunChange.Withdraw(run.run().id(), run.run().term(), this.clock.now()));
			flushIfPossible();
			return Begin.refused(Result.NOT_LEADER);
		}
		// If this fails it never begins, and its record makes room for it again.
		this.listener.onStarted(run.run(), run.begin());
		return new Begin(run, Result.RAN);
	}

	/**
	 * Do what the end of a run owes, on the thread of the run: its call is in flight
	 * until the end is recorded, so that no next leader takes it for unfinished. If this
	 * fails it is done again.
	 */
	private void conclude(RecordedRun run) {
		boolean concluded = false;
		try {
			RunChange.Finish finish = finish(run);
			flushIfPossible();
			this.listener.onEnded(finish.ended(run.run()), run.duration());
			this.wake.run();
			concluded = true;
		}
		finally {
			this.unconcluded = concluded ? null : run;
		}
	}

	void concludeAgain() {
		RecordedRun run = this.unconcluded;
		if (run != null && this.running == run) {
			conclude(run);
		}
	}

	/** What is to be recorded comes before the next run can begin. */
	private synchronized RunChange.Finish finish(RecordedRun run) {
		RunChange.Cover skipped = skippedUnlessUnknown(run);
		RunChange.Finish finish = new RunChange.Finish(run.run().id(),
				run.hasFailed() ? Outcome.FAILED : Outcome.SUCCEEDED, this.clock.now(), skipped);
		this.state.later(finish, (before, after) -> {
			// Not if somebody else has covered it meanwhile.
			if (skipped != null && after.covered().equals(skipped.until())) {
				this.listener.onSkipped(this.key, skipped.skipped());
			}
		});
		this.running = null;
		return finish;
	}

	/**
	 * What has come during the run is skipped. What came before it, and is not covered,
	 * is looked at when the run has ended. Nothing is skipped during a run whose term has
	 * ended: whoever leads next finds what has come, as if the process had crashed.
	 */
	private RunChange.@Nullable Cover skippedUnlessUnknown(RecordedRun run) {
		JobSchedule present = this.schedule;
		RunRecord known = this.state.record();
		if (present == null || known == null) {
			return null;
		}
		try {
			RunChange.Cover skipped = present.skipped(known, run.begunAt(), this.clock.now());
			// Asked after the clock: what has come by then has come while it was held.
			boolean held = run.leadership().isHeld();
			this.eager = this.eager || (held && present.isOpen(known, run.begunAt()));
			return held ? skipped : null;
		}
		catch (RuntimeException ex) {
			// It is not this run that a timetable without an answer may keep from ending.
			this.eager = true;
			return null;
		}
	}

	private void flushIfPossible() {
		try {
			this.store.flush(List.of(this.state));
		}
		catch (LeaseStoreException ex) {
			// It stays pending.
		}
	}

	/** Return how the job fares, {@code null} if it is not registered. */
	@Nullable JobStatus status() {
		JobSchedule present = this.schedule;
		if (present == null) {
			return null;
		}
		RunRecord record = this.state.record();
		String problem = (this.state.damage() != null) ? this.state.damage() : this.store.failure();
		if (problem == null && this.launches.isKeptBack()) {
			problem = "The last call by its scheduler was kept back in front of the gate";
		}
		return new JobStatus(present.job(), record, (record != null) ? present.job().timetable().next(record) : null,
				this.running != null, problem);
	}

}
