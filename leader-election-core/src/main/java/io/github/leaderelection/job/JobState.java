package io.github.leaderelection.job;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Problem;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the record of one job, and what has happened to the job here
 * that the record may not show yet. Does no I/O; {@link RunStore} reads and writes.
 */
final class JobState {

	private static final EngineLog log = EngineLog.of(JobState.class);

	private final JobKey key;

	private final Problem damage = new Problem();

	/**
	 * The record as it was read or written last, also if it is gone. Others may have
	 * changed it since, which costs the next change another attempt, and nothing else.
	 */
	private @Nullable RunRecord last;

	/** Whether it is gone, or was never there. */
	private boolean absent;

	/** Whether it must be read before it is relied on: a change may have failed. */
	private boolean stale = true;

	/**
	 * How much was tried, was done, or has happened: what was asked before may show none
	 * of it.
	 */
	private long changes;

	/** How much that was when it was asked for what was read last. */
	private long read = -1;

	/** What the last change has made of what, if it was made: it was not answered. */
	private @Nullable RunRecord unanswered;

	private @Nullable RunRecord unansweredFrom;

	/** Whether a thread is about to begin a run. */
	private boolean starting;

	/** The run that goes on, or whose end is still to be recorded. */
	private @Nullable RecordedRun run;

	/** The record from which a start was tried that was not answered. */
	private @Nullable RunRecord doubtful;

	/** The id of the last run that was reported as unfinished. */
	private @Nullable String reported;

	JobState(JobKey key) {
		this.key = key;
	}

	JobKey key() {
		return this.key;
	}

	/** Return the record as it was seen last, {@code null} if it never was. */
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

	/** Have the record read before it is relied on. */
	synchronized void expire() {
		this.stale = true;
	}

	synchronized long changes() {
		return this.changes;
	}

	/** Something has happened that the record does not show. */
	synchronized void changed() {
		this.changes++;
	}

	/**
	 * A change is tried. It is not known what is stored before there is an answer.
	 * @return its number
	 */
	synchronized long attempted() {
		this.stale = true;
		return ++this.changes;
	}

	/** The last change was not answered. */
	synchronized void unanswered(@Nullable RunRecord before, RunRecord after) {
		this.unanswered = after;
		this.unansweredFrom = before;
	}

	/**
	 * Return, once, what the record was before the last change, if that was not answered,
	 * and the record shows that it was made.
	 */
	synchronized @Nullable RunRecord beforeUnanswered() {
		boolean made = !this.stale && this.unanswered != null && this.unanswered.equals(present());
		this.unanswered = this.stale ? this.unanswered : null;
		return made ? this.unansweredFrom : null;
	}

	/**
	 * Take note of what was read.
	 * @param record the record, {@code null} if it is not there
	 * @param asked how many changes there were when the store was asked
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
	 * A change was made, and no other was tried meanwhile if it is the last.
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
		// Any other start finds another revision, unless it is tried only now.
		if (!this.stale && (starter || !this.starting) && this.doubtful != null
				&& !record.isRunning(this.doubtful.fence())) {
			this.doubtful = null;
		}
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	@Nullable String damage() {
		return this.damage.present();
	}

	/** Take note of what is wrong with the record. */
	void damaged(String found) {
		if (this.damage.begins(found)) {
			log.tell((logger) -> logger.error(
					"The record of job '{}' is damaged, so that it can't be started: {}{} "
							+ "Repair it, or remove it to begin anew",
					this.key, found, found.endsWith("?") ? "" : "."));
		}
	}

	/** Take note that nothing is wrong with the record, which is worth no line. */
	void sound() {
		this.damage.ends();
	}

	/** Return whether a run goes on, or is about to begin. */
	synchronized boolean isBusy() {
		return this.starting || isRunning();
	}

	synchronized boolean isRunning() {
		return this.run != null && this.run.end() == null;
	}

	private boolean isOwn(JobRun other) {
		return this.run != null && this.run.run().id().equals(other.id());
	}

	/** A thread is about to begin a run, if no other is, and none goes on. */
	synchronized boolean claim() {
		boolean free = !isBusy();
		this.starting = this.starting || free;
		return free;
	}

	synchronized void release() {
		this.starting = false;
	}

	/** The start of a run is tried, from this record. */
	synchronized void tried(RunRecord before) {
		this.doubtful = before;
	}

	/** A run begins whose start is recorded. */
	synchronized void begun(RecordedRun begun) {
		this.run = begun;
		this.doubtful = null;
	}

	/**
	 * Return the record that shows the end of the own run; or that a start which was not
	 * answered is taken back: its run was never begun.
	 * @param starter whether the thread asks that is about to begin a run
	 * @return the record, {@code null} if nothing is owed
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
			// What can't follow never will, if the record was read after it has happened.
			boolean confirmed = this.read == this.changes;
			this.stale = this.stale || !confirmed;
			this.run = (confirmed && end != null) ? null : this.run;
			this.doubtful = (confirmed && doubted != null) ? null : this.doubtful;
		}
		return next;
	}

	/** Return the last run if it was lost under an earlier term. */
	synchronized @Nullable JobRun lost(RunRecord record) {
		JobRun shown = record.last();
		return (shown != null && shown.outcome() == Outcome.RUNNING && shown.term() < record.fence() && !isOwn(shown))
				? shown : null;
	}

	/** Return whether a run that was lost was not reported yet. */
	synchronized boolean isNews(JobRun lost) {
		boolean news = !lost.id().equals(this.reported);
		this.reported = lost.id();
		return news;
	}

}
