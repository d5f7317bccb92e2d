package io.github.leaderelection.job;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Problem;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows about the record of one job, and what has happened to the job
 * in this process but may not be recorded yet. Does no I/O; {@link RunStore} reads and
 * writes.
 */
final class JobState {

	private static final EngineLog log = EngineLog.of(JobState.class);

	private final JobKey key;

	private final Problem damage = new Problem();

	/**
	 * The record as last read or written, kept even if it is gone. If another process has
	 * changed it since, the next change only needs another attempt.
	 */
	private @Nullable RunRecord last;

	/** Whether the record is gone, or was never there. */
	private boolean absent;

	/** Whether the record must be read before use: a change may have failed. */
	private boolean stale = true;

	/**
	 * Counts the changes that were tried, the changes that were written, and the events
	 * in this process. A read that was requested before the latest of these may not show
	 * it.
	 */
	private long changes;

	/** The value of {@link #changes} when the last usable read was requested. */
	private long read = -1;

	/**
	 * The record after the last change, if that change got no answer.
	 * {@link #unansweredFrom} is the record before it.
	 */
	private @Nullable RunRecord unanswered;

	private @Nullable RunRecord unansweredFrom;

	/** Whether a thread is about to begin a run. */
	private boolean starting;

	/** The run that is in progress, or whose end is still to be recorded. */
	private @Nullable RecordedRun run;

	/** The record from which a start was tried whose outcome is unknown. */
	private @Nullable RunRecord doubtful;

	/** The id of the last run that was reported as unfinished. */
	private @Nullable String reported;

	JobState(JobKey key) {
		this.key = key;
	}

	JobKey key() {
		return this.key;
	}

	/** Return the record as last seen, {@code null} if it was never seen. */
	synchronized @Nullable RunRecord last() {
		return this.last;
	}

	/** Return the record, {@code null} if there is none. */
	synchronized @Nullable RunRecord present() {
		return this.absent ? null : this.last;
	}

	synchronized boolean isStale() {
		return this.stale;
	}

	/** Mark the record as stale: it must be read before it is relied on. */
	synchronized void expire() {
		this.stale = true;
	}

	synchronized long changes() {
		return this.changes;
	}

	/** Note that something has happened that the record does not show. */
	synchronized void changed() {
		this.changes++;
	}

	/**
	 * Note that a change is tried. Until there is an answer, the stored record is
	 * unknown.
	 * @return the number of the change
	 */
	synchronized long attempted() {
		this.stale = true;
		return ++this.changes;
	}

	/** Note that the last change got no answer. */
	synchronized void unanswered(@Nullable RunRecord before, RunRecord after) {
		this.unanswered = after;
		this.unansweredFrom = before;
	}

	/**
	 * Return the record before the last change if that change got no answer, and the
	 * record shows that it was made; otherwise {@code null}. Returns it only once.
	 */
	synchronized @Nullable RunRecord beforeUnanswered() {
		boolean made = !this.stale && this.unanswered != null && this.unanswered.equals(present());
		this.unanswered = this.stale ? this.unanswered : null;
		return made ? this.unansweredFrom : null;
	}

	/**
	 * Note what was read. A read that was requested before the latest change is ignored.
	 * @param record the record, {@code null} if it is not there
	 * @param asked the number of changes when the read was requested
	 */
	synchronized void read(@Nullable RunRecord record, long asked) {
		if (asked == this.changes) {
			this.last = (record != null) ? record : this.last;
			this.absent = record == null;
			this.stale = false;
			this.read = asked;
		}
	}

