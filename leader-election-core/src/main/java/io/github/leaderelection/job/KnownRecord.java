package io.github.leaderelection.job;

import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of the record of one job. Others may have changed it since,
 * which costs the next change another attempt, and nothing else.
 */
final class KnownRecord {

	private static final EngineLog log = EngineLog.of(KnownRecord.class);

	private final JobKey key;

	private final Problem damage = new Problem();

	/** What was read or written last, also if it is gone. */
	private @Nullable RunRecord last;

	/** Whether it is gone, or was never there. */
	private boolean absent;

	/** Whether it must be read before it is relied on: a change may have failed. */
	private boolean stale = true;

	/** Whether it was read when all was tried, and all has happened, that there is. */
	private boolean confirmed;

	/**
	 * How much was tried, or has happened: what was asked before shows none of it.
	 */
	private long changes;

	KnownRecord(JobKey key) {
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

	synchronized boolean isAbsent() {
		return this.absent;
	}

	synchronized boolean isStale() {
		return this.stale;
	}

	/** Have it read before it is relied on. */
	synchronized void expire() {
		this.stale = true;
	}

	/**
	 * Return whether what is known shows everything that was tried, and whatever has
	 * happened here has come before; if it does not it has to be read.
	 */
	synchronized boolean isConfirmed() {
		this.stale = this.stale || !this.confirmed;
		return this.confirmed;
	}

	/** Return the number of what has happened here, or is tried now. */
	synchronized long changed() {
		this.confirmed = false;
		return ++this.changes;
	}

	/**
	 * A change is tried. It is not known what is stored before there is an answer.
	 * @return the number of the change
	 */
	synchronized long tried() {
		this.stale = true;
		return changed();
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
			this.confirmed = true;
		}
	}

	/** A change was made, and no other was tried meanwhile if it is the last. */
	synchronized void written(RunRecord record, long change) {
		this.last = record;
		this.absent = false;
		this.stale = change != this.changes;
		sound();
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

	/** Take note that nothing is wrong, which is worth no line. */
	void sound() {
		boolean unused = this.damage.ends();
	}

}
