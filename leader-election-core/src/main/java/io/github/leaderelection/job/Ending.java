package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The end of a run. It comes once, and nothing has to be allocated for that.
 */
final class Ending {

	private final JobRun run;

	private final Leadership leadership;

	private final Instant begunAt;

	private final long begunNanos;

	private long endedNanos;

	private boolean failed;

	private volatile boolean come;

	private volatile boolean owed;

	Ending(JobRun run, Leadership leadership, Instant begunAt, long begunNanos) {
		this.run = run;
		this.leadership = leadership;
		this.begunAt = begunAt;
		this.begunNanos = begunNanos;
	}

	void come(boolean failed, long now) {
		this.failed = failed;
		this.endedNanos = now;
		this.come = true;
	}

	boolean hasCome() {
		return this.come;
	}

	/** What follows from it has failed on the thread of the run. */
	void owe() {
		this.owed = true;
	}

	boolean isOwed() {
		return this.owed;
	}

	JobRun run() {
		return this.run;
	}

	Leadership leadership() {
		return this.leadership;
	}

	Instant begunAt() {
		return this.begunAt;
	}

	RunEnd end(JobKey key, Instant at, @Nullable RunCover during) {
		return new RunEnd(key, this.run.id(), this.failed ? Outcome.FAILED : Outcome.SUCCEEDED, at, during);
	}

	Duration duration() {
		return Duration.ofNanos(this.endedNanos - this.begunNanos);
	}

}
