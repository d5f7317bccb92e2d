package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.github.leaderelection.benchmarks.LoadMeter.Load;
import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * What elections ask of the database while nothing happens, beside what else people use.
 */
final class Loads {

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final int MOST = 10_000;

	private static final String ONE = "one candidate";

	private static final String SPREAD = "each its share";

	private final Map<String, Load> loads = new HashMap<>();

	private final Report report;

	private final LoadMeter meter;

	private final String uri;

	private Loads(MongoReplicaSet mongo, Report report) throws InterruptedException {
		this.report = report;
		this.meter = new LoadMeter(mongo);
		this.uri = mongo.uri();
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		new Loads(mongo, report).measure();
	}

	private void measure() throws InterruptedException {
		this.report.title("Load of the database");
		this.report.paragraph(
				"""
						In steady state, for %d s, at a TTL of 20 s. What each candidate makes known of itself is not in it: two
						commands in two minutes. Each candidate has an engine and a client of its own; ten share a JVM. Operations are the
						commands that candidates send, change streams included (`getMore`) and the driver's monitoring not; bytes
						and processor time are those of all three servers, what they send each other included, less what they need
						when nobody is there. One candidate leads all, or each leads its share, which is not tried where even the
						former came to no rest.
						"""
					.formatted(LoadMeter.WINDOW.toSeconds()));
		this.report
			.table(Stream.concat(Stream.of("elections", "candidates", "led by"), LoadMeter.TITLES.stream()).toList());
		for (int elections : List.of(1, 10, 100, 1000, MOST)) {
			for (int candidates : (elections == 10 || elections == MOST) ? List.of(10) : List.of(1, 10, 50)) {
				boolean steady = elections(elections, candidates, false);
				if (steady && elections > 1 && elections < MOST && candidates > 1) {
					elections(elections, candidates, true);
				}
			}
		}
		this.report.paragraph(
				"""
						For comparison, on ten instances with clients of their own:

						- ShedLock tries each job once a second on each instance, as `@Scheduled(fixedRate = 1000)` does, with
						  `lockAtLeastFor` 0.8 s, so that each job runs about once a second.
						- Polling as by client-go at its defaults: each leader writes its lease each 2 s, and each other candidate
						  reads it after 2 to 4.4 s, each election by itself.
						""");
		this.report.table(Stream.concat(Stream.of("jobs or elections", "by"), LoadMeter.TITLES.stream()).toList());
		for (int number : List.of(1, 10, 100)) {
			compare(number, "ShedLock", () -> ComparedLoads.shedLock(this.uri, number, this.meter));
		}
		for (int number : List.of(1, 10, 100)) {
			compare(number, "polling", () -> ComparedLoads.polling(this.uri, number, this.meter));
		}
		this.report.chart("load", chart());
	}

	private boolean elections(int elections, int candidates, boolean spread) throws InterruptedException {
		String ledBy = spread ? SPREAD : ONE;
		List<String> problems = new ArrayList<>();
		this.report.row(String.format(Locale.ROOT, "%,d | %d | %s", elections, candidates, ledBy), () -> {
			try (Crowd crowd = new Crowd(this.uri, elections, candidates, TTL)) {
				String problem = crowd.start(spread);
				if (problem != null) {
					problems.add(problem);
					return List.of(problem);
				}
				long elected = crowd.elected();
				Load load = this.meter.measure(crowd::commands);
				long changes = crowd.elected() - elected;
				this.loads.put(elections + " " + candidates + " " + ledBy, load);
				targets();
				List<String> columns = new ArrayList<>(load.columns());
				if (changes > 0) {
					problems.add("not steady");
					columns.add(
							columns.remove(columns.size() - 1) + "; %d changes of leader meanwhile".formatted(changes));
				}
				return columns;
			}
		});
		return problems.isEmpty();
	}

	private void compare(int number, String by, Callable<Load> measurement) throws InterruptedException {
		this.report.row("%d | %s".formatted(number, by), () -> {
			Load load = measurement.call();
			this.loads.put(number + " " + by, load);
			return load.columns();
		});
	}

	private void targets() {
		compare(Target.LOAD_ONE, operations("1 10 " + ONE));
		compare(Target.LOAD_THOUSAND, ratio(Load::operationsPerSecond, "1000 10 " + ONE, "1 10 " + ONE));
		compare(Target.LOAD_THOUSAND_BYTES, ratio(Load::kilobytesPerSecond, "1000 10 " + ONE, "1 10 " + ONE));
		compare(Target.LOAD_THOUSAND_CPU, ratio(Load::cpuMillisPerSecond, "1000 10 " + ONE, "1 10 " + ONE));
		compare(Target.LOAD_MANY, ratio(Load::operationsPerSecond, MOST + " 10 " + ONE, "1000 10 " + ONE));
		compare(Target.LOAD_MANY_BYTES, ratio(Load::kilobytesPerSecond, MOST + " 10 " + ONE, "1000 10 " + ONE));
		compare(Target.LOAD_SPREAD, operations("1000 50 " + SPREAD));
		compare(Target.LOAD_SPREAD_BYTES, value(Load::kilobytesPerSecond, "1000 50 " + SPREAD));
		compare(Target.LOAD_SPREAD_CPU, value(Load::cpuMillisPerSecond, "1000 50 " + SPREAD));
	}

	private void compare(Target target, double value) {
		if (!Double.isNaN(value)) {
			this.report.measured(target, value);
		}
	}

	private double operations(String key) {
		return value(Load::operationsPerSecond, key);
	}

	private double ratio(ToDoubleFunction<Load> measure, String key, String other) {
		return value(measure, key) / value(measure, other);
	}

	private double value(ToDoubleFunction<Load> measure, String key) {
		Load load = this.loads.get(key);
		return (load != null) ? measure.applyAsDouble(load) : Double.NaN;
	}

	private Chart chart() {
		Chart chart = new Chart("Operations per second, ten candidates or instances",
				List.of("this starter, TTL 20 s", "ShedLock, each second", "polling, each 2 s"));
		for (int number : List.of(1, 10, 100)) {
			chart.add((number == 1) ? "1 election or job" : number + " elections or jobs",
					operations(number + " 10 " + ONE), operations(number + " ShedLock"),
					operations(number + " polling"));
		}
		return chart;
	}

}
