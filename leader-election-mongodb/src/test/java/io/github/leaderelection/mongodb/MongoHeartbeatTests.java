package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.SharedMongo;

/**
 * Tests for the heartbeats of {@link MongoLeaseStore} on one node.
 */
class MongoHeartbeatTests extends MongoHeartbeatContractTests {

	@Override
	String uri() {
		return SharedMongo.uri();
	}

}
