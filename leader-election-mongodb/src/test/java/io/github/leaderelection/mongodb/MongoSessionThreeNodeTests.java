package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.MongoReplicaSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Tests for the sessions of {@link MongoLeaseStore} on three nodes.
 */
@Tag("deep")
class MongoSessionThreeNodeTests extends MongoSessionContractTests {

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
