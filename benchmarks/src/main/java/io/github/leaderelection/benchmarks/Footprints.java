package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.bson.Document;

/**
 * Measures what elections need in a process that stands in them.
 */
final class Footprints {

	private static final Duration TTL = Duration.ofSeconds(20);

	/** Threads that have notified listeners, and buffers of the driver, linger. */
	private static final Duration UNTIL_AT_REST = Duration.ofMinutes(2);

	private static final int CLIENTS = 10;

	private final Map<Integer, Long> heap = new TreeMap<>();

	private final MongoReplicaSet mongo;

	private final Report report;

	private Footprints(MongoReplicaSet mongo, Report report) {
		this.mongo = mongo;
		this.report = report;
	}

	static void measure(MongoReplicaSet mongo, Report report) throws InterruptedException {
		Footprints footprints = new Footprints(mongo, report);
		report.title("Footprint");
		footprints.processes();
		footprints.connections();
		footprints.jars();
	}

	private void processes() throws InterruptedException {
		this.report.paragraph(
				"""
						For a process that leads all elections: its leader election threads, by name, and its heap in use after garbage collections, including
						the driver's and everything else's. It is measured when nothing has changed for two minutes, because the driver keeps the buffers of large
						commands for one.
						""");
		this.report.table(List.of("elections", "threads", "heap, kB"));
		List<Long> threads = new ArrayList<>();
		for (int elections : List.of(1, 10, 100, 1000)) {
			this.report.row(String.format(Locale.ROOT, "%,d", elections), () -> {
				try (Crowd crowd = new Crowd(this.mongo.uri(), elections, 1, TTL)) {
					String problem = crowd.start(false);
					if (problem != null) {
						throw new IllegalStateException(problem);
					}
					Thread.sleep(UNTIL_AT_REST.toMillis());
					long number = crowd.threads();
					long bytes = crowd.heap();
					threads.add(number);
					this.heap.put(elections, bytes);
					return List.of(Long.toString(number), Samples.number(Math.rint(bytes / 1000.0)));
				}
			});
		}
		threads.stream().max(Long::compare).ifPresent((most) -> this.report.measured(Target.THREADS, most));
		Long hundred = this.heap.get(100);
		Long thousand = this.heap.get(1000);
		if (hundred != null && thousand != null) {
			double each = (thousand - hundred) / 900.0 / 1000;
			this.report
				.paragraph("From 100 to 1,000 elections that is %s kB per election.".formatted(Samples.format(each)));
			this.report.measured(Target.HEAP, each);
		}
	}

	private void connections() throws InterruptedException {
		this.report.paragraph(
				"""
						Connections to all three servers, as the servers report them. A candidate uses the client that the application has anyway.
						""");
		this.report.table(List.of("per client", "connections"));
		long before = connectionsAtRest();
		this.report.row("that has sent one command", () -> {
			List<MongoClient> clients = new ArrayList<>();
			try {
				for (int i = 0; i < CLIENTS; i++) {
					clients.add(MongoClients.create(this.mongo.uri()));
				}
				clients.forEach((client) -> client.getDatabase("admin").runCommand(new Document("ping", 1)));
				return List.of(Samples.format((connectionsAtRest() - before) / (double) CLIENTS));
			}
			finally {
				clients.forEach(MongoClient::close);
			}
		});
		this.report.row("with a candidate", () -> {
			long without = connectionsAtRest();
			try (Crowd crowd = new Crowd(this.mongo.uri(), 1, CLIENTS, TTL)) {
				crowd.start(false);
				return List.of(Samples.format((connectionsAtRest() - without) / (double) CLIENTS));
			}
		});
	}

	/** Return the number of open connections, once it has not changed for a while. */
	private long connectionsAtRest() throws InterruptedException {
		long connections = connectionsNow();
		int same = 0;
		for (int i = 0; i < 40 && same < 6; i++) {
			Thread.sleep(500);
			long now = connectionsNow();
			same = (now == connections) ? same + 1 : 0;
			connections = now;
		}
		return connections;
	}

	private long connectionsNow() {
		long connections = 0;
		for (MongoNode node : this.mongo.nodes()) {
			try (MongoClient client = MongoClients
				.create("mongodb://%s/?directConnection=true".formatted(node.address()))) {
				connections += client.getDatabase("admin")
					.runCommand(new Document("serverStatus", 1))
					.get("connections", Document.class)
					.get("current", Number.class)
					.longValue();
			}
		}
		return connections;
	}

	private void jars() {
		ClassPath classPath = ClassPath.current();
		Set<String> added = classPath.closure("leader-election-starter");
		added.removeAll(classPath.closure("spring-boot-starter-mongodb"));
		this.report.paragraph("The starter adds to a class path with `spring-boot-starter-mongodb`: " + added.stream()
			.map((artifact) -> "`%s`, %s kB".formatted(artifact, Samples.format(classPath.bytes(artifact) / 1000.0)))
			.collect(Collectors.joining("; ")) + ".");
	}

}
