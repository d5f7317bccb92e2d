package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.JobRuns;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.WorkScope;
import org.jspecify.annotations.Nullable;

/**
 * A run that has begun and whose start is recorded. The code that has begun it must end
 * it.
 */
public final class RecordedRun {

	private final JobRun run;

	private final @Nullable JobRun previous;

	private final Leadership leadership;

	private final RunClock clock;

	private final BiConsumer<RecordedRun, End> ending;

	private final Instant begunAt;

	private final long begunNanos;

	private final AtomicReference<@Nullable End> end = new AtomicReference<>();

	RecordedRun(JobRun run, @Nullable JobRun previous, Leadership leadership, RunClock clock,
			BiConsumer<RecordedRun, End> ending) {
		this.run = run;
		this.previous = previous;
		this.leadership = leadership;
		this.clock = clock;
		this.ending = ending;
		this.begunAt = clock.now();
		this.begunNanos = clock.nanos();
	}

	/**
	 * Return the run as recorded at its start.
	 * @return the run
	 */
	public JobRun run() {
		return this.run;
	}

	@Nullable JobRun previous() {
		return this.previous;
	}

	Instant begunAt() {
		return this.begunAt;
	}

	/** Return how long after its fire time the run began, zero if it has none. */
	Duration late() {
		Instant fireTime = this.run.fireTime();
		return (fireTime == null || fireTime.isAfter(this.begunAt)) ? Duration.ZERO
				: Duration.between(fireTime, this.begunAt);
	}

	/** Return how the run has ended, {@code null} while it is in progress. */
	@Nullable End end() {
		return this.end.get();
	}

	/**
	 * Make this the current run of the calling thread.
	 * @return the scope, to be closed by the same thread
	 */
	public WorkScope enter() {
		return WorkScope.enter(this);
	}

	/**
	 * Record the end of the run. Calls the store; if that fails, it is tried again in the
	 * background. A second call has no effect.
	 * @param failure what the run has thrown, {@code null} if it has returned
	 */
	public void end(@Nullable Throwable failure) {
		Duration duration = Duration.ofNanos(this.clock.nanos() - this.begunNanos);
		JobRun run = RunRecord.ended(this.run, (failure != null) ? Outcome.FAILED : Outcome.SUCCEEDED,
				this.clock.now());
		// Check isHeld after reading the clock: if the term is held now, it was held up
		// to that time.
		End end = new End(run, this.leadership.isHeld(), duration);
		if (this.end.compareAndSet(null, end)) {
			this.ending.accept(this, end);
		}
	}

	/**
	 * How a run has ended.
	 *
	 * @param run the run, with its outcome
	 * @param held whether its term was still held
	 * @param duration how long it took
	 */
	record End(JobRun run, boolean held, Duration duration) {

	}

	/**
	 * The result of an attempt to begin a run.
	 *
	 * @param run the run that has begun, to be ended by the caller; {@code null} if none
	 * has
	 * @param result {@link JobRuns.Result#RAN} if a run has begun, otherwise the reason
	 * why none has
	 */
	public record Begin(@Nullable RecordedRun run, JobRuns.Result result) {

	}

}
