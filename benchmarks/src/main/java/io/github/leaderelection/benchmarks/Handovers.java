package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.leaderelection.benchmarks.Fleet.Member;
import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * How long an election is without a leader when the leader resigns: from the call of
 * {@code resign} until another candidate's listeners hear that it leads.
 */
final class Handovers {

	private static final int ROUNDS = 200;

	private static final Duration TTL = Duration.ofSeconds(4);

	/** Who has resigned stands aside for a quarter of the TTL: there must be others. */
	private static final Duration PAUSE = TTL.dividedBy(6);

	private Handovers() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		report.title("Handover");
		report.paragraph("""
				From `resign` until the successor's listeners hear that it leads, on three servers, three candidates
				with clients of their own in one JVM.
				""");
		List<Double> millis = new ArrayList<>();
		try (Fleet fleet = new Fleet(mongo.uri(), 1, TTL)) {
			fleet.start(3);
			String election = fleet.elections().get(0);
			for (int i = 0; i < ROUNDS; i++) {
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
		List<String> row = new ArrayList<>(List.of("pushed"));
		row.addAll(new Samples(millis).columns());
		report.table(Stream.concat(Stream.of("milliseconds"), Samples.TITLES.stream()).toList(), List.of(row));
	}

}
