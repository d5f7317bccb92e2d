package io.github.leaderelection.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * Measures how much the starter adds to the start of an application.
 */
final class StartTimes {

	private static final String DATABASE = "start-times";

	private static final String WITHOUT = "without";

	private static final String PROXIED = "without, but with a Spring proxy";

	private static final String WITH = "with";

	private static final String DISABLED = "with, but not enabled";

	private static final int COLD = 15;

	private static final int WARM = 30;

	private static final int WARM_UP = 20;

	private final String without = classPath("spring-boot-starter-mongodb");

	private final String with = classPath("leader-election-starter");

	private final String uri;

	private final Report report;

	private StartTimes(String uri, Report report) {
		this.uri = uri;
		this.report = report;
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		report.title("Start of an application");
		report.paragraph(
				"""
						Milliseconds of `SpringApplication.run`, for the same application without a web server, with `spring-boot-starter-mongodb`, its client, and
						a bean with one `@LeaderOnly` method, which is the only bean to be proxied. It starts in turns without the starter on the class path,
						without it but with a Spring interceptor in front of that method that does nothing, with the starter, and with the starter but
						`leader-election.enabled=false`. Cold is from the beginning of `main` in a fresh JVM; warm is repeated in two JVMs, after %d starts in each.
						"""
					.formatted(WARM_UP));
		try {
			new StartTimes(mongo.uri(), report).measure();
		}
		finally {
			Databases.drop(mongo.uri(), DATABASE);
		}
	}

	private void measure() throws InterruptedException {
		Map<String, List<Double>> cold = cold();
		Map<String, List<Double>> warm = warm();
		this.report.table(Stream.concat(Stream.of("context"), Samples.TITLES.stream()).toList());
		double added = added("cold", cold, WITHOUT);
		double addedWarm = added("warm", warm, WITHOUT);
		this.report.measured(Target.START, added);
		double proxy = new Samples(cold.getOrDefault(PROXIED, List.of())).median()
				- new Samples(cold.getOrDefault(WITHOUT, List.of())).median();
		this.report.paragraph(
				"By the medians, the starter adds %s ms cold, of which Spring's first proxy alone takes %s ms, and %s ms warm."
					.formatted(Samples.format(added), Samples.format(proxy), Samples.format(addedWarm)));
	}

	private double added(String kind, Map<String, List<Double>> millis, String than) {
		Map<String, Double> medians = new TreeMap<>();
		millis.forEach((how, samples) -> {
			Samples times = new Samples(samples);
			medians.put(how, times.median());
			this.report.row(Stream.concat(Stream.of(kind + ", " + how), times.columns().stream()).toList());
		});
		return medians.getOrDefault(WITH, Double.NaN) - medians.getOrDefault(than, Double.NaN);
	}

	private Map<String, List<Double>> cold() throws InterruptedException {
		Map<String, List<Double>> millis = new TreeMap<>();
		for (int i = 0; i <= Rounds.of(COLD); i++) {
			Map<String, Double> round = Map.of(WITHOUT, start(this.without, "true"), PROXIED,
					start(this.without, StartedApplication.PROXIED), DISABLED, start(this.with, "false"), WITH,
					start(this.with, "true"));
			// The first round reads files that are not cached yet.
			if (i > 0) {
				add(round, millis);
			}
		}
		return millis;
	}

	private double start(String classPath, String how) throws InterruptedException {
		try (ChildJvm application = new ChildJvm(classPath, StartedApplication.class, this.uri, DATABASE, how)) {
			double millis = Double.parseDouble(application.answer());
			application.ask("close");
			return millis;
		}
	}

	private Map<String, List<Double>> warm() throws InterruptedException {
		Map<String, List<Double>> millis = new TreeMap<>();
		try (ChildJvm plain = warmed(this.without); ChildJvm added = warmed(this.with)) {
			int warmUp = Rounds.of(WARM_UP);
			for (int i = 0; i < warmUp + Rounds.of(WARM); i++) {
				Map<String, Double> round = Map.of(WITHOUT, Double.parseDouble(plain.ask("true")), WITH,
						Double.parseDouble(added.ask("true")));
				if (i >= warmUp) {
					add(round, millis);
				}
			}
		}
		return millis;
	}

	private ChildJvm warmed(String classPath) throws InterruptedException {
		ChildJvm application = new ChildJvm(classPath, StartedApplication.class, this.uri, DATABASE, "true");
		application.answer();
		application.ask("close");
		return application;
	}

	private static void add(Map<String, Double> round, Map<String, List<Double>> millis) {
		round.forEach((how, time) -> millis.computeIfAbsent(how, (first) -> new ArrayList<>()).add(time));
	}

	private static String classPath(String root) {
		ClassPath classPath = ClassPath.current();
		Set<String> artifacts = classPath.closure(root);
		artifacts.add("benchmarks");
		return classPath.of(artifacts);
	}

}
