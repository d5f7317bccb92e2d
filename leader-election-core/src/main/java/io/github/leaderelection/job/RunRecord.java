package io.github.leaderelection.job;

import java.time.Instant;
import java.util.Objects;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded about one job, and what may follow it. Each change raises the revision
 * by one and is stored only where the record still has the revision from which it was
 * made. So what a leader sends late finds nothing once a later one has opened the record,
 * and what the later one has seen is all that was ever started before.
 *
 * @param key the job
 * @param revision the revision of this record
 * @param fence the highest term under which the record was opened; nothing is started
 * under a lower one
 * @param covered the time up to which all fire times are settled, since they have been
 * started, skipped, or passed before the job was known
 * @param timetable the timetable of the job as of the last opening, in words
 * @param skipped how many fire times have come while a run still went on
 * @param missed how many fire times have passed without a run
 * @param last the last run that was started, {@code null} if none was
 */
public record RunRecord(JobKey key, long revision, long fence, Instant covered, String timetable, long skipped,
		long missed, @Nullable JobRun last) {

	/**
	 * Check that everything is there.
	 */
	public RunRecord {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(covered, "covered must not be null");
		Objects.requireNonNull(timetable, "timetable must not be null");
	}

	/**
	 * Return whether this is the last run.
	 * @param runId the id of a run
	 * @return whether it was started and no other since
	 */
	public boolean isLast(String runId) {
		return this.last != null && this.last.id().equals(runId);
	}

	/**
	 * Open the record under a term, before anything is started under it. That raises the
	 * revision, unless it was opened under this very term. Another timetable takes the
	 * place of what is recorded, and everything up to then is covered; what was covered
	 * stays covered.
	 * @return the record, {@code null} if a later term has opened it
	 */
	@Nullable RunRecord opened(long term, String timetable, Instant asOf) {
		if (this.fence > term) {
			return null;
		}
		boolean known = this.timetable.equals(timetable);
		if (known && this.fence == term) {
			return this;
		}
		Instant from = (known || asOf.isBefore(this.covered)) ? this.covered : asOf;
		return new RunRecord(this.key, this.revision + 1, term, from, timetable, this.skipped, this.missed, this.last);
	}

	/**
	 * Start a run, and cover everything up to its fire time. Its term must be the one
	 * under which the record was opened. The fire time of a first attempt, if there is
	 * one, must not be covered; a further attempt must follow one for the same fire time
	 * that has not ended.
	 * @return the record, {@code null} if the run can't follow
	 */
	@Nullable RunRecord started(JobRun run, Instant now) {
		Instant fireTime = run.fireTime();
		JobRun before = this.last;
		boolean follows = (run.attempt() > 1)
				? before != null && isUnfinished(before) && Objects.equals(before.fireTime(), fireTime)
				: fireTime == null || fireTime.isAfter(this.covered);
		if (run.term() != this.fence || !follows || isLast(run.id())) {
			return null;
		}
		Instant until = (fireTime != null && fireTime.isAfter(this.covered)) ? fireTime : this.covered;
		return next(until, this.skipped, this.missed, begun(run, now));
	}

	/**
	 * End the last run, which must not have ended, and settle what came during it, if
	 * that can be. A run is withdrawn only under its own term; then its fire time, if it
	 * has one, is not covered any more.
	 * @return the record, {@code null} if the run is not the last one, or has ended
	 */
	@Nullable RunRecord ended(RunEnd end) {
		JobRun run = this.last;
		if (run == null || !run.id().equals(end.runId()) || run.outcome() != Outcome.RUNNING) {
			return null;
		}
		boolean withdrawn = end.outcome() == Outcome.WITHDRAWN;
		if (withdrawn && this.fence != run.term()) {
			return null;
		}
		RunRecord settled = (end.during() != null) ? covered(end.during()) : null;
		if (settled != null) {
			return next(settled.covered, settled.skipped, settled.missed, end.ended(run));
		}
		Instant until = (withdrawn && this.covered.equals(run.fireTime())) ? this.covered.minusMillis(1) : this.covered;
		return next(until, this.skipped, this.missed, end.ended(run));
	}

	/**
	 * Settle fire times that nothing was started for. What is covered must be just what
	 * was expected, so that none is counted twice.
	 * @return the record, {@code null} if it is not
	 */
	@Nullable RunRecord covered(RunCover cover) {
		if (this.fence != cover.term() || !this.covered.equals(cover.from()) || !cover.until().isAfter(this.covered)) {
			return null;
		}
		return next(cover.until(), this.skipped + cover.skipped(), this.missed + cover.missed(), this.last);
	}

	private RunRecord next(Instant covered, long skipped, long missed, @Nullable JobRun last) {
		return new RunRecord(this.key, this.revision + 1, this.fence, covered, this.timetable, skipped, missed, last);
	}

	private static JobRun begun(JobRun run, Instant now) {
		return new JobRun(run.id(), run.election(), run.job(), run.fireTime(), run.cause(), run.attempt(), run.term(),
				run.candidateId(), now, null, Outcome.RUNNING);
	}

	private static boolean isUnfinished(@Nullable JobRun run) {
		return run != null && (run.outcome() == Outcome.RUNNING || run.outcome() == Outcome.UNFINISHED);
	}

	/**
	 * Return what a message may quote: whoever is named here may have been named by
	 * anybody.
	 */
	@Override
	public String toString() {
		return "RunRecord[key=%s, revision=%d, fence=%d, covered=%s, timetable=%s, skipped=%d, missed=%d, last=%s]"
			.formatted(StoredText.printable(this.key.id()), this.revision, this.fence, this.covered,
					StoredText.printable(this.timetable), this.skipped, this.missed,
					StoredText.printable(String.valueOf(this.last)));
	}

}
