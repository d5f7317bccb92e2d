package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.bson.Document;

/**
 * Describes the machine and the libraries of the measurements.
 */
final class Machine {

	private Machine() {
	}

	static String introduction(String title, MongoReplicaSet mongo) {
		return introduction(title, "a real replica set of three servers that share the machine with\nwhat is measured",
				"MongoDB %s and its driver %s".formatted(server(mongo),
						ClassPath.current().version("mongodb-driver-sync")),
				"");
	}

	/**
	 * Return the introduction of a page.
	 * @param title its title
	 * @param servers the servers, and that they share the machine
	 * @param database the database and its driver, with their versions
	 * @param others other libraries, with their versions
	 */
	static String introduction(String title, String servers, String database, String others) {
		ClassPath libraries = ClassPath.current();
		return """
				# %s

				Written by `./mvnw -Pbenchmarks -DskipTests verify -pl benchmarks -am`, on %s. \
				Compare only numbers in the same table; absolute times are those of this machine: %s, %d cores,
				%.1f GB of memory, %s %s.

				%s, Java %s, Spring Boot %s, ShedLock %s, Spring Integration %s%s.
				""".formatted(title, servers, value("/proc/cpuinfo", "model name"),
				Runtime.getRuntime().availableProcessors(), kilobytes(value("/proc/meminfo", "MemTotal")) / 1e6,
				System.getProperty("os.name"), System.getProperty("os.version").replaceFirst("-.*", ""), database,
				Runtime.version(), libraries.version("spring-boot"), libraries.version("shedlock-core"),
				libraries.version("spring-integration-core"), others);
	}

	private static String server(MongoReplicaSet mongo) {
		try (MongoClient client = MongoClients.create(mongo.uri())) {
			return client.getDatabase("admin").runCommand(new Document("buildInfo", 1)).getString("version");
		}
	}

	private static double kilobytes(String value) {
		String digits = value.replaceAll("\\D", "");
		return digits.isEmpty() ? Double.NaN : Double.parseDouble(digits);
	}

	/** Return the value of a key, or {@code unknown}. */
	private static String value(String file, String key) {
		try {
			return Files.readAllLines(Path.of(file))
				.stream()
				.filter((line) -> line.startsWith(key))
				.findFirst()
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.orElse("unknown");
		}
		catch (IOException ex) {
			return "unknown";
		}
	}

}
