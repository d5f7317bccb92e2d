package io.github.leaderelection.job;

import java.time.Instant;
import java.util.Objects;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded about one job.
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

	/** Return the last run if it is this one and has not ended, as far as is recorded. */
	@Nullable JobRun running(String runId) {
		JobRun run = this.last;
		return (run != null && run.id().equals(runId) && run.outcome() == Outcome.RUNNING) ? run : null;
	}

	/** Return the record of the next revision. */
	RunRecord next(Instant covered, int skipped, int missed, @Nullable JobRun last) {
		return new RunRecord(this.key, this.revision + 1, this.fence, covered, this.timetable, this.skipped + skipped,
				this.missed + missed, last);
	}

	/** Return whether nobody knows how far a run came, if it does not go on. */
	static boolean isUnfinished(JobRun run) {
		return run.outcome() == Outcome.RUNNING || run.outcome() == Outcome.UNFINISHED;
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
