package io.github.leaderelection.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.github.leaderelection.launcher.MongoReplicaSet;

import org.springframework.boot.SpringBootVersion;

/**
 * Runs all measurements, and writes the report.
 */
public final class Benchmarks {

	private static final List<Measurement> MEASUREMENTS = List.of(Gates::measure, Handovers::measure,
			Failovers::measure, Storms::measure, Answers::measure, Loads::measure);

	private Benchmarks() {
	}

	/**
	 * Measure everything.
	 * @param args where the report goes
	 * @throws Exception if something can't be measured
	 */
	public static void main(String[] args) throws Exception {
		Report report = new Report();
		report.paragraph("# Benchmarks");
		report.paragraph(
				"""
						Written by `./mvnw -Pbenchmarks -DskipTests verify -pl benchmarks -am`, on a real replica set of three servers
						that share the machine with what is measured: %d cores, Java %s, Spring Boot %s. Compare what stands in one
						table; absolute times are those of this machine.
						"""
					.formatted(Runtime.getRuntime().availableProcessors(), Runtime.version(),
							SpringBootVersion.getVersion()));
		try (MongoReplicaSet mongo = MongoReplicaSet.start(3)) {
			for (Measurement measurement : MEASUREMENTS) {
				measurement.measure(mongo, report);
				// After each, so that a failure costs what follows only.
				Files.writeString(Path.of(args[0]), report.toString().stripTrailing() + "\n");
			}
		}
	}

	private interface Measurement {

		void measure(MongoReplicaSet mongo, Report report) throws Exception;

	}

}
