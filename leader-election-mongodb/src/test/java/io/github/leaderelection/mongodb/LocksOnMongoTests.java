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
import io.github.leaderelection.store.LockStoreContractTests;
import org.junit.jupiter.api.AfterEach;

/**
 * Tests of {@link RecordLeaseStore} on a real MongoDB, for locks.
 */
class LocksOnMongoTests extends LockStoreContractTests {

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	/** Changes come soon, and some tests wait until nothing has happened. */
	private final RecordLeaseStore store = RecordLeaseStore
		.forLocks(new MongoRecordStores(this.database, Map.of(), Duration.ofSeconds(1)), "shop.");

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
	protected void pass() {
		// The clock is that of the server.
	}

	@Override
	protected void vanish(String election) {
		this.database.getCollection(MongoStores.LOCKS)
			.withWriteConcern(WriteConcern.MAJORITY)
			.deleteOne(Filters.eq("lock:shop." + election));
	}

}
