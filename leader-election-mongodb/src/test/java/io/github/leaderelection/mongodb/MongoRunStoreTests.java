package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.SharedMongo;

/**
 * Tests for {@link MongoRunStore} on one node.
 */
class MongoRunStoreTests extends MongoRunStoreContractTests {

	@Override
	String uri() {
		return SharedMongo.uri();
	}

}
