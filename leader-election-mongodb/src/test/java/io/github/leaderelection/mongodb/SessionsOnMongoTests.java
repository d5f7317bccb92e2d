package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Map;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.SessionStoreContractTests;
import org.junit.jupiter.api.AfterEach;

/**
 * Tests of {@link RecordLeaseStore} on a real MongoDB, for sessions.
 */
class SessionsOnMongoTests extends SessionStoreContractTests {

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	/** Changes come soon, and some tests wait until nothing has happened. */
	private final RecordLeaseStore store = RecordLeaseStore
		.forElections(new MongoRecordStores(this.database, Map.of(), Duration.ofSeconds(1)), "shop.");

	@AfterEach
	void drop() {
		this.database.drop();
		this.client.close();
	}

	@Override
	protected LeaseStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.database.getCollection(MongoStores.SESSIONS)
			.withWriteConcern(WriteConcern.MAJORITY)
			.deleteOne(Filters.eq(id));
	}

}
