package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.Map;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.github.leaderelection.launcher.SharedMongo;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link MongoRecordStore} on one node.
 */
class MongoRecordStoreTests extends MongoRecordStoreContractTests {

	@Override
	String uri() {
		return SharedMongo.uri();
	}

	@Test
	void watchThatWouldWaitForTooLongIsRefused() {
		try (MongoClient client = MongoClients.create(uri())) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> new MongoRecordStores(client.getDatabase("a"), Map.of(), Duration.ofSeconds(31)))
				.withMessage("The server can't wait 31 s for a change. Use 30 s at most");
		}
	}

}
