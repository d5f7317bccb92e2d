package io.github.leaderelection.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import org.bson.Document;

/**
 * The load of the servers of a replica set until now.
 *
 * @param bytes the bytes they received and sent, between servers too
 * @param cpuMillis their processor time
 */
record ServerLoad(long bytes, long cpuMillis) {

	private static final long MILLIS_PER_TICK = 10;

	static ServerLoad of(MongoReplicaSet mongo) {
		long bytes = 0;
		long ticks = 0;
		for (MongoNode node : mongo.nodes()) {
			try (MongoClient client = MongoClients
				.create("mongodb://%s/?directConnection=true".formatted(node.address()))) {
				Document network = client.getDatabase("admin")
					.runCommand(new Document("serverStatus", 1))
					.get("network", Document.class);
				bytes += network.get("bytesIn", Number.class).longValue()
						+ network.get("bytesOut", Number.class).longValue();
			}
			ticks += ticks(node.pid());
		}
		return new ServerLoad(bytes, ticks * MILLIS_PER_TICK);
	}

	private static long ticks(long pid) {
		try {
			String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
			// The name of the program, in parentheses, may contain spaces.
			List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1));
			return Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	ServerLoad since(ServerLoad earlier) {
		return new ServerLoad(this.bytes - earlier.bytes, this.cpuMillis - earlier.cpuMillis);
	}

}
