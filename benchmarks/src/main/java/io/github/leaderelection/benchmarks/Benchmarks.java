package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.leaderelection.launcher.MongoReplicaSet;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs all measurements, and writes the report.
 */
public final class Benchmarks {

	private static final Logger logger = LoggerFactory.getLogger(Benchmarks.class);

	private static final Map<String, Measurement> MEASUREMENTS = new LinkedHashMap<>();

	/** Why some targets are hard to meet. */
	private static final String LIMITS = """
			What limits them: a gate must read two clocks, since each can be wrong in its own way, and this takes most of its time. After SIGTERM, the
			JVM runs all of its shutdown code for the first time. If each of 50 candidates leads some elections, each renews its session, adds up its
			leases and reads the sessions of all others every five seconds: that is 30 commands per second, plus the change streams. A cold start loads
			classes, including those of Spring's first proxy.
			""";

	private static final String LOCKS = "locks";

	private static final String FENCES = "fences";

	private static final String JDBC = "jdbc";

	/** A measurement that takes longer hangs. */
	private static final long LIMIT_MINUTES = 90;

	static {
		MEASUREMENTS.put("gate", Gates::measure);
		MEASUREMENTS.put("records", Records::measure);
		MEASUREMENTS.put("handover", Handovers::measure);
		MEASUREMENTS.put("failover", Failovers::measure);
		MEASUREMENTS.put("storm", Storms::measure);
		MEASUREMENTS.put("answers", Answers::measure);
		MEASUREMENTS.put("footprint", Footprints::measure);
		MEASUREMENTS.put("start", StartTimes::measure);
		MEASUREMENTS.put("load", Loads::measure);
		MEASUREMENTS.put(LOCKS, Locks::measure);
		MEASUREMENTS.put(FENCES, Fences::measure);
	}

	private Benchmarks() {
	}

	/**
	 * Run the measurements. Ends this JVM, with 0 if everything could be measured. With
	 * {@code -Dbenchmarks.trial=10} only a tenth of the rounds are run.
	 * @param args the file of the report, next to which those of locks, fences and
	 * PostgreSQL go, and what to measure if not everything
	 */
	public static void main(String[] args) {
		System.exit(run(Path.of(args[0]), List.of(args).subList(1, args.length)) ? 0 : 1);
	}

	private static boolean run(Path file, List<String> chosen) {
		Set<String> all = new LinkedHashSet<>(MEASUREMENTS.keySet());
		all.add(JDBC);
		if (!all.containsAll(chosen)) {
			throw new IllegalArgumentException("Choose from " + all);
		}
		Set<String> names = !chosen.isEmpty() ? new LinkedHashSet<>(chosen) : all;
		boolean jdbc = names.remove(JDBC);
		boolean complete = names.isEmpty() || runOnMongo(file, names);
		return (!jdbc || runOnPostgres(file)) && complete;
	}

	private static boolean runOnMongo(Path file, Set<String> names) {
		try (MongoReplicaSet mongo = MongoReplicaSet.start(3)) {
			Report elections = new Report(file, introduction("Benchmarks", mongo), Target.ELECTIONS, LIMITS);
			Report locks = new Report(beside(file, LOCKS), introduction("Benchmarks of locks", mongo), Target.LOCKS,
					"");
			Report fences = new Report(beside(file, FENCES), introduction("Benchmarks of fences", mongo), Set.of(), "");
			Map<String, Report> pages = Map.of(LOCKS, locks, FENCES, fences);
			for (String name : names) {
				Measurement measurement = Objects.requireNonNull(MEASUREMENTS.get(name), name);
				Report report = pages.getOrDefault(name, elections);
				perform(name, report, () -> measurement.measure(mongo, report));
			}
			return elections.failures() + locks.failures() + fences.failures() == 0;
		}
	}

	private static boolean runOnPostgres(Path file) {
		try (EmbeddedPostgres postgres = Databases.startPostgres()) {
			Report report = new Report(beside(file, JDBC), marked(JdbcComparison.introduction(postgres)), Target.JDBC,
					"");
			perform(JDBC, report, () -> JdbcComparison.measure(postgres, report));
			return report.failures() == 0;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String introduction(String title, MongoReplicaSet mongo) {
		return marked(Machine.introduction(title, mongo));
	}

	private static String marked(String introduction) {
		return Rounds.isTrial() ? introduction + "\n**A trial with few rounds.**" : introduction;
	}

	/** Return the file of a separate page, next to the main one, which is long. */
	private static Path beside(Path file, String name) {
		return file.resolveSibling(file.getFileName().toString().replaceFirst("(\\.[^.]*)?$", "-" + name + "$1"));
	}

	private static void perform(String name, Report report, Task measurement) {
		long begun = System.nanoTime();
		try {
			perform(measurement);
		}
		catch (Exception ex) {
			report.failed(name, ex);
		}
		logger.info("{} took {} s", name, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun));
	}

	private static void perform(Task measurement) throws Exception {
		FutureTask<Void> task = new FutureTask<>(() -> {
			measurement.perform();
			return null;
		});
		Thread thread = new Thread(task, "measurement");
		thread.setDaemon(true);
		thread.start();
		try {
			task.get(LIMIT_MINUTES, TimeUnit.MINUTES);
		}
		catch (TimeoutException ex) {
			task.cancel(true);
			thread.join(TimeUnit.SECONDS.toMillis(30));
			throw new IllegalStateException("The measurement did not end within %d minutes".formatted(LIMIT_MINUTES),
					ex);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

	private interface Task {

		void perform() throws Exception;

	}

	private interface Measurement {

		void measure(MongoReplicaSet mongo, Report report) throws Exception;

	}

}
