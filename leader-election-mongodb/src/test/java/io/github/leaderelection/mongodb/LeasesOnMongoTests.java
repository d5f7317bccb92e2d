package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Map;

import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreContractTests;
import io.github.leaderelection.store.RecordStores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests of {@link LeaseStore} on a real MongoDB.
 */
@Tag("deep")
class LeasesOnMongoTests extends LeaseStoreContractTests {

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	/** Short: changes come soon, and some tests wait until nothing has happened. */
	private final MongoRecordStores stores = new MongoRecordStores(this.mongo.database(), Map.of(),
			Duration.ofSeconds(1));

	@Override
	protected RecordStores stores() {
		return this.stores;
	}

	@Override
	protected void pass() {
		// The server's clock is used.
	}

}
