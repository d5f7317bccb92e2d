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
 * Measures the load of idle elections on the database, and that of alternatives.
 */
final class Loads {

	private static final int MOST = 10_000;

	private static final String ONE = "one candidate";

	private static final String SPREAD = "each its share";

	/** The numbers of jobs or elections in the comparison with others. */
	private static final List<Integer> COMPARED = List.of(1, 100);

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
						In steady state, for %d s. What each candidate publishes about itself is not included: two commands in two minutes. Each candidate has its
						own engine and client; ten share a JVM. Operations are the commands that candidates send, including change streams (`getMore`), but not the
						driver's monitoring. Bytes and processor time are those of all three servers, including what they send each other, minus what they need
						without any candidates. One candidate leads all elections, or each leads its share.
						"""
					.formatted(LoadMeter.WINDOW.toSeconds()));
		this.report
			.table(Stream.concat(Stream.of("elections", "candidates", "led by", "TTL"), LoadMeter.TITLES.stream())
				.toList());
		elections(1, 10, ONE, 20);
		elections(1, 10, ONE, 10);
		elections(1000, 10, ONE, 20);
		elections(MOST, 10, ONE, 20);
		elections(1, 2, ONE, 10);
		elections(1000, 2, ONE, 10);
		elections(1000, 50, SPREAD, 20);
		elections(100, 10, ONE, 20);
		elections(1, 1, ONE, 20);
		this.report.paragraph(
				"""
						For comparison, on ten instances, each with its own client:

						- ShedLock tries each job once a second on each instance, as `@Scheduled(fixedRate = 1000)` does, with a `lockAtLeastFor` of 0.8 s, so that
						  each job runs about once a second.
						- Polling works as in `client-go` with its default settings, separately for each election: the leader writes its lease every 2 s, and each
						  other candidate reads it every 2 to 4.4 s.
						""");
		this.report.table(Stream.concat(Stream.of("jobs or elections", "by"), LoadMeter.TITLES.stream()).toList());
		for (int number : COMPARED) {
			compare(number, "ShedLock", () -> ComparedLoads.shedLock(this.uri, number, this.meter));
		}
		for (int number : COMPARED) {
			compare(number, "polling", () -> ComparedLoads.polling(this.uri, number, this.meter));
		}
		this.report.chart("load", chart());
	}

	private void elections(int elections, int candidates, String ledBy, int ttl) throws InterruptedException {
		this.report.row(String.format(Locale.ROOT, "%,d | %d | %s | %d s", elections, candidates, ledBy, ttl), () -> {
			try (Crowd crowd = new Crowd(this.uri, elections, candidates, Duration.ofSeconds(ttl))) {
				String problem = crowd.start(ledBy.equals(SPREAD));
				if (problem != null) {
					return List.of(problem);
				}
				long elected = crowd.elected();
				Load load = this.meter.measure(crowd::commands);
				long changes = crowd.elected() - elected;
				this.loads.put(key(elections, candidates, ttl), load);
				targets();
				List<String> columns = new ArrayList<>(load.columns());
				if (changes > 0) {
					columns
						.add(columns.remove(columns.size() - 1) + "; the leader changed %d times".formatted(changes));
				}
				return columns;
			}
		});
	}

	private static String key(int elections, int candidates, int ttl) {
		return elections + " " + candidates + " " + ttl;
	}

	private void compare(int number, String by, Callable<Load> measurement) throws InterruptedException {
		this.report.row("%d | %s".formatted(number, by), () -> {
			Load load = measurement.call();
			this.loads.put(number + " " + by, load);
			return load.columns();
		});
	}

	private void targets() {
		String one = key(1, 10, 20);
		String thousand = key(1000, 10, 20);
		String many = key(MOST, 10, 20);
		String spread = key(1000, 50, 20);
		compare(Target.LOAD_ONE, value(Load::operationsPerSecond, one));
		compare(Target.LOAD_ONE_WRITES, value(Load::writesPerSecond, one));
		compare(Target.LOAD_ONE_BYTES, value(Load::kilobytesPerSecond, one));
		compare(Target.LOAD_ONE_SHORT, value(Load::requestsPerSecond, key(1, 10, 10)));
		compare(Target.LOAD_THOUSAND, ratio(Load::operationsPerSecond, thousand, one));
		compare(Target.LOAD_THOUSAND_BYTES, ratio(Load::kilobytesPerSecond, thousand, one));
		compare(Target.LOAD_THOUSAND_CPU, ratio(Load::cpuMillisPerSecond, thousand, one));
		compare(Target.LOAD_MANY, ratio(Load::operationsPerSecond, many, thousand));
		compare(Target.LOAD_MANY_BYTES, ratio(Load::kilobytesPerSecond, many, thousand));
		compare(Target.LOAD_PAIR_BYTES, ratio(Load::kilobytesPerSecond, key(1000, 2, 10), key(1, 2, 10)));
		compare(Target.LOAD_SPREAD, value(Load::operationsPerSecond, spread));
		compare(Target.LOAD_SPREAD_BYTES, value(Load::kilobytesPerSecond, spread));
		compare(Target.LOAD_SPREAD_CPU, value(Load::cpuMillisPerSecond, spread));
	}

	private void compare(Target target, double value) {
		if (!Double.isNaN(value)) {
			this.report.measured(target, value);
		}
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
		for (int number : COMPARED) {
			chart.add((number == 1) ? "1 election or job" : number + " elections or jobs",
					value(Load::operationsPerSecond, key(number, 10, 20)),
					value(Load::operationsPerSecond, number + " ShedLock"),
					value(Load::operationsPerSecond, number + " polling"));
		}
		return chart;
	}

}
