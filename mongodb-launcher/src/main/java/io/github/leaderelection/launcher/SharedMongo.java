package io.github.leaderelection.launcher;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * One server for all tests of this JVM that do not stop it: the server that the
 * environment variable {@code MONGODB_URI} names, or a replica set of one node that
 * starts at first use and ends with the JVM. Tests are kept apart by each using a
 * {@linkplain #uniqueDatabase() database of its own}.
 */
public final class SharedMongo {

	private static @Nullable MongoReplicaSet replicaSet;

	private SharedMongo() {
	}

	/**
	 * Return the URI of the shared server. Callers choose the database themselves.
	 * @return the URI
	 * @throws MongodNotFoundException if no server is named and none can be started
	 */
	public static String uri() {
		String configured = System.getenv("MONGODB_URI");
		return (configured != null && !configured.isBlank()) ? configured : replicaSet().uri();
	}

	/**
	 * Return a database name that has never been used.
	 * @return the name
	 */
	public static String uniqueDatabase() {
		return "test-" + UUID.randomUUID();
	}

	// The server ends with the JVM anyway. A shutdown hook of ours could end it while
	// other hooks still use it.
	private static synchronized MongoReplicaSet replicaSet() {
		if (replicaSet == null) {
			replicaSet = MongoReplicaSet.start(1, "--setParameter", "ttlMonitorSleepSecs=1");
		}
		return replicaSet;
	}

}
