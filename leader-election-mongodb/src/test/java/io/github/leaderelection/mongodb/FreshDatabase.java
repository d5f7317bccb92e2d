package io.github.leaderelection.mongodb;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.SharedMongo;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A separate database for each test, on the server that all tests share. It is dropped
 * after the test has closed its own resources.
 */
public final class FreshDatabase implements AfterEachCallback {

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	public MongoClient client() {
		return this.client;
	}

	public MongoDatabase database() {
		return this.database;
	}

	public String name() {
		return this.database.getName();
	}

	/** Return the properties with which an application uses it. */
	public String[] properties() {
		return new String[] { "spring.mongodb.uri=" + SharedMongo.uri(), "spring.mongodb.database=" + name() };
	}

	@Override
	public void afterEach(ExtensionContext context) {
		this.database.drop();
		this.client.close();
	}

}
