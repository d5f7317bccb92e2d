package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * Measures how long an election has no leader after the leader's process was killed.
 */
final class Failovers {

	private static final int KILLS = 30;

	private static final int AT_A_TIME = 6;

	private Failovers() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		report.title("Failover");
		report.paragraph(
				"""
						From SIGKILL of the leader's process until another candidate's listeners hear that it leads, on three servers, as a multiple of the TTL. Two
						candidates follow. The moment of the kill is random.
						""");
		report.table(Stream.concat(Stream.of("TTL"), Samples.TITLES.stream()).toList());
		for (Duration ttl : List.of(Duration.ofSeconds(3), Duration.ofSeconds(20))) {
			report.row(ttl.toSeconds() + " s", () -> {
				Samples multiples = new Samples(multiples(mongo.uri(), ttl));
				report.measuredMost(Target.FAILOVER_MEDIAN, multiples.median());
				report.measuredMost(Target.FAILOVER_MAX, multiples.percentile(100));
				return multiples.columns();
			});
		}
	}

	static List<Double> multiples(String uri, Duration ttl) throws Exception {
		List<Double> multiples = new ArrayList<>();
		Random random = new Random(1);
		while (multiples.size() < Rounds.of(KILLS)) {
			List<Fleet> fleets = new ArrayList<>();
			List<VictimProcess> victims = new ArrayList<>();
			try {
				for (int i = 0; i < AT_A_TIME; i++) {
					Fleet fleet = new Fleet(uri, 1, ttl);
					fleets.add(fleet);
					victims.add(VictimProcess.start(uri, fleet.database(), 1, ttl));
					fleet.follow(2);
				}
				List<Long> killed = new ArrayList<>();
				for (VictimProcess victim : victims) {
					Thread.sleep(random.nextLong(ttl.toMillis() / 4));
					killed.add(victim.kill());
				}
				for (int i = 0; i < AT_A_TIME; i++) {
					Fleet fleet = fleets.get(i);
					Fleet.await(() -> fleet.latest().isPresent());
					multiples.add((fleet.latest().orElseThrow().nanos() - killed.get(i)) / (double) ttl.toNanos());
				}
			}
			finally {
				victims.forEach(VictimProcess::close);
				fleets.forEach(Fleet::close);
			}
		}
		return multiples;
	}

}
