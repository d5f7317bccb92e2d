package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import javax.sql.DataSource;

import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;

/**
 * Compares locks that nobody else wants.
 */
final class LockContenders implements AutoCloseable {

	private static final int BLOCKS = 11;

	private static final int BLOCK = 50;

	private final LockInstance instance;

	private final DatabaseClient client;

	private final LockingTaskExecutor shedLock;

	private final DefaultLockRepository repository;

	private final JdbcLockRegistry registry;

	private final String registryName;

	/**
	 * Create locks.
	 * @param source the data source of Spring Integration
	 * @param registryName the name of its registry in the report
	 */
	LockContenders(String uri, String database, DataSource source, String registryName) {
		this.registryName = registryName;
		this.instance = new LockInstance(new CountedCommands().open(uri, database));
		this.client = new CountedCommands().open(uri, database);
		this.shedLock = new DefaultLockingTaskExecutor(this.client.shedLock());
		this.repository = Databases.springIntegration(source);
		this.registry = new JdbcLockRegistry(this.repository);
	}

	/**
	 * Measure blocks in turns, the first of them to warm up, and add a table.
	 */
	void measure(Report report) throws InterruptedException {
		Map<String, Cycle> cycles = cycles();
		Map<String, List<Double>> millis = new LinkedHashMap<>();
		cycles.keySet().forEach((name) -> millis.put(name, new ArrayList<>()));
		for (int block = 0; block < Rounds.of(BLOCKS); block++) {
			for (Map.Entry<String, Cycle> cycle : cycles.entrySet()) {
				for (int i = 0; i < BLOCK; i++) {
					long begun = System.nanoTime();
					cycle.getValue().run(block * BLOCK + i);
					double took = (System.nanoTime() - begun) / 1e6;
					if (block > 0) {
						Objects.requireNonNull(millis.get(cycle.getKey())).add(took);
					}
				}
			}
		}
		report.table(Stream.concat(Stream.of("milliseconds"), Samples.TITLES.stream()).toList());
		millis.forEach((name, each) -> {
			List<String> row = new ArrayList<>(List.of(name));
			row.addAll(new Samples(each).columns());
			report.row(row);
		});
	}

	private Map<String, Cycle> cycles() {
		Map<String, IntFunction<String>> names = new LinkedHashMap<>();
		names.put("one name", (number) -> "one");
		names.put("new names", "new-%d"::formatted);
		Map<String, Cycle> cycles = new LinkedHashMap<>();
		names.forEach((kind, name) -> {
			cycles.put("lock on demand, " + kind,
					(number) -> this.instance.locks().acquire(name.apply(number), Duration.ofMinutes(1)).close());
			cycles.put("ShedLock, " + kind, (number) -> shedLock(name.apply(number)));
			cycles.put(this.registryName + ", " + kind, (number) -> jdbc(name.apply(number)));
		});
		return cycles;
	}

	private void shedLock(String name) {
		boolean[] run = { false };
		this.shedLock.executeWithLock((Runnable) () -> run[0] = true,
				new LockConfiguration(Instant.now(), name, Duration.ofMinutes(1), Duration.ZERO));
		if (!run[0]) {
			throw new IllegalStateException("The lock was not acquired");
		}
	}

	private void jdbc(String name) {
		Lock lock = this.registry.obtain(name);
		lock.lock();
		try {
			// Only acquiring and releasing is measured.
			Thread.onSpinWait();
		}
		finally {
			lock.unlock();
		}
	}

	@Override
	public void close() {
		this.instance.close();
		this.client.close();
		this.repository.close();
	}

	private interface Cycle {

		void run(int number) throws InterruptedException;

	}

}
