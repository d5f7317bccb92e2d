package io.github.leaderelection.job;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the record of one job, and what it has still to write to it.
 * Does no I/O; {@link RunStore} reads and writes.
 */
final class JobState {

	private final JobKey key;

	private final Problem damage = new Problem();

	private final Queue<PendingWrite> pending = new ConcurrentLinkedQueue<>();

	/**
	 * What was read or written last. Others may have changed it since, which costs the
	 * next change another attempt, and nothing else.
	 */
	private @Nullable RunRecord known;

	/** Whether it is gone, or was never there. */
	private boolean absent;

	/** Whether it must be read before the next change: the last one may have failed. */
	private boolean stale = true;

	/** Whether it was read when all that is pending was. */
	private boolean confirmed;

	/**
	 * How many changes were planned, or tried: what was asked before shows none of them.
	 */
	private long changes;

	/** The term under which it was opened here, 0 if it was not. */
	private long openedUnder;

	JobState(JobKey key) {
		this.key = key;
	}

	JobKey key() {
		return this.key;
	}

	/**
	 * Return the record as it is when all is written, {@code null} if it is not known.
	 */
	synchronized @Nullable RunRecord record() {
		RunRecord record = this.known;
		for (PendingWrite write : this.pending) {
			RunRecord next = (record != null) ? write.change().on(record) : null;
			record = (next != null) ? next : record;
		}
		return record;
	}

	/** Return that record if it is open under the term, {@code null} if it is not. */
	synchronized @Nullable RunRecord open(long term) {
		RunRecord present = present();
		return (present != null && present.fence() == term && this.openedUnder == term) ? record() : null;
	}

	/** The record has to be opened anew, since the job is another. */
	synchronized void close() {
		this.openedUnder = 0;
	}

	private @Nullable RunRecord present() {
		return (this.stale || this.absent) ? null : this.known;
	}

	/**
	 * Have a change made before any other. It is dropped if it can't follow what is
	 * stored; an opening takes the place of one under another term, or timetable.
	 * @param written called with the record as it was, and as it is, when the change was
	 * made here
	 */
	synchronized void later(RunChange change, BiConsumer<@Nullable RunRecord, RunRecord> written) {
		if (change instanceof RunChange.Open opening) {
			if (this.pending.stream().anyMatch((write) -> opening.isLike(write.change()))) {
				return;
			}
			this.pending.removeIf((write) -> write.change() instanceof RunChange.Open);
		}
		changed();
		this.pending.add(new PendingWrite(change, written));
	}

	/** Return the number of the change that is planned, or tried. */
	private synchronized long changed() {
		this.confirmed = false;
		return ++this.changes;
	}

	synchronized long changes() {
		return this.changes;
	}

	boolean isPending() {
		return !this.pending.isEmpty();
	}

	/** Return whether it is to be read before what is pending is written. */
	synchronized boolean isToRead() {
		return this.stale && isPending();
	}

	/**
	 * Take note of what was read.
	 * @param record the record, {@code null} if it is not there
	 * @param asked how many changes there were when the store was asked
	 */
	synchronized void read(@Nullable RunRecord record, long asked) {
		if (asked != this.changes) {
			return;
		}
		this.known = (record != null) ? record : this.known;
		this.absent = record == null;
		this.stale = false;
		this.confirmed = true;
		if (!isPending()) {
			this.damage.ends();
		}
	}

	/**
	 * Return what is to be written next. What can't follow a record that was just read
	 * never will.
	 * @return the record, {@code null} if there is nothing, or it must be read first
	 */
	synchronized @Nullable Write next() {
		for (PendingWrite head = this.pending.peek(); head != null && !this.stale; head = this.pending.peek()) {
			RunRecord before = present();
			RunRecord after = (before != null) ? head.change().on(before)
					: (head.change() instanceof RunChange.Open opening) ? opening.first(this.key) : null;
			if (after != null) {
				return new Write(this, head, before, after);
			}
			if (this.confirmed) {
				this.pending.remove(head);
			}
			this.stale = !this.confirmed;
		}
		return null;
	}

	/**
	 * A change is tried. It is not known what is stored before there is an answer.
	 * @return the number of the change
	 */
	synchronized long tried() {
		this.stale = true;
		return changed();
	}

	/** A change was made, and none was planned, or tried, meanwhile if it is the last. */
	synchronized void written(RunRecord record, long change) {
		this.known = record;
		this.absent = false;
		this.stale = change != this.changes;
		this.damage.ends();
	}

	/** Return whether the record is not there, and could not be made. */
	synchronized boolean isAbsent() {
		return this.absent;
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	@Nullable String damage() {
		return this.damage.present();
	}

	/** Take note of what is wrong with the record. */
	void damaged(String found) {
		synchronized (this) {
			this.stale = true;
		}
		this.damage.begins(found,
				(logger) -> logger.error(
						"The record of job '{}' is damaged, so that it can't be started: {}{} "
								+ "Repair it, or remove it to begin anew",
						this.key, found, found.endsWith("?") ? "" : "."));
	}

	/**
	 * A change that is still to be made.
	 *
	 * @param change the change
	 * @param written takes the record before and after
	 */
	private record PendingWrite(RunChange change, BiConsumer<@Nullable RunRecord, RunRecord> written) {

	}

	/**
	 * A change that is made now.
	 *
	 * @param state where it is pending
	 * @param pending the change
	 * @param before the record as it is, {@code null} if it is not there
	 * @param after the record that follows
	 */
	record Write(JobState state, PendingWrite pending, @Nullable RunRecord before, RunRecord after) {

		/** Return whether it changes nothing, as where the record is open already. */
		boolean isMade() {
			return this.after.equals(this.before);
		}

		void done(long change) {
			this.state.written(this.after, change);
			this.state.pending.remove(this.pending);
			this.pending.written().accept(this.before, this.after);
			if (this.pending.change() instanceof RunChange.Open opening) {
				// When everybody was told: what it has shown is replaced from now on.
				this.state.openedUnder(opening.term());
			}
		}

	}

	private synchronized void openedUnder(long term) {
		this.openedUnder = term;
	}

}
