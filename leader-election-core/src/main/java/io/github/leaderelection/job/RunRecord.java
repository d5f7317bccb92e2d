package io.github.leaderelection.job;

import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded about one job, and what may follow that. Each change is stored only
 * where the record still has the revision from which it was made. So what a leader sends
 * late finds nothing once a later one has opened the record, and what the later one has
 * seen is all that was ever started before.
 *
 * @param key the job
 * @param revision the revision of this record
 * @param fence the highest term under which the record was opened; nothing is started
 * under a lower one
 * @param covered the time up to which nothing is due any more: all fire times were
 * started, skipped or missed, or have passed before the job was known
 * @param timetable the timetable of the job as of the last opening, in words
 * @param skipped how many fire times have come while a run still went on
 * @param missed how many fire times have passed without a run
 * @param last the last run that was started, {@code null} if none was
 */
public record RunRecord(JobKey key, long revision, long fence, Instant covered, String timetable, long skipped,
		long missed, @Nullable JobRun last) {

	/**
	 * Return the record of a job that has none, opened under a term.
	 * @param asOf the time up to which fire times are of no interest
	 */
	static RunRecord first(JobKey key, long term, String timetable, Instant asOf) {
		// Whatever was meant for an earlier record of that name finds nothing.
		long revision = 1 + ThreadLocalRandom.current().nextLong(Integer.MAX_VALUE);
		return new RunRecord(key, revision, term, asOf, timetable, 0, 0, null);
	}

	/** Return whether the record is open under this very term, with this timetable. */
	boolean isOpen(long term, String timetable) {
		return this.fence == term && this.timetable.equals(timetable);
	}

	/**
	 * Open the record under a term, before anything is started under it. Another
	 * timetable takes the place of what is recorded, and everything up to then is
	 * covered; what was covered stays covered.
	 * @param asOf the time up to which fire times are of no interest if the timetable is
	 * another
	 * @return the record, this one if it is open; {@code null} if a later term has opened
	 * it
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
	 * must not be covered; a further attempt must follow one for the same fire time that
	 * has not ended.
	 * @return the record, {@code null} if this can't follow
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
	 * End the last run, and cover what has come during it.
	 * @param run the run as it has ended
	 * @param until the time up to which fire times are skipped
	 * @param skipped how many these are
	 * @return the record, {@code null} if another run is the last one, or it has ended
	 */
	@Nullable RunRecord finished(JobRun run, Instant until, int skipped) {
		boolean running = isLast(run.id()) && this.last != null && this.last.outcome() == Outcome.RUNNING;
		return running ? next(until, skipped, 0, run) : null;
	}

	/**
	 * Take back what may have been started, and was never begun: its fire time and the
	 * last run are what they were before. A start that is not recorded may still be on
	 * its way: it finds another revision.
	 * @param before the record from which it was to be started
	 * @return the record, {@code null} if a later term has opened it, whose leader has
	 * taken the run for unfinished
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
	 * Cover fire times that nothing was started for in time.
	 * @param term the term under which the record must be open
	 * @param until the time up to which everything is covered from now on
	 * @param missed how many there are
	 * @return the record, {@code null} if this can't follow
	 */
	@Nullable RunRecord missed(long term, Instant until, int missed) {
		return (term == this.fence && until.isAfter(this.covered)) ? next(until, 0, missed, this.last) : null;
	}

	private RunRecord next(Instant covered, int skipped, int missed, @Nullable JobRun last) {
		return new RunRecord(this.key, this.revision + 1, this.fence, covered, this.timetable, this.skipped + skipped,
				this.missed + missed, last);
	}

	/**
	 * Return whether this is the last run.
	 * @param runId the id of a run
	 * @return whether it was started and no other since
	 */
	public boolean isLast(String runId) {
		return this.last != null && this.last.id().equals(runId);
	}

	/** Return whether the last run was started under the term, and has not ended. */
	boolean isRunning(long term) {
		return this.last != null && this.last.outcome() == Outcome.RUNNING && this.last.term() == term;
	}

	/** Return whether nobody knows how far a run came, if it does not go on. */
	static boolean isUnfinished(JobRun run) {
		return run.outcome() == Outcome.RUNNING || run.outcome() == Outcome.UNFINISHED;
	}

	/** Return a run as it is when it has ended. */
	static JobRun ended(JobRun run, Outcome outcome, Instant at) {
		// Nobody knows when one has ended that was lost.
		return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), run.startedAt(), (outcome != Outcome.UNFINISHED) ? at : null, outcome);
	}

}
