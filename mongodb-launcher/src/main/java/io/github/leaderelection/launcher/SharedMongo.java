package io.github.leaderelection.launcher;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * One server for all tests of this JVM that do not stop it: the one that the environment
 * variable {@code MONGODB_URI} names, or a replica set of one node that is started at
 * first use and ends with the JVM. Tests stay apart by each using a
 * {@linkplain #uniqueDatabase() database of its own}.
 */
public final class SharedMongo {

	private static @Nullable MongoReplicaSet replicaSet;

	private SharedMongo() {
	}

	/**
	 * The URI of the shared server, without a database of its own choice.
	 * @return the URI
	 * @throws MongodNotFoundException when none is named and none can be started
	 */
	public static String uri() {
		String configured = System.getenv("MONGODB_URI");
		return (configured != null && !configured.isBlank()) ? configured : replicaSet().uri();
	}

	/**
	 * The name of a database that nobody has used.
	 * @return the name
	 */
	public static String uniqueDatabase() {
		return "test-" + UUID.randomUUID();
	}

	// It ends with the JVM even so: no shutdown hook, which would take it away from those
	// that still use it in theirs.
	private static synchronized MongoReplicaSet replicaSet() {
		if (replicaSet == null) {
			replicaSet = MongoReplicaSet.start(1, "--setParameter", "ttlMonitorSleepSecs=1");
		}
		return replicaSet;
	}

}