	/**
	 * Note that a change was written. The record is stale if another change has been
	 * tried since.
	 * @param change the number of the change
	 * @param starter whether it was made by the thread that is about to begin a run
	 */
	synchronized void written(RunRecord record, long change, boolean starter) {
		this.last = record;
		this.absent = false;
		this.unanswered = null;
		this.stale = change != this.changes;
		this.changes++;
		this.damage.ends();
		JobRun shown = record.last();
		if (shown != null && isOwn(shown) && shown.outcome() != Outcome.RUNNING) {
			this.run = null;
		}
		// The revision has changed, so a start that is still in flight fails. Do not
		// forget a start that another thread is trying only now.
		if (!this.stale && (starter || !this.starting) && this.doubtful != null
				&& !record.isRunning(this.doubtful.fence())) {
			this.doubtful = null;
		}
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	@Nullable String damage() {
		return this.damage.present();
	}

	/** Note what is wrong with the record, and log it when that begins. */
	void damaged(String found) {
		if (this.damage.begins(found)) {
			log.tell((logger) -> logger.error(
					"The record of job '{}' is damaged, so the job can't be started: {}{} "
							+ "Repair the record, or remove it to start over",
					this.key, found, found.endsWith("?") ? "" : "."));
		}
	}

	/** Note that nothing is wrong with the record. Logs nothing. */
	void sound() {
		this.damage.ends();
	}

	/** Return whether a run is in progress, or about to begin. */
	synchronized boolean isBusy() {
		return this.starting || isRunning();
	}

	synchronized boolean isRunning() {
		return this.run != null && this.run.end() == null;
	}

	/** Return whether there is a run, or a start in doubt, whose end is not recorded. */
	synchronized boolean isOwing() {
		return this.run != null || this.doubtful != null;
	}

	private boolean isOwn(JobRun other) {
		return this.run != null && this.run.run().id().equals(other.id());
	}

	/**
	 * Reserve the job for the calling thread, which is about to begin a run.
	 * @return {@code false} if a run is in progress, or another thread is about to begin
	 * one
	 */
	synchronized boolean claim() {
		boolean free = !isBusy();
		this.starting = this.starting || free;
		return free;
	}

	synchronized void release() {
		this.starting = false;
	}

	/** Note that the start of a run is tried, from this record. */
	synchronized void tried(RunRecord before) {
		this.doubtful = before;
	}

	/** Note that a run begins, since its start is recorded. */
	synchronized void begun(RecordedRun begun) {
		this.run = begun;
		this.doubtful = null;
	}

	/**
	 * Return the record that shows the end of this process's run, or that takes back a
	 * start without an answer, whose run never began.
	 * @param starter whether the calling thread is about to begin a run
	 * @return the record, {@code null} if nothing is owed, or the record must be read
	 * first
	 */
	synchronized @Nullable RunRecord settled(@Nullable RunRecord record, @Nullable JobSchedule schedule,
			boolean starter) {
		RecordedRun.End end = (this.run != null) ? this.run.end() : null;
		RunRecord doubted = (starter || !this.starting) ? this.doubtful : null;
		RunRecord next = null;
		if (record != null && this.run != null && end != null) {
			next = (schedule != null) ? schedule.finished(record, this.run.begunAt(), end)
					: record.finished(end.run(), record.covered(), 0);
		}
		else if (record != null && doubted != null) {
			next = record.withdrawn(doubted);
		}
		if (next == null && (end != null || doubted != null)) {
			// If the record was read after the event, a change that can't follow it now
			// never will. Otherwise the record must be read first.
			boolean confirmed = this.read == this.changes;
			this.stale = this.stale || !confirmed;
			this.run = (confirmed && end != null) ? null : this.run;
			this.doubtful = (confirmed && doubted != null) ? null : this.doubtful;
		}
		return next;
	}

	/**
	 * Return the last run if it was started under an earlier term and its end was never
	 * recorded, {@code null} otherwise. Ignores the run of this process.
	 */
	synchronized @Nullable JobRun lost(RunRecord record) {
		JobRun shown = record.last();
		return (shown != null && shown.outcome() == Outcome.RUNNING && shown.term() < record.fence() && !isOwn(shown))
				? shown : null;
	}

	/** Return whether a lost run was not reported yet, and remember it as reported. */
	synchronized boolean isNews(JobRun lost) {
		boolean news = !lost.id().equals(this.reported);
		this.reported = lost.id();
		return news;
	}

}
