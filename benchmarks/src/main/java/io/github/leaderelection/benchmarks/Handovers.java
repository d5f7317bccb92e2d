package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.leaderelection.benchmarks.Terminations.Termination;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long an election has no leader when the leader leaves in good order.
 */
final class Handovers {

	private static final Duration TTL = Duration.ofSeconds(4);

	/**
	 * A candidate that resigned does not lead for a quarter of the TTL: others must.
	 */
	private static final Duration PAUSE = TTL.dividedBy(6);

	private final Report report;

	private final Chart chart = new Chart("Handover, milliseconds", List.of("median", "p99"));

	private Handovers(Report report) {
		this.report = report;
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		new Handovers(report).measure(mongo.uri());
	}

	private void measure(String uri) throws InterruptedException {
		this.report.title("Handover");
		this.report.paragraph(
				"""
						Milliseconds without a leader after the leader has left in good order, until another candidate's listeners hear that it leads.

						- On `resign`: three candidates with their own clients in one JVM, on the three servers.
						- On SIGTERM: the leader is a separate process, whose shutdown hook closes the engine; two candidates follow in another one. The time that
						  the JVM takes from the signal to its hooks is included, and all code that runs at the end runs for the first time.
						- Spring Integration: two `LockRegistryLeaderInitiator` in one JVM on its JDBC registry, not on MongoDB, with H2 in memory, which costs next
						  to nothing; from `stop` of the leader to `onGranted` of the other. The fastest sane settings are a heartbeat, a busy wait and an idle time
						  between tries of 50 ms each: each candidate then queries the database twenty times a second.
						- ShedLock has no leader. The table shows the time from when the instance that last ran a job goes away until another one runs it: a job
						  each second, two instances that were started at random times, `lockAtMostFor` 20 s, `lockAtLeastFor` 0.8 s. An instance killed while it
						  holds the lock blocks the job until `lockAtMostFor` is over.
						""");
		this.report.table(Stream.concat(Stream.of("milliseconds"), Samples.TITLES.stream()).toList());
		Samples resigned = row("`resign`", () -> resignations(uri, 200));
		if (resigned != null) {
			this.report.measured(Target.RELEASE_MEDIAN, resigned.median());
			this.report.measured(Target.RELEASE_P99, resigned.percentile(99));
		}
		List<Termination> terminations = new ArrayList<>();
		Samples terminated = row("SIGTERM", () -> {
			terminations.addAll(Terminations.measure(uri, 50));
			return terminations.stream().map((each) -> each.sinceSignal() / 1e6).toList();
		});
		if (terminated != null) {
			this.report.measured(Target.SIGTERM_MEDIAN, terminated.median());
			this.report.measured(Target.SIGTERM_P99, terminated.percentile(99));
			row("SIGTERM, from its shutdown hook on",
					() -> terminations.stream().map((each) -> each.sinceHook() / 1e6).toList());
		}
		DataSource h2 = Databases.h2();
		row("Spring Integration, defaults",
				() -> IntegrationHandovers.millis(IntegrationHandovers.DEFAULTS, 60, List.of(h2, h2)));
		row("Spring Integration, fastest sane settings",
				() -> IntegrationHandovers.millis(IntegrationHandovers.FASTEST, 60, List.of(h2, h2)));
		row("ShedLock, the next run elsewhere", () -> shedLock(uri, 40));
		this.report.chart("handover", this.chart);
	}

	private @Nullable Samples row(String label, Callable<List<Double>> millis) throws InterruptedException {
		List<Samples> measured = new ArrayList<>();
		this.report.row(label, () -> {
			Samples samples = new Samples(millis.call());
			measured.add(samples);
			this.chart.add(label, samples.median(), samples.percentile(99));
			return samples.columns();
		});
		return measured.isEmpty() ? null : measured.get(0);
	}

	static List<Double> shedLock(String uri, int number) throws Exception {
		String database = "shedlock-handovers";
		Random random = new Random(1);
		Databases.create(uri, database);
		try {
			return JobHandovers.millis(number, Duration.ofSeconds(1),
					(job) -> new LockedJobs(new CountedCommands().open(uri, database), 1, random, job));
		}
		finally {
			Databases.drop(uri, database);
		}
	}

	static List<Double> resignations(String uri, int number) throws InterruptedException {
		List<Double> millis = new ArrayList<>();
		try (Fleet fleet = new Fleet(uri, 1, TTL)) {
			fleet.start(3);
			String election = fleet.elections().get(0);
			for (int i = 0; i < Rounds.of(number); i++) {
				Thread.sleep(PAUSE.toMillis());
				fleet.settle();
				Member leader = fleet.leader(election).orElseThrow();
				long before = fleet.latest().orElseThrow().term();
				long begun = System.nanoTime();
				leader.engine().resign(election);
				Fleet.await(() -> fleet.latest().orElseThrow().term() > before);
				millis.add((fleet.latest().orElseThrow().nanos() - begun) / 1e6);
			}
		}
		return millis;
	}

}
