package io.github.leaderelection.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.leaderelection.launcher.MongoReplicaSet;

import org.springframework.boot.SpringBootVersion;

/**
 * Runs all measurements, and writes the report.
 */
public final class Benchmarks {

	private static final Map<String, Measurement> MEASUREMENTS = new LinkedHashMap<>();

	static {
		MEASUREMENTS.put("gate", Gates::measure);
		MEASUREMENTS.put("handover", Handovers::measure);
		MEASUREMENTS.put("failover", Failovers::measure);
		MEASUREMENTS.put("storm", Storms::measure);
		MEASUREMENTS.put("answers", Answers::measure);
		MEASUREMENTS.put("load", Loads::measure);
	}

	private Benchmarks() {
	}

	/**
	 * Measure.
	 * @param args where the report goes, and what to measure if not everything
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
			Collection<String> names = (args.length > 1) ? List.of(args).subList(1, args.length)
					: MEASUREMENTS.keySet();
			for (String name : names) {
				Objects.requireNonNull(MEASUREMENTS.get(name), name).measure(mongo, report);
				// After each, so that a failure costs what follows only.
				Files.writeString(Path.of(args[0]), report.toString().stripTrailing() + "\n");
			}
		}
	}

	private interface Measurement {

		void measure(MongoReplicaSet mongo, Report report) throws Exception;

	}

}
