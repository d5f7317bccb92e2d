package io.github.leaderelection.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;

import io.github.leaderelection.benchmarks.LoadMeter.Load;

/**
 * What others ask of the database.
 */
final class ComparedLoads {

	private static final int INSTANCES = 10;

	private ComparedLoads() {
	}

	static Load shedLock(String uri, int jobs, LoadMeter meter) throws Exception {
		Random random = new Random(1);
		return measure(uri, meter,
				(commands, database, instance) -> new LockedJobs(commands.client(uri), database, jobs, random, () -> {
				}));
	}

	static Load polling(String uri, int elections, LoadMeter meter) throws Exception {
		Random random = new Random(1);
		return measure(uri, meter, (commands, database, instance) -> new PollingCandidate(commands.client(uri),
				database, elections, instance == 0, random));
	}

	private static Load measure(String uri, LoadMeter meter, Start start) throws Exception {
		String database = "compared-" + UUID.randomUUID();
		CountedCommands commands = new CountedCommands();
		List<AutoCloseable> instances = new ArrayList<>();
		try {
			for (int i = 0; i < INSTANCES; i++) {
				instances.add(start.instance(commands, database, i));
			}
			// All have found the servers, and done everything at least once.
			Thread.sleep(5000);
			Callable<Commands> count = commands::count;
			return meter.measure(count);
		}
		finally {
			for (AutoCloseable instance : instances) {
				instance.close();
			}
			Databases.drop(uri, database);
		}
	}

	private interface Start {

		AutoCloseable instance(CountedCommands commands, String database, int number);

	}

}
