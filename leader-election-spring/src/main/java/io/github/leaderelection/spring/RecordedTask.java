package io.github.leaderelection.spring;

import java.lang.reflect.Method;

import io.github.leaderelection.job.PlannedRun;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * What a scheduler calls where runs of a method are recorded. To all who look at it, it
 * is what Spring makes for any other scheduled method.
 */
class RecordedTask extends ScheduledMethodRunnable {

	private final RecordedMethod recorded;

	private final PlannedRun planned;

	private final JobScheduling jobs;

	RecordedTask(Object target, Method method, @Nullable String qualifier, RecordedMethod recorded, PlannedRun planned,
			JobScheduling jobs) {
		super(target, method, qualifier, jobs::observations);
		this.recorded = recorded;
		this.planned = planned;
		this.jobs = jobs;
	}

	@Override
	public void run() {
		SchedulerCall call = new SchedulerCall(this.recorded.key(), this.planned);
		this.recorded.expect(call);
		try {
			call.run(super::run);
		}
		finally {
			if (!call.isTaken()) {
				this.jobs.strayed(this.recorded.key(), call::hasArrived);
			}
		}
	}

}
