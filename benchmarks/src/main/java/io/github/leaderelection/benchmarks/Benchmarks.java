package io.github.leaderelection.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;

import io.github.leaderelection.launcher.MongoReplicaSet;

/**
 * Runs all measurements and writes the report.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Run.
	 * @param args where the report goes
	 * @throws Exception if something can't be measured
	 */
	public static void main(String[] args) throws Exception {
		Report report = new Report();
		try (MongoReplicaSet mongo = MongoReplicaSet.start(3)) {
			Handovers.measure(mongo.uri(), report);
			Failovers.measure(mongo.uri(), report);
			Storms.measure(mongo.uri(), report);
			Loads.measure(mongo, report);
		}
		Files.writeString(Path.of(args[0]), report.toString());
	}

}
