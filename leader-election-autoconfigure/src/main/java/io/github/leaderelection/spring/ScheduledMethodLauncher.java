package io.github.leaderelection.spring;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.RunLauncher;
import io.github.leaderelection.job.SchedulerCall;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * Starts runs of a scheduled method on the scheduler that starts its other runs, and as
 * it starts them.
 */
final class ScheduledMethodLauncher implements RunLauncher {

	private final RecordedMethod method;

	private final Supplier<Object> bean;

	private final TaskScheduler scheduler;

	private final Supplier<@Nullable ObservationRegistry> observations;

	private final Instant earliest;

	ScheduledMethodLauncher(RecordedMethod method, Supplier<Object> bean, TaskScheduler scheduler,
			Supplier<@Nullable ObservationRegistry> observations, Duration initialDelay) {
		this.method = method;
		this.bean = bean;
		this.scheduler = scheduler;
		this.observations = observations;
		this.earliest = scheduler.getClock().instant().plus(initialDelay);
	}

	@Override
	public void launch(PlannedRun run, Runnable done) {
		Object target = this.bean.get();
		Runnable call = new ScheduledMethodRunnable(target,
				AopUtils.selectInvocableMethod(this.method.scheduledMethod(), target.getClass()),
				this.method.scheduler(), this::observations);
		Instant now = this.scheduler.getClock().instant();
		boolean early = run.cause() != Cause.TRIGGERED && this.earliest.isAfter(now);
		ScheduledFuture<?> unused = this.scheduler.schedule(new Launched(call, this.method, run, done),
				early ? this.earliest : now);
	}

	private ObservationRegistry observations() {
		ObservationRegistry present = this.observations.get();
		return (present != null) ? present : ObservationRegistry.NOOP;
	}

	private record Launched(Runnable call, RecordedMethod method, PlannedRun planned,
			Runnable done) implements SchedulingAwareRunnable {

		@Override
		public void run() {
			try {
				new SchedulerCall(this.planned, toString(), this.method.key()).run(this.call);
			}
			finally {
				this.done.run();
			}
		}

		@Override
		public String getQualifier() {
			return this.method.scheduler();
		}

		@Override
		public String toString() {
			return this.call.toString();
		}

	}

}
