package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.WorkScope;
import org.jspecify.annotations.Nullable;

/**
 * A run whose start is recorded. Whoever has begun it ends it.
 */
public final class RecordedRun {

	private final JobRun run;

	private final @Nullable JobRun previous;

	private final Leadership leadership;

	private final RunClock clock;

	private final Consumer<RecordedRun> ending;

	private final AtomicBoolean ended = new AtomicBoolean();

	private volatile Instant begunAt = Instant.EPOCH;

	private volatile long begunNanos;

	private volatile long endedNanos;

	private volatile boolean failed;

	RecordedRun(JobRun run, @Nullable JobRun previous, Leadership leadership, RunClock clock,
			Consumer<RecordedRun> ending) {
		this.run = run;
		this.previous = previous;
		this.leadership = leadership;
		this.clock = clock;
		this.ending = ending;
	}

	/**
	 * Return what is recorded.
	 * @return the run
	 */
	public JobRun run() {
		return this.run;
	}

	@Nullable JobRun previous() {
		return this.previous;
	}

	Leadership leadership() {
		return this.leadership;
	}

	/**
	 * Begin the run.
	 * @return how long after its fire time that is, zero where it has none
	 */
	Duration begin() {
		this.begunAt = this.clock.now();
		this.begunNanos = this.clock.nanos();
		Instant fireTime = this.run.fireTime();
		return (fireTime == null || fireTime.isAfter(this.begunAt)) ? Duration.ZERO
				: Duration.between(fireTime, this.begunAt);
	}

	Instant begunAt() {
		return this.begunAt;
	}

	boolean hasFailed() {
		return this.failed;
	}

	Duration duration() {
		return Duration.ofNanos(this.endedNanos - this.begunNanos);
	}

	/**
	 * Let the calling thread be in this run.
	 * @return what ends that
	 */
	public WorkScope enter() {
		return WorkScope.enter(this);
	}

	/**
	 * Record the end of the run. Calls the store; if that fails it is tried again in the
	 * background. Has no effect the second time.
	 * @param failure what the run has thrown, {@code null} if it has returned
	 */
	public void end(@Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			this.failed = failure != null;
			this.endedNanos = this.clock.nanos();
			this.ending.accept(this);
		}
	}

}
