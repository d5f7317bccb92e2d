package io.github.leaderelection.spring;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.github.leaderelection.job.PlannedRun;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.ScheduledMethodRunnable;

/**
 * The task that a scheduler runs for a method whose runs are recorded. To other code, it
 * looks like the task of any other scheduled method.
 */
final class RecordedTask extends ScheduledMethodRunnable {

	private final RecordedMethod recorded;

	private final PlannedRun planned;

	private final Runnable done;

	/**
	 * Create a task.
	 * @param target the bean
	 * @param method its method
	 * @param qualifier the qualifier of the scheduler
	 * @param recorded the recorded method
	 * @param planned the run
	 * @param observations supplies the registry that observes calls
	 * @param done called when the call has returned
	 */
	RecordedTask(Object target, Method method, @Nullable String qualifier, RecordedMethod recorded, PlannedRun planned,
			Supplier<ObservationRegistry> observations, Runnable done) {
		super(target, method, qualifier, observations);
		this.recorded = recorded;
		this.planned = planned;
		this.done = done;
	}

	@Override
	public void run() {
		try {
			this.recorded.call(this.planned, super::run);
		}
		finally {
			this.done.run();
		}
	}

}
