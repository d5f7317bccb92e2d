package io.github.leaderelection.job;

import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.DamagedRecordException;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the record of one job, and what has happened to the job here
 * that the record may not show yet: what is to be recorded follows from both. Does no
 * I/O, and tells nobody; {@link RunStore} reads and writes.
 */
final class JobLedger {

	/**
	 * The record as it was read or written last, also if it is gone. Others may have
	 * changed it since, which costs the next change another attempt, and nothing else.
	 */
	private @Nullable RunRecord last;

	/** Whether it is gone, or was never there. */
	private boolean absent;

	/** Whether it must be read before it is relied on: a change may have failed. */
	private boolean stale = true;

	/** How much was tried, or was proven: what was asked before shows none of it. */
	private long changes;

	/** Whether a thread is about to begin a run. */
	private boolean starting;

	/** The run that goes on, or whose end is still to be recorded. */
	private @Nullable RecordedRun run;

	/** The record that shows a start which was not answered. */
	private @Nullable RunRecord doubtful;

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
		}
	}

	/**
	 * A change is tried. It is not known what is stored before there is an answer.
	 * @param start whether it is the start of a run, which is in doubt until then
	 * @return its number
	 */
	synchronized long attempted(RunRecord next, boolean start) {
		this.doubtful = start ? next : this.doubtful;
		this.stale = true;
		return ++this.changes;
	}

	/** The change of that number was made. It counts if no other was tried meanwhile. */
	synchronized void written(RunRecord record, long change) {
		this.stale = change != this.changes;
		if (!this.stale) {
			this.last = record;
			this.absent = false;
		}
		this.changes++;
	}

	/** Return whether a run goes on, or is about to begin. */
	synchronized boolean isBusy() {
		return this.starting || isRunning();
	}

	synchronized boolean isStarting() {
		return this.starting;
	}

	synchronized boolean isRunning() {
		return this.run != null && this.run.end() == null;
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

	/** A run begins whose start is recorded. */
	synchronized void begun(RecordedRun begun) {
		this.run = begun;
		this.doubtful = null;
	}

	/**
	 * Return what has to be recorded before a run can be started: the end of the own run;
	 * that a start which was not answered is taken back, since its run was never begun;
	 * that the record is open under the present term; that a run of an earlier one is
	 * unfinished.
	 * @param leadership the present term, {@code null} if there is none
	 * @param wanted the run that is about to begin, {@code null} if none is
	 * @return the record that follows, {@code null} if nothing is owed
	 * @throws DamagedRecordException if the record can't be used
	 */
	synchronized @Nullable RunRecord owed(JobSchedule schedule, @Nullable Leadership leadership,
			@Nullable PlannedRun wanted, Instant now) throws DamagedRecordException {
		RunRecord record = present();
		RunRecord settled = (record != null) ? settled(record, schedule, now) : null;
		if (settled != null) {
			return settled;
		}
		// What can't follow never will: every reading from now on shows what came of it.
		this.run = isRunning() ? this.run : null;
		this.doubtful = null;
		if (leadership == null) {
			return null;
		}
		RunRecord opened = schedule.opened(record, this.last, wanted, leadership.term(), now);
		if (opened == null && leadership.isHeld()) {
			// As long as a term is held there is no later one that could have opened it.
			throw new DamagedRecordException(
					"its fence is above term %d, which is held now. Was the lease removed, or an older one restored?"
						.formatted(leadership.term()));
		}
		if (record == null || opened == null || !opened.equals(record)) {
			return opened;
		}
		JobRun shown = record.last();
		boolean own = this.run != null && record.isLast(this.run.run().id());
		return (shown != null && record.isLost() && !own)
				? record.finished(RunRecord.ended(shown, Outcome.UNFINISHED, now), record.covered(), 0) : null;
	}

	private @Nullable RunRecord settled(RunRecord record, JobSchedule schedule, Instant now) {
		RunRecord next = null;
		RecordedRun.End end = (this.run != null) ? this.run.end() : null;
		if (this.run != null && end != null) {
			next = schedule.finished(record, this.run.begunAt(), end);
		}
		if (next == null && this.doubtful != null) {
			next = record.withdrawn(this.doubtful, now);
		}
		return next;
	}

}
