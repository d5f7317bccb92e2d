package io.github.leaderelection.job;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The record of one job, and the changes that may follow it. Each change is stored only
 * if the record still has the revision from which the change was made. So once a later
 * leader has opened the record, late changes by an earlier leader fail, and the later
 * leader has seen every start that was ever stored before.
 *
 * @param key the job
 * @param revision the revision of this record
 * @param fence the highest term under which the record was opened; no run starts under a
 * lower one
 * @param covered the time up to which no fire time is due any more: each was started,
 * skipped or missed, or has passed before the job was known
 * @param timetable the timetable of the job as of the last opening, in words
 * @param skipped how many fire times came during a run
 * @param missed how many fire times passed without a run
 * @param last the last run that was started, {@code null} if none was
 */
public record RunRecord(JobKey key, long revision, long fence, Instant covered, String timetable, long skipped,
		long missed, @Nullable JobRun last) {

	/**
	 * Return the first record of a job, opened under a term.
	 * @param asOf the time up to which fire times do not count
	 */
	static RunRecord first(JobKey key, long term, String timetable, Instant asOf) {
		// The revision is random, so changes to an earlier record of that name fail.
		long revision = 1 + ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE);
		return new RunRecord(key, revision, term, asOf, timetable, 0, 0, null);
	}

	/** Return whether the record is open under this very term, with this timetable. */
	boolean isOpen(long term, String timetable) {
		return this.fence == term && this.timetable.equals(timetable);
	}

	/**
	 * Open the record under a term, before a run is started under it. If the timetable
	 * has changed, it is replaced, and fire times up to {@code asOf} are covered. What
	 * was covered stays covered.
	 * @param asOf the time up to which fire times do not count if the timetable has
	 * changed
	 * @return the record, unchanged if it is open already; {@code null} if a later term
	 * has opened it
	 */
	@Nullable RunRecord opened(long term, String timetable, Instant asOf) {
		if (this.fence > term || isOpen(term, timetable)) {
			return (this.fence > term) ? null : this;
		}
		boolean known = this.timetable.equals(timetable) || asOf.isBefore(this.covered);
		return new RunRecord(this.key, this.revision + 1, term, known ? this.covered : asOf, timetable, this.skipped,
				this.missed, this.last);
	}

	/**
	 * Start a run, and cover everything up to its fire time. Its term must be the one
	 * under which the record is open. The fire time of a first attempt, if there is one,
	 * must not be covered; a further attempt must follow an unfinished one for the same
	 * fire time.
	 * @return the record, {@code null} if the run can't follow this record
	 */
	@Nullable RunRecord started(JobRun run) {
		Instant fireTime = run.fireTime();
		JobRun before = this.last;
		boolean uncovered = fireTime != null && fireTime.isAfter(this.covered);
		boolean follows = (run.attempt() > 1)
				? before != null && isUnfinished(before) && Objects.equals(before.fireTime(), fireTime)
				: fireTime == null || uncovered;
		if (run.term() != this.fence || !follows || isLast(run.id())) {
			return null;
		}
		return next((fireTime != null && uncovered) ? fireTime : this.covered, 0, 0, run);
	}

	/**
	 * End the last run, and cover the fire times that came during it.
	 * @param run the run with its outcome
	 * @param until the time up to which fire times are skipped
	 * @param skipped the number of these fire times
	 * @return the record, {@code null} if the run is not the last one, or has already
	 * ended
	 */
	@Nullable RunRecord finished(JobRun run, Instant until, int skipped) {
		boolean running = isLast(run.id()) && this.last != null && this.last.outcome() == Outcome.RUNNING;
		return running ? next(until, skipped, 0, run) : null;
	}

	/**
	 * Take back a start whose outcome is unknown and whose run was never begun: its fire
	 * time and the last run become what they were before. If the start is not recorded,
	 * it may still be on its way, and the new revision makes it fail.
	 * @param before the record from which the start was tried
	 * @return the record, {@code null} if a later term has opened the record, whose
	 * leader then treats the run as unfinished
	 */
	@Nullable RunRecord withdrawn(RunRecord before) {
		if (before.fence != this.fence) {
			return null;
		}
		JobRun run = this.last;
		if (run == null || !isRunning(this.fence)) {
			return next(this.covered, 0, 0, run);
		}
		return next(this.covered.equals(run.fireTime()) ? before.covered : this.covered, 0, 0, before.last);
	}

	/**
	 * Cover fire times for which no run was started in time.
	 * @param term the term under which the record must be open
	 * @param until the time up to which everything is covered from now on
	 * @param missed the number of these fire times
	 * @return the record, {@code null} if the record is open under another term, or
	 * covers that time already
	 */
	@Nullable RunRecord missed(long term, Instant until, int missed) {
		return (term == this.fence && until.isAfter(this.covered)) ? next(until, 0, missed, this.last) : null;
	}

	private RunRecord next(Instant covered, int skipped, int missed, @Nullable JobRun last) {
		return new RunRecord(this.key, this.revision + 1, this.fence, covered, this.timetable, this.skipped + skipped,
				this.missed + missed, last);
	}

	/**
	 * Return whether a run is the last one.
	 * @param runId the id of the run
	 * @return whether it was started, and no other since
	 */
	public boolean isLast(String runId) {
		return this.last != null && this.last.id().equals(runId);
	}

	/** Return whether the last run was started under the term, and has not ended. */
	boolean isRunning(long term) {
		return this.last != null && this.last.outcome() == Outcome.RUNNING && this.last.term() == term;
	}

	/** Return whether no end of the run is recorded: it is in progress, or was lost. */
	static boolean isUnfinished(JobRun run) {
		return run.outcome() == Outcome.RUNNING || run.outcome() == Outcome.UNFINISHED;
	}

	/** Return a run with its outcome and its end. */
	static JobRun ended(JobRun run, Outcome outcome, Instant at) {
		// It is not known when a lost run ended.
		return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), run.startedAt(), (outcome != Outcome.UNFINISHED) ? at : null, outcome);
	}

}
