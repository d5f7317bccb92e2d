package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.LeaseStoreException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link MongoSelfCheck}.
 */
class MongoSelfCheckTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final EngineStatus PUSHED = new EngineStatus(null, true, null, List.of(), List.of(), List.of());

	private static final EngineStatus POLLED = new EngineStatus(null, false, "no change streams", List.of(), List.of(),
			List.of());

	private static final EngineStatus FRESH = new EngineStatus(null, false, null, List.of(), List.of(), List.of());

	@Test
	void replicaSetIsDescribedInOneLine() {
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			MongoDatabase database = client.getDatabase(SharedMongo.uniqueDatabase());
			MongoSelfCheck check = new MongoSelfCheck(database);
			assertThat(check.describe(PUSHED, TIMEOUT)).matches("Leases are kept in database '" + database.getName()
					+ "' on MongoDB \\d+\\.\\d+\\S*, "
					+ "replica set '\\S+': writes wait for \\d of \\d known members; servers [\\w.]+:\\d+; changes are pushed; "
					+ "the server's clock .*\\(for information, nothing depends on it\\)");
			database.drop();
		}
	}

	@Test
	@Tag("deep")
	void majorityOfThreeIsTwo() {
		try (MongoReplicaSet set = MongoReplicaSet.start(3); MongoClient client = MongoClients.create(set.uri())) {
			MongoSelfCheck check = new MongoSelfCheck(client.getDatabase("shop"));
			assertThat(check.describe(PUSHED, TIMEOUT))
				.contains("replica set 'rs0': writes wait for 2 of 3 known members")
				.contains("; servers ")
				.contains(client.getClusterDescription()
					.getServerDescriptions()
					.stream()
					.map((server) -> server.getAddress().toString())
					.toList());
		}
	}

	@Test
	void standaloneServerAndReasonForPollingAreReported() {
		try (MongoStandalone server = MongoStandalone.start(); MongoClient client = MongoClients.create(server.uri())) {
			MongoSelfCheck check = new MongoSelfCheck(client.getDatabase("shop"));
			assertThat(check.describe(POLLED, TIMEOUT)).contains("standalone server: writes wait for it alone",
					"changes are polled (no change streams)");
		}
	}

	@Test
	void serverThatDoesNotAnswerIsNotDescribed() {
		try (MongoReplicaSet set = MongoReplicaSet.reserve(1); MongoClient client = MongoClients.create(set.uri())) {
			MongoSelfCheck check = new MongoSelfCheck(client.getDatabase("shop"));
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> check.describe(PUSHED, Duration.ofMillis(200)))
				.withMessageContaining("connection refused by");
		}
	}

	@Test
	void clocksAreCompared() {
		assertThat(MongoSelfCheck.clock(1_000, 1_522, 1_020))
			.isEqualTo("the server's clock is 512 ms ahead of this one");
		assertThat(MongoSelfCheck.clock(1_000, 510, 1_020)).isEqualTo("the server's clock is 500 ms behind this one");
	}

}
