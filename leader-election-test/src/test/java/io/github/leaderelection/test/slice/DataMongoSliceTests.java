package io.github.leaderelection.test.slice;

import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.autoconfigure.MongoLeaderElectionAutoConfiguration;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.mongodb.test.autoconfigure.DataMongoTest;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.core.MongoTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * {@code @LeaderOnly} and the test kit in a slice of Spring Data MongoDB: no election
 * takes place in the database of a test, unless the test asks for it.
 */
class DataMongoSliceTests {

	private static final String DATABASE = SharedMongo.uniqueDatabase();

	@DynamicPropertySource
	static void mongo(DynamicPropertyRegistry properties) {
		properties.add("spring.mongodb.uri", SharedMongo::uri);
		properties.add("spring.mongodb.database", () -> DATABASE);
	}

	@Nested
	@DataMongoTest
	@Import(Cancellations.class)
	class Alone {

		@Autowired
		private Cancellations cancellations;

		@Autowired
		private MongoTemplate mongo;

		@AfterEach
		void dropDatabase() {
			this.mongo.getDb().drop();
		}

		@Test
		void thisProcessLeadsAndTheDatabaseIsLeftAlone() {
			assertThat(this.cancellations.cancel()).isEqualTo("invoices");
			this.mongo.insert(new Document("_id", 1), "things");
			assertThat(this.mongo.getCollectionNames()).containsExactly("things");
		}

	}

	@Nested
	@DataMongoTest
	@DirtiesContext
	@Import(Cancellations.class)
	@ImportAutoConfiguration(MongoLeaderElectionAutoConfiguration.class)
	class Real {

		@Autowired
		private Cancellations cancellations;

		@Autowired
		private MongoTemplate mongo;

		@Test
		void electionsTakePlaceInTheDatabase() {
			await().ignoreExceptions().until(() -> this.cancellations.cancel().equals("invoices"));
			assertThat(this.mongo.getCollection(MongoRecordStores.COLLECTIONS + "leases").countDocuments())
				.isEqualTo(1);
		}

	}

}
