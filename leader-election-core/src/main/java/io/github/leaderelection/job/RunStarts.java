package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiConsumer;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordRefusedException;
import org.jspecify.annotations.Nullable;

/**
 * The steps by which a run of one job is started, in the thread that is going to run it:
 * open the record under the present term, decide, record the start. A start whose outcome
 * is not known is tried again as the same run, so that it is recorded once, whichever of
 * the attempts arrives.
 */
final class RunStarts {

	private static final int MOST_STARTS = 3;

	private final JobSchedule schedule;

	private final JobState state;

	private final Launches launches;

	private final RunRecords records;

	private final OwedEnds owed;

	private final JobListener listener;

	private final RunClock clock;

	/** Takes note of a record that was opened. */
	private final BiConsumer<RunReading, Leadership> opened;

	RunStarts(JobSchedule schedule, JobState state, Launches launches, RunRecords records, OwedEnds owed,
			JobListener listener, RunClock clock, BiConsumer<RunReading, Leadership> opened) {
		this.schedule = schedule;
		this.state = state;
		this.launches = launches;
		this.records = records;
		this.owed = owed;
		this.listener = listener;
		this.clock = clock;
		this.opened = opened;
	}

	private JobKey key() {
		return this.schedule.job().key();
	}

	RunOpening opening(long term, Instant asOf) {
		return new RunOpening(key(), term, this.schedule.job().timetable().toString(),
				this.schedule.asOf(this.state.record(), term, asOf));
	}

	/**
	 * Record the start of a run.
	 * @return the run, or why none has begun
	 */
	Start begin(PlannedRun planned, Leadership leadership) {
		try {
			return start(planned, leadership);
		}
		catch (LeaseStoreException ex) {
			this.state.setOverdue(true);
			this.launches.pause(leadership.term());
			if (ex instanceof UnusableRecordException unusable) {
				// It may be made anew, or be repaired.
				this.state.close();
				this.state.damaged(unusable.problem());
			}
			else if (ex instanceof RecordRefusedException) {
				this.state.damaged(ex.getMessage());
			}
			return Start.refused(Result.UNREACHABLE);
		}
	}

	private Start start(PlannedRun wanted, Leadership leadership) {
		this.records.compareClocks();
		this.owed.settle(key());
		if (!this.state.isOpen(leadership.term())) {
			reopen(leadership, this.schedule.before(wanted, this.state.record(), this.clock.now()));
			if (!this.state.isOpen(leadership.term())) {
				return Start.refused((this.state.damage() != null) ? Result.UNREACHABLE : Result.NOT_LEADER);
			}
		}
		PlannedRun planned = this.schedule.dated(wanted, this.state.openRecord(), this.clock.now());
		if (planned == null) {
			return Start.refused(Result.ALREADY_RUN);
		}
		for (int i = 0; i < MOST_STARTS; i++) {
			RunRecord known = this.state.openRecord();
			JobRun orphan = JobSchedule.orphan(known, leadership.term(), this.owed);
			JobRun run = plan(planned, leadership);
			if (orphan == null && JobSchedule.isOver(planned, known)) {
				return Start.refused(Result.ALREADY_RUN);
			}
			boolean tooLate = this.schedule.isTooLate(planned, this.clock.now());
			if (orphan != null && (tooLate || !orphan.id().equals(run.id()))) {
				takeBack(orphan);
				reopen(leadership, this.clock.now());
				continue;
			}
			RunCover missed = tooLate ? this.schedule.missedWith(planned, known)
					: this.schedule.missedBefore(planned, known);
			if (missed != null && !settleMissed(known, missed, leadership)) {
				continue;
			}
			if (tooLate) {
				return Start.refused(Result.ALREADY_RUN);
			}
			Start start = record(run, known.last(), leadership);
			if (start != null) {
				return start;
			}
		}
		throw new LeaseStoreException("the record of job '%s' changes all the time".formatted(key()), null);
	}

	/** Record the start. Returns {@code null} if the record has become another. */
	private @Nullable Start record(JobRun run, @Nullable JobRun previous, Leadership leadership) {
		this.state.doubt(run);
		RunRecord now = this.records.start(this.state.openRecord(), run, timeout(leadership));
		this.state.sound();
		synchronized (this.state) {
			this.state.changed(now);
			if (now.isLast(run.id()) || now.fence() > run.term()) {
				this.state.doubt(null);
			}
		}
		JobRun recorded = now.last();
		if (recorded != null && now.isLast(run.id()) && recorded.outcome() == Outcome.RUNNING) {
			return recorded(recorded, previous, leadership);
		}
		if (now.fence() > run.term()) {
			if (leadership.isHeld()) {
				throw new UnusableRecordException(key(), JobState.fenced(leadership));
			}
			return Start.refused(Result.NOT_LEADER);
		}
		return null;
	}

