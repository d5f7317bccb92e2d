package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * An instance of an application with ShedLock, which tries to run each of its jobs once a
 * second, starting at a random moment. Its locks are written as durably as leases.
 */
final class LockedJobs implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(LockedJobs.class);

	private static final Duration MOST = Duration.ofSeconds(20);

	/** Less than the period, so that a job runs on one instance each second. */
	private static final Duration LEAST = Duration.ofMillis(800);

	private static final long PERIOD_MICROS = 1_000_000;

	private static final int THREADS = 10;

	private final DatabaseClient client;

	private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(THREADS, threads());

	LockedJobs(DatabaseClient client, int jobs, Random random, Runnable job) {
		this.client = client;
		LockingTaskExecutor executor = new DefaultLockingTaskExecutor(client.shedLock());
		for (int i = 0; i < jobs; i++) {
			String name = "job-" + i;
			Future<?> unused = this.scheduler.scheduleAtFixedRate(() -> run(executor, name, job),
					random.nextLong(PERIOD_MICROS), PERIOD_MICROS, TimeUnit.MICROSECONDS);
		}
	}

	private static ThreadFactory threads() {
		CustomizableThreadFactory threads = new CustomizableThreadFactory("jobs-");
		threads.setDaemon(true);
		return threads;
	}

	private static void run(LockingTaskExecutor executor, String name, Runnable job) {
		try {
			executor.executeWithLock(job, new LockConfiguration(Instant.now(), name, MOST, LEAST));
		}
		catch (RuntimeException ex) {
			// An exception would cancel all further runs.
			logger.warn("{} has failed", name, ex);
		}
	}

	/**
	 * Let running jobs end, and start no more.
	 */
	@Override
	public void close() {
		this.scheduler.shutdown();
		try {
			if (!this.scheduler.awaitTermination(30, TimeUnit.SECONDS)) {
				throw new IllegalStateException("The jobs did not end in time");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.client.close();
		}
	}

}
