package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Tests for {@link MongoRecordStore} on three nodes, with a client whose own settings
 * would be unsuitable for a store.
 */
@Tag("deep")
class MongoRecordStoreCarelessClientTests extends MongoRecordStoreContractTests {

	private final MongoReplicaSet replicaSet = MongoReplicaSet.start(3);

	@Override
	String uri() {
		return this.replicaSet.uri() + "&w=1&readPreference=secondaryPreferred&readConcernLevel=local"
				+ "&retryWrites=false&retryReads=false";
	}

	@AfterAll
	void stop() {
		this.replicaSet.close();
	}

}
