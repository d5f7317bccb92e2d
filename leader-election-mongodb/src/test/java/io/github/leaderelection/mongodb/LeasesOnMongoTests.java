package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Map;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreContractTests;
import io.github.leaderelection.store.LockStoreContractTests;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.SessionStoreContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests of {@link RecordLeaseStore} on a real MongoDB.
 */
@Tag("deep")
class LeasesOnMongoTests {

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	/** Changes come soon, and some tests wait until nothing has happened. */
	private final MongoRecordStores stores = new MongoRecordStores(this.database, Map.of(), Duration.ofSeconds(1));

	private final LeaseStore elections = RecordLeaseStore.forElections(this.stores, "shop.");

	private final LeaseStore locks = RecordLeaseStore.forLocks(this.stores, "shop.");

	private void vanish(String collection, String id) {
		this.database.getCollection(collection).withWriteConcern(WriteConcern.MAJORITY).deleteOne(Filters.eq(id));
	}

	@Nested
	class Elections extends LeaseStoreContractTests {

		@Override
		protected LeaseStore store() {
			return LeasesOnMongoTests.this.elections;
		}

		@Override
		protected void vanish(String election) {
			LeasesOnMongoTests.this.vanish(MongoStores.LEASES, "shop." + election);
		}

	}

	@Nested
	class Locks extends LockStoreContractTests {

		@Override
		protected LeaseStore store() {
			return LeasesOnMongoTests.this.locks;
		}

		@Override
		protected void pass() {
			// The clock is that of the server.
		}

		@Override
		protected void vanish(String election) {
			LeasesOnMongoTests.this.vanish(MongoStores.LOCKS, "lock:shop." + election);
		}

	}

	@Nested
	class Sessions extends SessionStoreContractTests {

		@Override
		protected LeaseStore store() {
			return LeasesOnMongoTests.this.elections;
		}

		@Override
		protected void vanish(String id) {
			LeasesOnMongoTests.this.vanish(MongoStores.SESSIONS, id);
		}

	}

}
