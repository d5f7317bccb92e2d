package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.SharedMongo;

/**
 * Tests for the sessions of {@link MongoLeaseStore} on one node.
 */
class MongoSessionTests extends MongoSessionContractTests {

	@Override
	String uri() {
		return SharedMongo.uri();
	}

}
