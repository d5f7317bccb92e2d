package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is to be recorded next of a job, by its timetable, its record, and the
 * present time. Knows nothing else, and does nothing.
 *
 * @param job the job
 * @param isLaunched whether runs can be started that the scheduler does not start by
 * itself
 */
record JobSchedule(Job job, boolean isLaunched) {

	/** How long a fire time is left to the scheduler by who looks unasked. */
	static final Duration GRACE = Duration.ofSeconds(5);

	/** How early schedulers are, by the clock that tells when to run things. */
	private static final Duration EARLY = Duration.ofSeconds(1);

	/**
	 * Return how to open the record under a term.
	 * @param wanted the run that comes before the record is there, or is known, if there
	 * is one: a fire time that is not covered by what is known has not come before the
	 * job
	 * @param known the record as far as it is known
	 */
	RunChange.Open opening(@Nullable PlannedRun wanted, @Nullable RunRecord known, long term, Instant now) {
		return new RunChange.Open(term, timetable().toString(), asOf(wanted, known, term, now));
	}

	private Instant asOf(@Nullable PlannedRun wanted, @Nullable RunRecord known, long term, Instant now) {
		// One that is gone is made anew as it was: nobody else has started anything.
		if (known != null && known.fence() == term && known.timetable().equals(timetable().toString())) {
			return known.covered();
		}
		// Others come with the fire times of theirs after these have passed, the first
		// too.
		if (timetable() == Timetable.NONE) {
			return Instant.EPOCH;
		}
		Instant fireTime = (wanted != null) ? wanted.fireTime() : null;
		if (wanted != null && wanted.isTick()) {
			// Only the last one: those before it are not missed, since there was no job.
			RunRecord recent = new RunChange.Open(term, "", now.minus(GRACE)).first(this.job.key());
			fireTime = timetable().last(recent, now);
		}
		boolean open = known == null || (fireTime != null && fireTime.isAfter(known.covered()));
		return (open && fireTime != null && !fireTime.isAfter(now)) ? fireTime.minusMillis(1) : now;
	}

	/**
	 * Return what is to be recorded next, so that a run can start. May be asked while no
	 * run goes on here, and none is about to begin.
	 * <ol>
	 * <li>A run that was recorded under this term can't have begun, since its start was
	 * not answered. It begins now if it is what is due, else it is withdrawn.</li>
	 * <li>Of the fire times that have come and are not covered the last one is due,
	 * unless it is longer ago than the starting deadline. Those that are not due any more
	 * are covered.</li>
	 * <li>If none is due, and a run of an earlier term has not ended, another attempt is,
	 * if the job wants one.</li>
	 * </ol>
	 * @param wanted the run that shall be started, as far as it is known
	 * @param known the record, open under the present term
	 * @param leadership the present term
	 * @param now the present time
	 * @return the change, a start at the end; {@code null} if there is no run to start
	 */
	@Nullable RunChange next(PlannedRun wanted, RunRecord known, Leadership leadership, Instant now) {
		JobRun last = known.last();
		if (last != null && last.outcome() == Outcome.RUNNING && last.term() == leadership.term()) {
			RunChange.Withdraw withdrawal = new RunChange.Withdraw(last.id(), last.term(), now);
			RunRecord without = Objects.requireNonNull(withdrawal.on(known));
			RunChange instead = next(wanted, without, leadership, now);
			boolean due = (instead instanceof RunChange.Start start) ? isSame(start.run(), last)
					: instead == null && wanted.fireTime() == null;
			return due ? new RunChange.Start(last) : (instead != null) ? withdrawal : null;
		}
		PlannedRun due = due(wanted, known, now);
		if (due == null) {
			return null;
		}
		Instant fireTime = due.fireTime();
		if (fireTime != null && due.attempt() == 1 && timetable().isFixed()) {
			Instant missed = isLate(fireTime, now) ? fireTime : timetable().last(known, fireTime.minusMillis(1));
			if (missed != null) {
				return new RunChange.Cover(known.fence(), known.covered(), missed, 0,
						timetable().count(known.covered(), missed));
			}
		}
		return new RunChange.Start(new JobRun(UUID.randomUUID().toString(), known.key().election(), known.key().job(),
				fireTime, due.cause(), due.attempt(), leadership.term(), leadership.candidateId(), now, null,
				Outcome.RUNNING));
	}

	/** Return whether two runs are one attempt for one fire time. */
	static boolean isSame(JobRun one, JobRun other) {
		return one.attempt() == other.attempt() && Objects.equals(one.fireTime(), other.fireTime());
	}

	private @Nullable PlannedRun due(PlannedRun wanted, RunRecord known, Instant now) {
		Instant fireTime = wanted.fireTime();
		if (fireTime != null) {
			return fireTime.isAfter(known.covered()) ? wanted : null;
		}
		if (wanted.cause() == Cause.TRIGGERED) {
			return wanted;
		}
		Instant last = timetable().last(known, now);
		if (last == null && wanted.isTick()) {
			last = imminent(known, now);
		}
		PlannedRun again = again(known);
		if (last == null || (again != null && isLate(last, now))) {
			return again;
		}
		return new PlannedRun(last, timetable().isFixed() ? wanted.cause() : Cause.SCHEDULED, 1);
	}

	/** The next fire time, if it is close, and closer than what is covered. */
	private @Nullable Instant imminent(RunRecord known, Instant now) {
		Instant next = timetable().isFixed() ? timetable().next(known) : null;
		Duration left = (next != null) ? Duration.between(now, next) : null;
		return (left != null && left.compareTo(EARLY) <= 0
				&& left.compareTo(Duration.between(known.covered(), now)) < 0) ? next : null;
	}

	/** A scheduler that was busy for long comes late, too. */
	private boolean isLate(Instant fireTime, Instant now) {
		return this.isLaunched && timetable().isFixed() && fireTime.plus(this.job.startingDeadline()).isBefore(now);
	}

	private @Nullable PlannedRun again(RunRecord known) {
		JobRun last = known.last();
		return (last != null && RunRecord.isUnfinished(last) && last.term() < known.fence() && isAttemptedAgain(last))
				? new PlannedRun(last.fireTime(), last.cause(), last.attempt() + 1) : null;
	}

	/** Return whether a run that was lost in the middle is started once more. */
	boolean isAttemptedAgain(JobRun lost) {
		return this.isLaunched && lost.attempt() < this.job.attempts();
	}

	/**
	 * Return how long nothing will be due, {@code null} if that is for the scheduler to
	 * know.
	 */
	@Nullable Duration untilNext(RunRecord known, Instant now) {
		Instant next = timetable().isFixed() ? null : timetable().next(known);
		return (next != null) ? Duration.between(now, next) : null;
	}

	/**
	 * Return what has come during a run and is skipped, {@code null} if nothing is. What
	 * came before it, and is not covered, is none of its business.
	 */
	RunChange.@Nullable Cover skipped(RunRecord known, Instant begunAt, Instant now) {
		Instant last = timetable().isFixed() ? timetable().last(known, now) : null;
		return (last == null || isOpen(known, begunAt)) ? null : new RunChange.Cover(known.fence(), known.covered(),
				last, timetable().count(known.covered(), last), 0);
	}

	/** Return whether a fire time has come that is not covered. */
	boolean isOpen(RunRecord known, Instant now) {
		return timetable().isFixed() && timetable().last(known, now) != null;
	}

	private Timetable timetable() {
		return this.job.timetable();
	}

}
