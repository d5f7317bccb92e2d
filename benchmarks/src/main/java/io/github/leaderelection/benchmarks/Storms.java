package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.List;

import io.github.leaderelection.benchmarks.Fleet.Elected;
import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * What happens when the leader of everything is killed.
 */
final class Storms {

	private static final int ELECTIONS = 100;

	private static final int FOLLOWERS = 49;

	private static final Duration TTL = Duration.ofSeconds(20);

	private Storms() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws Exception {
		report.title("Storm");
		report.paragraph("""
				One process leads 100 elections, TTL 20 s, and 49 candidates in another process follow. The first is
				killed. Commands are those of all followers from then on until all elections are led again. Lost are
				changes that found a lease other than expected: mostly takings that others came before.
				""");
		try (Fleet fleet = new Fleet(mongo.uri(), ELECTIONS, TTL);
				VictimProcess victim = VictimProcess.start(mongo.uri(), fleet.database(), ELECTIONS, TTL)) {
			fleet.follow(FOLLOWERS);
			Commands commands = fleet.commands().count();
			long misses = fleet.commands().misses();
			long killed = victim.kill();
			Fleet.await(() -> fleet.elected().size() >= ELECTIONS);
			Commands needed = fleet.commands().count().minus(commands);
			long lost = fleet.commands().misses() - misses;
			double seconds = (fleet.elected().stream().mapToLong(Elected::nanos).max().orElseThrow() - killed) / 1e9;
			double beyond = seconds - TTL.toSeconds();
			report.table(List.of("all led again after", "less the TTL", "commands", "by name", "lost"),
					List.of(List.of(Samples.format(seconds) + " s", Samples.format(beyond) + " s",
							Long.toString(needed.total()), needed.describe(1), Long.toString(lost))));
			report.measured(Target.STORM, beyond);
		}
	}

}
