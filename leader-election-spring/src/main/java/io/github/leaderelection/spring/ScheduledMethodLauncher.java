package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.job.PlannedRun;
import io.github.leaderelection.job.RunLauncher;

import org.springframework.aop.support.AopUtils;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/**
 * Starts runs of a scheduled method on the scheduler that starts its other runs, and as
 * it starts them.
 */
final class ScheduledMethodLauncher implements RunLauncher {

	private final RecordedMethod method;

	private final Supplier<Object> bean;

	private final ScheduledTaskRegistrar registrar;

	private final JobScheduling jobs;

	private final Instant earliest;

	ScheduledMethodLauncher(RecordedMethod method, Supplier<Object> bean, ScheduledTaskRegistrar registrar,
			JobScheduling jobs, Duration initialDelay) {
		this.method = method;
		this.bean = bean;
		this.registrar = registrar;
		this.jobs = jobs;
		this.earliest = scheduler().getClock().instant().plus(initialDelay);
	}

	private TaskScheduler scheduler() {
		return Objects.requireNonNull(this.registrar.getScheduler());
	}

	@Override
	public Future<?> launch(PlannedRun run, Runnable done) {
		Object target = this.bean.get();
		Method call = AopUtils.selectInvocableMethod(this.method.scheduledMethod(), target.getClass());
		Instant now = scheduler().getClock().instant();
		boolean early = run.cause() != Cause.TRIGGERED && this.earliest.isAfter(now);
		return scheduler()
			.schedule(new RecordedTask(target, call, this.method.scheduler(), this.method, run, this.jobs) {

				@Override
				public void run() {
					try {
						super.run();
					}
					finally {
						done.run();
					}
				}

			}, early ? this.earliest : now);
	}

}
