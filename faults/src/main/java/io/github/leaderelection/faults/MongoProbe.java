package io.github.leaderelection.faults;

import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.UpdateOptions;
import org.bson.Document;

/**
 * Checks whether a majority of MongoDB's servers acknowledges a write.
 */
final class MongoProbe implements Servers.Probe {

	private static final Document SELF = new Document("_id", "majority");

	private final MongoClient client;

	MongoProbe(String uri) {
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri))
			.writeConcern(WriteConcern.MAJORITY)
			.retryWrites(false)
			.timeout(1, TimeUnit.SECONDS)
			.build());
	}

	@Override
	public boolean isAnswered() {
		try {
			this.client.getDatabase(MongoServers.DATABASE)
				.getCollection("probes")
				.updateOne(SELF, new Document("$inc", new Document("number", 1)), new UpdateOptions().upsert(true));
			return true;
		}
		catch (MongoException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.client.close();
	}

}
