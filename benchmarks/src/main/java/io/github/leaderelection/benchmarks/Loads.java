package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * What elections ask of the database while nothing happens.
 */
final class Loads {

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final Duration TIME = Duration.ofSeconds(30);

	private Loads() {
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		report.title("Load of the database");
		report.paragraph(
				"""
						In steady state, TTL 20 s, all candidates in one JVM with clients of their own. Operations are the commands
						that candidates send, change streams included; bytes and processor time are those of all three servers,
						less what they need when nobody is there.
						""");
		ServerLoad idle = idle(mongo);
		List<List<String>> rows = new ArrayList<>();
		for (int elections : List.of(1, 10, 100, 1000)) {
			for (int candidates : List.of(1, 10, 50)) {
				rows.add(row(mongo, elections, candidates, idle));
			}
		}
		report.table(List.of("elections", "candidates", "operations/s", "kB/s", "CPU ms/s"), rows);
	}

	private static ServerLoad idle(MongoReplicaSet mongo) throws InterruptedException {
		ServerLoad before = ServerLoad.of(mongo);
		Thread.sleep(TIME.toMillis());
		return ServerLoad.of(mongo).since(before);
	}

	private static List<String> row(MongoReplicaSet mongo, int elections, int candidates, ServerLoad idle)
			throws InterruptedException {
		try (Fleet fleet = new Fleet(mongo.uri(), elections, TTL)) {
			try {
				fleet.start(candidates);
			}
			catch (IllegalStateException ex) {
				return List.of(Integer.toString(elections), Integer.toString(candidates), "no steady state", "", "");
			}
			ServerLoad before = ServerLoad.of(mongo);
			long commands = fleet.commands().count();
			Thread.sleep(TIME.toMillis());
			double perSecond = (fleet.commands().count() - commands) / (double) TIME.toSeconds();
			ServerLoad load = ServerLoad.of(mongo).since(before).since(idle);
			return List.of(Integer.toString(elections), Integer.toString(candidates), Samples.format(perSecond),
					Samples.format(load.bytes() / 1000.0 / TIME.toSeconds()),
					Samples.format((double) load.cpuMillis() / TIME.toSeconds()));
		}
	}

}
