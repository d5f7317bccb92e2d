package io.github.leaderelection.benchmarks;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;

/**
 * Databases that measurements leave behind.
 */
final class Databases {

	private Databases() {
	}

	static void drop(String uri, String database) {
		try (MongoClient client = MongoClients.create(uri)) {
			client.getDatabase(database).drop();
		}
	}

}
