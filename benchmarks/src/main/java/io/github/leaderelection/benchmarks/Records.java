package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.github.leaderelection.JobRuns.Result;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.launcher.MongoReplicaSet;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;

/**
 * Measures what it costs to record the runs of a job.
 */
final class Records {

	static final String DATABASE = "benchmarks-records";

	private static final String ELECTION = "jobs";

	private static final int RUNS = 500;

	private static final int WARM_UP = 50;

	private Records() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws Exception {
		report.title("Records of runs");
		report.paragraph(
				"""
						The milliseconds that a run of a job that does nothing takes, and the commands that it sends. The three take turns, in one thread, on the
						three servers; all writes wait for a majority.
						""");
		measure(mongo.uri(), new CountedCommands(), report, Map.of());
	}

	/**
	 * Measure on any database, along with other kinds of runs.
	 */
	static void measure(String uri, CountedCommands commands, Report report, Map<String, Run> others) throws Exception {
		DatabaseClient client = commands.open(uri, DATABASE);
		ElectionSettings settings = ElectionSettings.of(Duration.ofMinutes(10));
		try (Member member = new Member(client, settings, List.of(ELECTION))) {
			Map<String, Run> runs = runs(client, member.engine());
			runs.putAll(others);
			Map<String, Costs> costs = new LinkedHashMap<>();
			runs.keySet().forEach((name) -> costs.put(name, new Costs(new ArrayList<>(), new LongAdder())));
			for (int i = 0; i < WARM_UP + Rounds.of(RUNS); i++) {
				for (Map.Entry<String, Run> run : runs.entrySet()) {
					Costs costsOfRun = Objects.requireNonNull(costs.get(run.getKey()));
					long before = commands.count().total();
					long begun = System.nanoTime();
					run.getValue().run(i);
					double took = (System.nanoTime() - begun) / (double) TimeUnit.MILLISECONDS.toNanos(1);
					if (i >= WARM_UP) {
						costsOfRun.millis().add(took);
						costsOfRun.commands().add(commands.count().total() - before);
					}
				}
			}
			List<String> titles = new ArrayList<>(List.of("run", "commands"));
			titles.addAll(Samples.TITLES);
			List<List<String>> rows = new ArrayList<>();
			costs.forEach((name, cost) -> {
				double commandsOfRun = cost.commands().sum() / (double) cost.millis().size();
				List<String> row = new ArrayList<>(List.of(name, Samples.format(commandsOfRun)));
				row.addAll(new Samples(cost.millis()).columns());
				rows.add(row);
			});
			report.table(titles, rows);
		}
		finally {
			Databases.drop(uri, DATABASE);
		}
	}

	private static Map<String, Run> runs(DatabaseClient client, ElectionEngine engine) throws InterruptedException {
		Fleet.await(() -> engine.isLeader(ELECTION));
		RecordedJobs jobs = new RecordedJobs(() -> engine, client.stores().store(RecordedJobs.RUNS), "", List.of(),
				EngineClock.SYSTEM);
		LockingTaskExecutor locks = new DefaultLockingTaskExecutor(client.shedLock());
		Instant first = Instant.ofEpochMilli(System.currentTimeMillis());
		Map<String, Run> runs = new LinkedHashMap<>();
		runs.put("gated, not recorded", (number) -> require(engine.runIfLeader(ELECTION, (leadership) -> {
		})));
		runs.put("gated and recorded",
				(number) -> require(jobs.run(ELECTION, "recorded", first.plusSeconds(number), (run) -> {
				}) == Result.RAN));
		runs.put("ShedLock, lock and unlock", (number) -> locks.executeWithLock((Runnable) () -> {
		}, new LockConfiguration(Instant.now(), "locked", Duration.ofMinutes(1), Duration.ZERO)));
		return runs;
	}

	static void require(boolean done) {
		if (!done) {
			throw new IllegalStateException("The job was not run");
		}
	}

	private record Costs(List<Double> millis, LongAdder commands) {

	}

	/**
	 * Runs a job once.
	 */
	interface Run {

		void run(int number);

	}

}
