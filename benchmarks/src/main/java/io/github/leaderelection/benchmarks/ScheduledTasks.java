package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import com.github.kagkarlsson.scheduler.testhelper.ManualScheduler;
import com.github.kagkarlsson.scheduler.testhelper.SettableClock;
import com.github.kagkarlsson.scheduler.testhelper.TestHelper;
import com.zaxxer.hikari.HikariDataSource;

/**
 * An instance of an application with db-scheduler, whose tasks are due a second after
 * they have run.
 */
final class ScheduledTasks implements AutoCloseable {

	private static final Duration DELAY = Duration.ofSeconds(1);

	private final HikariDataSource pool;

	private final Scheduler scheduler;

	/**
	 * Start the scheduler.
	 * @param pool the pool, which is closed with this instance
	 */
	ScheduledTasks(HikariDataSource pool, int tasks, Duration polling, Runnable job) {
		this.pool = pool;
		List<RecurringTask<Void>> recurring = IntStream.range(0, tasks)
			.mapToObj((number) -> task("task-" + number, job))
			.toList();
		this.scheduler = Scheduler.create(pool)
			.startTasks(recurring)
			.pollingInterval(polling)
			.schedulerName(new SchedulerName.Fixed(UUID.randomUUID().toString()))
			.build();
		this.scheduler.start();
	}

	/**
	 * Return an action that runs a due task in the caller's thread.
	 */
	static Runnable execution(HikariDataSource pool, Runnable job) {
		ManualScheduler scheduler = TestHelper.createManualScheduler(pool)
			.clock(new SettableClock())
			.startTasks(List.of(task("task", job)))
			.start();
		return () -> {
			scheduler.tick(DELAY.multipliedBy(2));
			scheduler.runAnyDueExecutions();
		};
	}

	private static RecurringTask<Void> task(String name, Runnable job) {
		return Tasks.recurring(name, FixedDelay.of(DELAY)).execute((instance, context) -> job.run());
	}

	@Override
	public void close() {
		this.scheduler.stop();
		this.pool.close();
	}

}
