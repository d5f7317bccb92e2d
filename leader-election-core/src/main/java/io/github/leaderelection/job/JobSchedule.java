package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to record next for a job, from its timetable, its record, and the current
 * time. Does no I/O and changes nothing.
 *
 * @param job the job
 * @param isLaunched whether this process can launch runs that the scheduler does not
 * start by itself
 */
record JobSchedule(Job job, boolean isLaunched) {

	/** How long a fire time is left to the scheduler before its run is launched. */
	static final Duration GRACE = Duration.ofSeconds(5);

	/** How early a scheduler can call for a fire time, by {@link RunClock}. */
	private static final Duration EARLY = Duration.ofSeconds(1);

	/**
	 * Return the record, opened under a term.
	 * @param record the record, {@code null} if there is none
	 * @param known the record as last seen, even if it is gone; {@code null} if it was
	 * never seen
	 * @param wanted the run that is about to begin, {@code null} if none is; if the job
	 * has no record yet, or another timetable, the fire time of this run still counts,
	 * unless {@code known} covers it
	 * @return the record, unchanged if it is open already; {@code null} if a later term
	 * has opened it
	 */
	@Nullable RunRecord opened(@Nullable RunRecord record, @Nullable RunRecord known, @Nullable PlannedRun wanted, long term,
			Instant now) {
		// If the record is gone, recreate it as it was: no other process has started a
		// run under this term.
		RunRecord recorded = (record != null || known == null || known.fence() != term) ? record : known;
		// Keep the recorded timetable where JobRuns.run is used without a declaration.
		String words = (timetable() == Timetable.NONE && recorded != null) ? recorded.timetable()
				: timetable().toString();
		Instant asOf = (known != null && known.isOpen(term, words)) ? known.covered() : asOf(wanted, known, term, now);
		return (record != null) ? record.opened(term, words, asOf) : RunRecord.first(this.job.key(), term, words, asOf);
	}

	private Instant asOf(@Nullable PlannedRun wanted, @Nullable RunRecord known, long term, Instant now) {
		// JobRuns.run gets fire times that are already past, even for the first run.
		if (timetable() == Timetable.NONE) {
			return Instant.EPOCH;
		}
		Instant fireTime = (wanted != null) ? wanted.fireTime() : null;
		if (wanted != null && wanted.isTick()) {
			// Only the last one: earlier ones are not missed, since there was no job.
			RunRecord recent = RunRecord.first(this.job.key(), term, "", now.minus(GRACE));
			fireTime = timetable().last(recent, now);
		}
		boolean open = known == null || (fireTime != null && fireTime.isAfter(known.covered()));
		return (open && fireTime != null && !fireTime.isAfter(now)) ? fireTime.minusMillis(1) : now;
	}

	/**
	 * Return the next record to write in order to start a run. To be called only while no
	 * run of the job is in progress in this process, and no other is about to begin.
	 * <ol>
	 * <li>The last fire time that has come and is not covered is due, unless its starting
	 * deadline has passed. Fire times that are no longer due are covered as missed.</li>
	 * <li>If none is due, and a run of an earlier term has not ended, another attempt is
	 * due if the job allows one.</li>
	 * </ol>
	 * @param wanted the run to start, as far as it is known
	 * @param known the record, open under the current term
	 * @param leadership the current term
	 * @param now the current time
	 * @return the record to write next; the last one in a series
	 * {@linkplain RunRecord#isRunning is running} under the current term; {@code null} if
	 * there is no run to start
	 */
	@Nullable RunRecord next(PlannedRun wanted, RunRecord known, Leadership leadership, Instant now) {
		long term = leadership.term();
		PlannedRun due = due(wanted, known, now);
		if (due == null) {
			return null;
		}
		Instant fireTime = due.fireTime();
		if (fireTime != null && due.attempt() == 1 && timetable().isFixed()) {
			Instant missed = isLate(fireTime, now) ? fireTime : timetable().last(known, fireTime.minusMillis(1));
			if (missed != null) {
				return known.missed(term, missed, timetable().count(known.covered(), missed));
			}
		}
		return known.started(new JobRun(UUID.randomUUID().toString(), known.key().election(), known.key().job(),
				fireTime, due.cause(), due.attempt(), term, leadership.candidateId(), now, null, Outcome.RUNNING));
	}

