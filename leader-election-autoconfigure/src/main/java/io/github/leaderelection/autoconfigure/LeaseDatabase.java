package io.github.leaderelection.autoconfigure;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import org.jspecify.annotations.Nullable;

/**
 * The database that keeps the leases. Not a bean of type {@link MongoDatabase}, since the
 * application may have one.
 *
 * @param database the database
 * @param ownClient the client that was created for it and is closed with it, {@code null}
 * if the client is the application's
 */
record LeaseDatabase(MongoDatabase database, @Nullable MongoClient ownClient) implements AutoCloseable {

	LeaseDatabase(MongoDatabase database) {
		this(database, null);
	}

	@Override
	public void close() {
		if (this.ownClient != null) {
			this.ownClient.close();
		}
	}

}
