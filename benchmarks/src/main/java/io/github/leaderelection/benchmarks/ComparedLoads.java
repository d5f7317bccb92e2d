package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;

import com.zaxxer.hikari.HikariDataSource;
import io.github.leaderelection.benchmarks.LoadMeter.Load;

/**
 * Measures the load that other libraries put on the database.
 */
final class ComparedLoads {

	private static final int INSTANCES = 10;

	private ComparedLoads() {
	}

	static <T> T shedLock(String uri, int jobs, Meter<T> meter) throws Exception {
		Random random = new Random(1);
		return measure(uri, meter,
				(commands, database, instance) -> new LockedJobs(commands.open(uri, database), jobs, random, () -> {
				}));
	}

	static Load polling(String uri, int elections, LoadMeter meter) throws Exception {
		Random random = new Random(1);
		return measure(uri, meter, (commands, database, instance) -> new PollingCandidate(commands.client(uri),
				database, elections, instance == 0, random));
	}

	static <T> T springIntegration(String uri, Meter<T> meter) throws Exception {
		return measure(uri, meter, (commands, database, instance) -> {
			HikariDataSource pool = commands.pool(uri, database);
			AutoCloseable candidate = new IntegrationHandovers.Instance(pool, IntegrationHandovers.DEFAULTS);
			return () -> {
				candidate.close();
				pool.close();
			};
		});
	}

	static <T> T dbScheduler(String uri, int tasks, Duration polling, Meter<T> meter) throws Exception {
		Random random = new Random(1);
		return measure(uri, meter, (commands, database, instance) -> {
			// Otherwise they would poll at the same moments.
			Thread.sleep(random.nextLong(polling.toMillis() / INSTANCES * 2));
			return new ScheduledTasks(commands.pool(uri, database), tasks, polling, () -> {
			});
		});
	}

	private static <T> T measure(String uri, Meter<T> meter, Start start) throws Exception {
		String database = "compared-" + UUID.randomUUID();
		Databases.create(uri, database);
		CountedCommands commands = new CountedCommands();
		List<AutoCloseable> instances = new ArrayList<>();
		try {
			for (int i = 0; i < INSTANCES; i++) {
				instances.add(start.instance(commands, database, i));
			}
			// By then all have found the servers, and done everything at least once.
			Thread.sleep(5000);
			return meter.measure(commands::count);
		}
		finally {
			for (AutoCloseable instance : instances) {
				instance.close();
			}
			Databases.drop(uri, database);
		}
	}

	/**
	 * Measures in steady state.
	 *
	 * @param <T> the result of the measurement
	 */
	interface Meter<T> {

		/**
		 * Measure the load.
		 * @param commands counts the commands that have been sent so far
		 */
		T measure(Callable<Commands> commands) throws Exception;

	}

	private interface Start {

		AutoCloseable instance(CountedCommands commands, String database, int number) throws InterruptedException;

	}

}