	private @Nullable PlannedRun due(PlannedRun wanted, RunRecord known, Instant now) {
		Instant fireTime = wanted.fireTime();
		if (fireTime != null) {
			return fireTime.isAfter(known.covered()) ? wanted : null;
		}
		PlannedRun again = again(known);
		if (wanted.cause() == Cause.TRIGGERED) {
			// The further attempt comes first: the record shows one run only.
			return (again != null) ? again : wanted;
		}
		Instant last = timetable().last(known, now);
		if (last == null && wanted.isTick()) {
			last = imminent(known, now);
		}
		if (last == null || (again != null && isLate(last, now))) {
			return again;
		}
		return new PlannedRun(last, timetable().isFixed() ? wanted.cause() : Cause.SCHEDULED, 1);
	}

	/**
	 * Return the next fire time if a scheduler can be early for it: it is at most
	 * {@link #EARLY} away, and closer to now than the time that is covered.
	 */
	private @Nullable Instant imminent(RunRecord known, Instant now) {
		Instant next = timetable().isFixed() ? timetable().next(known) : null;
		Duration left = (next != null) ? Duration.between(now, next) : null;
		return (left != null && left.compareTo(EARLY) <= 0
				&& left.compareTo(Duration.between(known.covered(), now)) < 0) ? next : null;
	}

	/**
	 * Return whether the starting deadline has passed. That also applies to a call by a
	 * scheduler that was busy for a long time.
	 */
	private boolean isLate(Instant fireTime, Instant now) {
		return this.isLaunched && timetable().isFixed() && fireTime.plus(this.job.startingDeadline()).isBefore(now);
	}

	private @Nullable PlannedRun again(RunRecord known) {
		JobRun last = known.last();
		return (last != null && RunRecord.isUnfinished(last) && isAttemptedAgain(last))
				? new PlannedRun(last.fireTime(), last.cause(), last.attempt() + 1) : null;
	}

	/** Return whether an unfinished run may be attempted again. */
	private boolean isAttemptedAgain(JobRun lost) {
		return this.isLaunched && lost.attempt() < this.job.attempts();
	}

	/**
	 * Return whether an unfinished run is attempted again, rather than replaced by a
	 * later fire time that has come.
	 */
	boolean isAttemptedNext(RunRecord known, JobRun lost, Instant now) {
		if (!isAttemptedAgain(lost)) {
			return false;
		}
		try {
			Instant last = timetable().last(known, now);
			return last == null || isLate(last, now);
		}
		catch (RuntimeException ex) {
			// The unfinished run must be reported even if the timetable fails.
			return true;
		}
	}

	/**
	 * Return how long until a run is due, {@code null} if fire times are fixed, since the
	 * scheduler then ticks at each.
	 */
	@Nullable Duration untilNext(RunRecord known, Instant now) {
		Instant next = timetable().isFixed() ? null : timetable().next(known);
		return (next != null) ? Duration.between(now, next) : null;
	}

	/**
	 * Return the record with the end of a run. Fire times that came during the run are
	 * covered as skipped, unless one from before the run is not covered: that one is
	 * still due. If the term has ended, none are skipped: the next leader finds them due,
	 * as after a crash.
	 * @return the record, {@code null} if it no longer shows this run as running
	 */
	@Nullable RunRecord finished(RunRecord known, Instant begunAt, RecordedRun.End end) {
		try {
			Instant endedAt = end.run().finishedAt();
			boolean skips = end.held() && known.fence() == end.run().term() && !isOpen(known, begunAt);
			Instant last = (skips && timetable().isFixed() && endedAt != null) ? timetable().last(known, endedAt)
					: null;
			if (last != null) {
				return known.finished(end.run(), last, timetable().count(known.covered(), last));
			}
		}
		catch (RuntimeException ex) {
			// A failing timetable must not keep the end of the run from being recorded.
		}
		return known.finished(end.run(), known.covered(), 0);
	}

	/**
	 * Return whether a fire time has come that is not covered. If the timetable fails,
	 * assume that one has.
	 */
	boolean isOpen(RunRecord known, Instant now) {
		try {
			return timetable().isFixed() && timetable().last(known, now) != null;
		}
		catch (RuntimeException ex) {
			return true;
		}
	}

	Timetable timetable() {
		return this.job.timetable();
	}

}
