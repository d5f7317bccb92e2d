package io.github.leaderelection.spring;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;

import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.SchedulerCall;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.Trigger;

/**
 * Lets each task know for which fire time it was started, and otherwise does what the
 * scheduler behind it does. Tasks look the same to that one, so that it finds the
 * scheduler which a task asks for.
 */
final class TimedTaskScheduler implements TaskScheduler {

	private final TaskScheduler delegate;

	TimedTaskScheduler(TaskScheduler delegate) {
		this.delegate = delegate;
	}

	@Override
	public Clock getClock() {
		return this.delegate.getClock();
	}

	@Override
	public @Nullable ScheduledFuture<?> schedule(Runnable task, Trigger trigger) {
		FireTimes fireTimes = new FireTimes(trigger);
		return this.delegate.schedule(new TimedTask(task, fireTimes::take), fireTimes);
	}

	@Override
	public ScheduledFuture<?> schedule(Runnable task, Instant startTime) {
		return this.delegate.schedule(task, startTime);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Instant startTime, Duration period) {
		return this.delegate.scheduleAtFixedRate(ticking(task), startTime, period);
	}

	@Override
	public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, Duration period) {
		return this.delegate.scheduleAtFixedRate(ticking(task), period);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Instant startTime, Duration delay) {
		return this.delegate.scheduleWithFixedDelay(ticking(task), startTime, delay);
	}

	@Override
	public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, Duration delay) {
		return this.delegate.scheduleWithFixedDelay(ticking(task), delay);
	}

	private static Runnable ticking(Runnable task) {
		return new TimedTask(task, PlannedRun::tick);
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

	private record TimedTask(Runnable delegate, Supplier<PlannedRun> planned) implements SchedulingAwareRunnable {

		@Override
		public void run() {
			new SchedulerCall(this.planned.get(), this.delegate.toString(), null).run(this.delegate);
		}

		@Override
		public boolean isLongLived() {
			return this.delegate instanceof SchedulingAwareRunnable aware && aware.isLongLived();
		}

		@Override
		public @Nullable String getQualifier() {
			return (this.delegate instanceof SchedulingAwareRunnable aware) ? aware.getQualifier() : null;
		}

		@Override
		public String toString() {
			return this.delegate.toString();
		}

	}

}
