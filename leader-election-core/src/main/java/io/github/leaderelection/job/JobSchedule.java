package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a job is to run, by its timetable, what is recorded, and the present time:
 * which run is due, which one a call by the scheduler is for, whether it comes too late,
 * and what is settled without a run. Knows nothing else, and does nothing.
 *
 * @param job the job
 * @param isLaunched whether runs can be started that the scheduler does not start by
 * itself
 */
record JobSchedule(Job job, boolean isLaunched) {

	/** Looks that nobody has asked for leave a fire time to the scheduler for a while. */
	static final Duration GRACE = Duration.ofSeconds(5);

	/** How early schedulers are, by the clock that tells when to run things. */
	private static final Duration EARLY = Duration.ofSeconds(1);

	/** Return the time up to which fire times are of no interest to a new record. */
	Instant asOf(@Nullable RunRecord known, long term, Instant now) {
		// One that is gone is made anew as it was: nobody else has started anything.
		if (known != null && known.fence() == term && known.timetable().equals(timetable().toString())) {
			return known.covered();
		}
		// Others come with the fire times of theirs after these have passed, the first
		// too.
		return (timetable() == Timetable.NONE) ? Instant.EPOCH : now;
	}

	/**
	 * Return the same where a run is wanted before the record is there, or is known: a
	 * fire time that is not covered by what is known has not come before the job.
	 */
	Instant before(PlannedRun wanted, @Nullable RunRecord known, Instant now) {
		Instant fireTime = wanted.fireTime();
		if (wanted.isTick()) {
			Instant recent = now.minus(GRACE);
			Instant from = (known != null && known.covered().isAfter(recent)) ? known.covered() : recent;
			// Only the last one: those before it are not missed, since there was no job.
			fireTime = timetable().last(new RunRecord(this.job.key(), 1, 1, from, timetable().toString(), 0, 0, null),
					now);
			return (fireTime != null) ? fireTime.minusMillis(1) : now;
		}
		boolean open = known == null || (fireTime != null && fireTime.isAfter(known.covered()));
		return (open && fireTime != null && !fireTime.isAfter(now)) ? fireTime.minusMillis(1) : now;
	}

	/**
	 * Return what is due, whoever is to start it, {@code null} if nothing is.
	 * @param asked whether nothing is to be left to the scheduler
	 */
	@Nullable DueRun due(RunRecord known, Instant now, boolean asked) {
		return DueRun.of(this.job, known, (asked || !timetable().isFixed()) ? now : now.minus(GRACE));
	}

	/** Return how long nothing will be due, {@code null} if the scheduler knows. */
	@Nullable Duration wait(RunRecord known, Instant now) {
		Instant next = timetable().isFixed() ? null : timetable().next(known);
		return (next != null) ? Duration.between(now, next) : null;
	}

	/**
	 * Return the run with its fire time. A tick is for the last fire time that has come
	 * and is not covered; if there is none it may be for the next one.
	 * @return the run, {@code null} if none is due
	 */
	@Nullable PlannedRun dated(PlannedRun wanted, RunRecord known, Instant now) {
		if (!wanted.isTick()) {
			return wanted;
		}
		Instant last = timetable().last(known, now);
		Instant due = (last != null) ? last : imminent(known, now);
		return (due != null) ? new PlannedRun(due, wanted.cause(), 1) : null;
	}

	/** The next fire time, if it is close, and closer than what is covered. */
	private @Nullable Instant imminent(RunRecord known, Instant now) {
		Instant next = timetable().isFixed() ? timetable().next(known) : null;
		Duration left = (next != null) ? Duration.between(now, next) : null;
		return (left != null && left.compareTo(EARLY) <= 0
				&& left.compareTo(Duration.between(known.covered(), now)) < 0) ? next : null;
	}

	/** Return whether others have done what was planned. */
	static boolean isOver(PlannedRun planned, RunRecord known) {
		if (planned.attempt() > 1) {
			return known.last() == null || !DueRun.isUnfinished(known.last());
		}
		return planned.fireTime() != null && !planned.fireTime().isAfter(known.covered());
	}

	/**
	 * A scheduler that was busy for long may come with a fire time of the distant past.
	 */
	boolean isTooLate(PlannedRun planned, Instant now) {
		Instant fireTime = planned.fireTime();
		return fireTime != null && planned.attempt() == 1 && this.isLaunched && timetable().isFixed()
				&& fireTime.plus(this.job.startingDeadline()).isBefore(now);
	}

	/** Return what is settled by one that comes too late: everything up to it. */
	RunCover missedWith(PlannedRun late, RunRecord known) {
		return missed(known, Objects.requireNonNull(late.fireTime()));
	}

	/** Return what is settled before a run starts, {@code null} if nothing is. */
	@Nullable RunCover missedBefore(PlannedRun planned, RunRecord known) {
		Instant fireTime = planned.fireTime();
		Instant last = (fireTime != null && planned.attempt() == 1 && timetable().isFixed())
				? timetable().last(known, fireTime.minusMillis(1)) : null;
		return (last != null) ? missed(known, last) : null;
	}

	private RunCover missed(RunRecord known, Instant until) {
		return new RunCover(known.fence(), known.covered(), until, 0, timetable().count(known.covered(), until));
	}

	/**
	 * Return what has come during a run and is skipped, {@code null} if nothing is. What
	 * came before it, and is not covered, is none of its business.
	 */
	@Nullable RunCover skipped(RunRecord known, Instant begunAt, Instant now) {
		Instant last = timetable().isFixed() ? timetable().last(known, now) : null;
		return (last == null || isOpen(known, begunAt)) ? null
				: new RunCover(known.fence(), known.covered(), last, timetable().count(known.covered(), last), 0);
	}

	/** Return whether a fire time has come that is not settled. */
	boolean isOpen(RunRecord known, Instant now) {
		return timetable().isFixed() && timetable().last(known, now) != null;
	}

	/**
	 * Return the run whose start was recorded though that was not answered, so that it
	 * never began, {@code null} if the last one is none.
	 */
	static @Nullable JobRun orphan(RunRecord known, long term, OwedEnds owed) {
		JobRun last = known.last();
		return (last != null && last.outcome() == Outcome.RUNNING && last.term() == term && !owed.owes(last.id()))
				? last : null;
	}

	/** Return that run, to be started once more. */
	static DueRun again(JobRun orphan) {
		Cause cause = orphan.cause();
		return new DueRun(orphan.fireTime(), cause, orphan.attempt(), 0, null, true);
	}

	private Timetable timetable() {
		return this.job.timetable();
	}

}
