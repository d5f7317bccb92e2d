package io.github.leaderelection.job;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What may follow the record of a job. Each change is stored only where the record still
 * has the revision from which it was made. So what a leader sends late finds nothing once
 * a later one has opened the record, and what the later one has seen is all that was ever
 * started before.
 */
sealed interface RunChange {

	/**
	 * Return the record that follows.
	 * @return the record of the next revision, {@code null} if this can't follow
	 */
	@Nullable RunRecord on(RunRecord record);

	/**
	 * Opens the record under a term, before anything is started under it. Another
	 * timetable takes the place of what is recorded, and everything up to then is
	 * covered; what was covered stays covered. Can't follow if a later term has opened
	 * it. Changes nothing under the very term under which it is open.
	 *
	 * @param term the term
	 * @param timetable the timetable of the job in words, empty for none
	 * @param asOf the time up to which fire times are of no interest if the job, or its
	 * timetable, was not recorded so far
	 */
	record Open(long term, String timetable, Instant asOf) implements RunChange {

		@Override
		public @Nullable RunRecord on(RunRecord record) {
			if (record.fence() > this.term) {
				return null;
			}
			boolean known = record.timetable().equals(this.timetable);
			if (known && record.fence() == this.term) {
				return record;
			}
			Instant from = (known || this.asOf.isBefore(record.covered())) ? record.covered() : this.asOf;
			return new RunRecord(record.key(), record.revision() + 1, this.term, from, this.timetable, record.skipped(),
					record.missed(), record.last());
		}

		/** Return whether a change does the same, if for another time. */
		boolean isLike(RunChange change) {
			return change instanceof Open other && other.term == this.term && other.timetable.equals(this.timetable);
		}

		/** Return the record of a job that has none. */
		RunRecord first(JobKey key) {
			// Whatever was meant for an earlier record of that name finds nothing.
			long revision = 1 + ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE);
			return new RunRecord(key, revision, this.term, this.asOf, this.timetable, 0, 0, null);
		}

	}

	/**
	 * Starts a run, and covers everything up to its fire time. Its term must be the one
	 * under which the record was opened. The fire time of a first attempt, if there is
	 * one, must not be covered; a further attempt must follow one for the same fire time
	 * that has not ended.
	 *
	 * @param run the run
	 */
	record Start(JobRun run) implements RunChange {

		@Override
		public @Nullable RunRecord on(RunRecord record) {
			Instant fireTime = this.run.fireTime();
			JobRun before = record.last();
			boolean uncovered = fireTime != null && fireTime.isAfter(record.covered());
			boolean follows = (this.run.attempt() > 1)
					? before != null && RunRecord.isUnfinished(before) && Objects.equals(before.fireTime(), fireTime)
					: fireTime == null || uncovered;
			if (this.run.term() != record.fence() || !follows || record.isLast(this.run.id())) {
				return null;
			}
			return record.next((fireTime != null && uncovered) ? fireTime : record.covered(), 0, 0, this.run);
		}

	}

	/**
	 * Ends the last run, which must not have ended, and covers what came during it, if
	 * nobody else has.
	 *
	 * @param runId the run
	 * @param outcome what became of it
	 * @param at when it has ended
	 * @param during what came during the run, {@code null} if nothing did
	 */
	record Finish(String runId, Outcome outcome, Instant at, @Nullable Cover during) implements RunChange {

		@Override
		public @Nullable RunRecord on(RunRecord record) {
			JobRun run = record.running(this.runId);
			if (run == null) {
				return null;
			}
			return (this.during != null && this.during.on(record) != null)
					? record.next(this.during.until(), this.during.skipped(), this.during.missed(), ended(run))
					: record.next(record.covered(), 0, 0, ended(run));
		}

		/** Return the run as it is when it has ended. */
		JobRun ended(JobRun run) {
			// Nobody knows when one has ended that was lost.
			Instant finishedAt = (this.outcome != Outcome.UNFINISHED) ? this.at : null;
			return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(),
					run.term(), run.candidateId(), run.startedAt(), finishedAt, this.outcome);
		}

	}

	/**
	 * Takes back a run whose start may be recorded, and which was never begun, and makes
	 * room for its fire time again. A further attempt stays what the one before it was. A
	 * start that is not recorded may still be on its way: it finds another revision.
	 * Can't follow if a later term has opened the record, whose leader has taken the run
	 * for unfinished.
	 *
	 * @param runId the run
	 * @param term the term of the run
	 * @param at when it is taken back
	 */
	record Withdraw(String runId, long term, Instant at) implements RunChange {

		@Override
		public @Nullable RunRecord on(RunRecord record) {
			JobRun run = record.running(this.runId);
			if (this.term != record.fence() || (run == null && record.isLast(this.runId))) {
				return null;
			}
			if (run == null) {
				return record.next(record.covered(), 0, 0, record.last());
			}
			boolean first = run.attempt() == 1;
			Instant covered = (first && record.covered().equals(run.fireTime())) ? record.covered().minusMillis(1)
					: record.covered();
			Outcome outcome = first ? Outcome.WITHDRAWN : Outcome.UNFINISHED;
			return record.next(covered, 0, 0, new Finish(this.runId, outcome, this.at, null).ended(run));
		}

	}

	/**
	 * Covers fire times that nothing was started for. What is covered so far must be just
	 * what was expected, so that none is counted twice.
	 *
	 * @param term the term under which the record is open
	 * @param from the time up to which everything is covered
	 * @param until the time up to which everything is to be covered
	 * @param skipped how many fire times have come while a run still went on
	 * @param missed how many have passed without a run
	 */
	record Cover(long term, Instant from, Instant until, int skipped, int missed) implements RunChange {

		@Override
		public @Nullable RunRecord on(RunRecord record) {
			boolean expected = record.fence() == this.term && record.covered().equals(this.from);
			return (expected && this.until.isAfter(this.from))
					? record.next(this.until, this.skipped, this.missed, record.last()) : null;
		}

	}

}
