package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Tests for {@link MongoRecordStore} on three nodes.
 */
@Tag("deep")
class MongoRecordStoreThreeNodeTests extends MongoRecordStoreContractTests {

	private final MongoReplicaSet replicaSet = MongoReplicaSet.start(3);

	@Override
	String uri() {
		return this.replicaSet.uri();
	}

	@AfterAll
	void stop() {
		this.replicaSet.close();
	}

}
