package io.github.leaderelection.mongodb;

import io.github.leaderelection.launcher.SharedMongo;

/**
 * Tests for {@link MongoRecordStore} on one node.
 */
class MongoRecordStoreTests extends MongoRecordStoreContractTests {

	@Override
	String uri() {
		return SharedMongo.uri();
	}

}
