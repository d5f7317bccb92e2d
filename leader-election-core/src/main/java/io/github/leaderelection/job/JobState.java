package io.github.leaderelection.job;

import java.util.Objects;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of one job: its record, the run that goes on, and whether one
 * is about to begin. Whoever does several things at once holds this object meanwhile;
 * nobody holds it while the store is asked.
 */
final class JobState {

	private static final EngineLog log = EngineLog.of(JobState.class);

	private final JobKey key;

	private @Nullable RunRecord record;

	/** The term under which the record was opened here, 0 if it was not. */
	private long term;

	/** A run whose start may be recorded, though that was not answered. */
	private @Nullable JobRun inDoubt;

	private boolean starting;

	private @Nullable JobRun running;

	/** What the end of that run owes, made before it begins. */
	private @Nullable Ending ending;

	/** What began under another registration of this job, whose context has closed. */
	private @Nullable JobState predecessor;

	/** Whether something may be due that the scheduler does not start by itself. */
	private boolean overdue;

	private volatile @Nullable String damage;

	JobState(JobKey key) {
		this.key = key;
	}

	/**
	 * Begin nothing before what another registration of this job has begun has ended.
	 * @param earlier the other, or {@code null} if there is none
	 */
	synchronized void follow(@Nullable JobState earlier) {
		this.predecessor = earlier;
	}

	/** Return whether a run goes on, or is about to begin. */
	synchronized boolean isBusy() {
		return this.starting || isRunning() || isPreceded();
	}

	synchronized boolean isRunning() {
		return this.running != null;
	}

	synchronized boolean isPreceded() {
		JobState earlier = this.predecessor;
		if (earlier != null && !earlier.isBusy()) {
			this.predecessor = null;
			return false;
		}
		return earlier != null;
	}

	/** Return the record, as it was seen or opened last. */
	synchronized @Nullable RunRecord record() {
		return this.record;
	}

	synchronized RunRecord openRecord() {
		return Objects.requireNonNull(this.record);
	}

	synchronized long term() {
		return this.term;
	}

	synchronized boolean isOpen(long term) {
		return this.term == term && this.record != null;
	}

	/** Take note of a record that was opened. */
	synchronized void opened(RunRecord record, long term) {
		this.record = record;
		this.term = term;
		this.overdue = true;
	}

	/** The record has to be opened anew before anything is started. */
	synchronized void close() {
		this.term = 0;
	}

	/** Take note of what others have recorded. */
	synchronized void seen(RunRecord record) {
		this.record = record;
		this.term = 0;
	}

	/** Take note of what the record has become, or will when what is owed is recorded. */
	synchronized void changed(RunRecord record) {
		this.record = record;
	}

	/** Return whether a run may begin. If so, {@link #endStart} follows. */
	synchronized boolean beginStart() {
		if (isBusy()) {
			return false;
		}
		this.starting = true;
		return true;
	}

	synchronized void endStart() {
		this.starting = false;
	}

	synchronized boolean isStarting() {
		return this.starting;
	}

	synchronized @Nullable JobRun inDoubt() {
		return this.inDoubt;
	}

	synchronized void doubt(@Nullable JobRun run) {
		this.inDoubt = run;
	}

	synchronized void run(@Nullable JobRun run, @Nullable Ending ending) {
		this.running = run;
		this.ending = ending;
	}

	synchronized @Nullable Ending ending() {
		return this.ending;
	}

	/** Leave nothing to the scheduler at the next look. */
	synchronized void setOverdue(boolean overdue) {
		this.overdue = overdue;
	}

	synchronized boolean isOverdue() {
		return this.overdue;
	}

	/** Return what is wrong with the record, {@code null} if nothing is. */
	@Nullable String damage() {
		return this.damage;
	}

	void sound() {
		this.damage = null;
	}

	/** Take note of what is wrong with the record, and tell of it once. */
	void damaged(@Nullable String found) {
		boolean news = !Objects.equals(found, this.damage);
		this.damage = found;
		if (news && found != null) {
			log.tell((logger) -> logger.error(
					"The record of job '{}' is damaged, so that it can't be started: {}{} "
							+ "Repair it, or remove it to begin anew",
					this.key, found, found.endsWith("?") ? "" : "."));
		}
	}

	/**
	 * As long as a term is held there is no later one that could have raised the fence.
	 */
	static String fenced(Leadership leadership) {
		return "its fence is above term %d, which is held now. Was the lease removed, or an older one restored?"
			.formatted(leadership.term());
	}

}