	private Start recorded(JobRun run, @Nullable JobRun previous, Leadership leadership) {
		if (!leadership.isHeld()) {
			this.owed.tryToSettle(this.owed.owe(withdrawal(run)));
			return Start.refused(Result.NOT_LEADER);
		}
		JobRun before = (previous != null && previous.outcome() == Outcome.RUNNING)
				? unfinished(previous).ended(previous) : previous;
		return new Start(run, before, Result.RAN);
	}

	/** Settle fire times. Return whether the record was as expected; else it is read. */
	boolean settleMissed(RunRecord known, RunCover missed, Leadership leadership) {
		RunRecord covered = this.records.cover(known, missed);
		if (covered == null) {
			reopen(leadership, this.clock.now());
			return false;
		}
		synchronized (this.state) {
			if (this.state.isOpen(leadership.term())) {
				this.state.changed(covered);
			}
		}
		this.listener.onMissed(key(), missed.until(), missed.missed());
		return true;
	}

	private void reopen(Leadership leadership, Instant asOf) {
		this.state.close();
		this.opened.accept(this.records.open(List.of(opening(leadership.term(), asOf)), (before) -> {
		}), leadership);
	}

	/**
	 * From then on it is never begun, also if this is not answered: it may be done later.
	 */
	private void takeBack(JobRun orphan) {
		OwedEnds.Debt debt = this.owed.owe(withdrawal(orphan));
		synchronized (this.state) {
			JobRun doubtful = this.state.inDoubt();
			if (doubtful != null && doubtful.id().equals(orphan.id())) {
				this.state.doubt(null);
			}
		}
		this.owed.settle(debt);
	}

	/**
	 * The term has ended here. A start that may be recorded, and was not followed by a
	 * run, is taken back, so that the next leader does not take it for one.
	 */
	void left(long ledNow) {
		synchronized (this.state) {
			JobRun doubtful = this.state.inDoubt();
			if (doubtful != null && doubtful.term() != ledNow && !this.state.isStarting()) {
				this.owed.settleLater(withdrawal(doubtful));
				this.state.doubt(null);
			}
		}
	}

	/** The same run as before if its start is in doubt. */
	private JobRun plan(PlannedRun planned, Leadership leadership) {
		JobRun doubtful = this.state.inDoubt();
		if (doubtful != null && doubtful.term() == leadership.term() && doubtful.attempt() == planned.attempt()
				&& Objects.equals(doubtful.fireTime(), planned.fireTime())) {
			return doubtful;
		}
		return new JobRun(UUID.randomUUID().toString(), key().election(), key().job(), planned.fireTime(),
				planned.cause(), planned.attempt(), leadership.term(), leadership.candidateId(), null, null,
				Outcome.RUNNING);
	}

	/**
	 * Makes room for the fire time again, if nobody leads under a later term yet. A
	 * further attempt stays what the one before it was.
	 */
	private RunEnd withdrawal(JobRun run) {
		return new RunEnd(key(), run.id(), (run.attempt() > 1) ? Outcome.UNFINISHED : Outcome.WITHDRAWN,
				this.clock.now(), null);
	}

	/** The end of a run that was lost. */
	RunEnd unfinished(JobRun run) {
		return new RunEnd(key(), run.id(), Outcome.UNFINISHED, this.clock.now(), null);
	}

	private static Duration timeout(Leadership leadership) {
		Duration remaining = leadership.remaining();
		Duration least = Duration.ofMillis(1);
		if (remaining.compareTo(least) < 0) {
			return least;
		}
		return (remaining.compareTo(RunRecords.TIMEOUT) < 0) ? remaining : RunRecords.TIMEOUT;
	}

	/**
	 * A start that is recorded, or why there is none.
	 *
	 * @param run the run, {@code null} if there is none
	 * @param previous the last run before it
	 * @param result {@link Result#RAN}, otherwise why there is none
	 */
	record Start(@Nullable JobRun run, @Nullable JobRun previous, Result result) {

		static Start refused(Result result) {
			return new Start(null, null, result);
		}

	}

}
