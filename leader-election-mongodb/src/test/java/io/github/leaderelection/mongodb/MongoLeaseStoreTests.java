package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.SharedMongo;

/**
 * Tests for {@link MongoLeaseStore} on one node.
 */
class MongoLeaseStoreTests extends MongoLeaseStoreContractTests {

	@Override
	String uri() {
		return SharedMongo.uri();
	}

}
