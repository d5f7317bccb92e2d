package io.github.leaderelection.benchmarks;

import java.io.IOException;
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
	 * @throws IOException if it can't be written
	 * @throws InterruptedException if interrupted
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		Report report = new Report();
		try (MongoReplicaSet mongo = MongoReplicaSet.start(3)) {
			Handovers.measure(mongo.uri(), report);
			Loads.measure(mongo, report);
		}
		Files.writeString(Path.of(args[0]), report.toString());
	}

}
