package io.github.leaderelection.job;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.github.leaderelection.JobRun;
import io.github.leaderelection.engine.WorkScope;
import org.jspecify.annotations.Nullable;

/**
 * A run whose start is recorded. Whoever has begun it ends it.
 */
public final class RecordedRun {

	private final JobRun run;

	private final @Nullable JobRun previous;

	private final Consumer<@Nullable Throwable> ending;

	private final AtomicBoolean ended = new AtomicBoolean();

	RecordedRun(JobRun run, @Nullable JobRun previous, Consumer<@Nullable Throwable> ending) {
		this.run = run;
		this.previous = previous;
		this.ending = ending;
	}

	/**
	 * Return the run in which the calling thread is.
	 * @return the run, {@code null} if there is none
	 */
	static @Nullable RecordedRun current() {
		return WorkScope.find(RecordedRun.class);
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
			this.ending.accept(failure);
		}
	}

}
