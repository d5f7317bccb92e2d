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
	 * Return the record as it is open under a term.
	 * @param record the record, {@code null} if there is none
	 * @param known the record as it was seen last, also if it is gone
	 * @param wanted the run that comes before the record is there, or is known, if there
	 * is one: a fire time that is not covered by what is known has not come before the
	 * job
	 * @return the record, the same if it is open; {@code null} if a later term has opened
	 * it
	 */
	@Nullable RunRecord opened(@Nullable RunRecord record, @Nullable RunRecord known, @Nullable PlannedRun wanted, long term,
			Instant now) {
		// One that is gone is made anew as it was: nobody else has started anything.
		RunRecord recorded = (record != null || known == null || known.fence() != term) ? record : known;
		// Other code may run it by its name, where it is not declared.
		String words = (timetable() == Timetable.NONE && recorded != null) ? recorded.timetable()
				: timetable().toString();
		Instant asOf = (known != null && known.isOpen(term, words)) ? known.covered() : asOf(wanted, known, term, now);
		return (record != null) ? record.opened(term, words, asOf) : RunRecord.first(this.job.key(), term, words, asOf);
	}

	private Instant asOf(@Nullable PlannedRun wanted, @Nullable RunRecord known, long term, Instant now) {
		// Others come with the fire times of theirs after these have passed, the first
		// too.
		if (timetable() == Timetable.NONE) {
			return Instant.EPOCH;
		}
		Instant fireTime = (wanted != null) ? wanted.fireTime() : null;
		if (wanted != null && wanted.isTick()) {
			// Only the last one: those before it are not missed, since there was no job.
			RunRecord recent = RunRecord.first(this.job.key(), term, "", now.minus(GRACE));
			fireTime = timetable().last(recent, now);
		}
		boolean open = known == null || (fireTime != null && fireTime.isAfter(known.covered()));
		return (open && fireTime != null && !fireTime.isAfter(now)) ? fireTime.minusMillis(1) : now;
	}

	/**
	 * Return what is to be recorded next, so that a run can start. May be asked while no
	 * run goes on here, and none is about to begin.
	 * <ol>
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
	 * @return the record that follows, one {@linkplain RunRecord#isRunning that runs}
	 * under the present term at the end; {@code null} if there is no run to start
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
			// What is owed comes first: the record shows one run only.
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
		return (last != null && RunRecord.isUnfinished(last) && isAttemptedAgain(last))
				? new PlannedRun(last.fireTime(), last.cause(), last.attempt() + 1) : null;
	}

	/** Return whether a run that was lost in the middle may be started once more. */
	private boolean isAttemptedAgain(JobRun lost) {
		return this.isLaunched && lost.attempt() < this.job.attempts();
	}

	/**
	 * Return whether a run that was lost in the middle is started once more, rather than
	 * a later fire time that has come.
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
			// It is to be told all the same.
			return true;
		}
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
	 * Return the record as it is when a run has ended: what has come during the run is
	 * skipped. What came before it, and is not covered, is none of its business. Nothing
	 * is skipped during a run whose term has ended: whoever leads next finds what has
	 * come, as if the process had crashed.
	 * @return the record, {@code null} if nothing is known of the run any more
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
			// It is not this run that a timetable without an answer may keep from ending.
		}
		return known.finished(end.run(), known.covered(), 0);
	}

	/**
	 * Return whether a fire time has come that is not covered, as far as that is known.
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
