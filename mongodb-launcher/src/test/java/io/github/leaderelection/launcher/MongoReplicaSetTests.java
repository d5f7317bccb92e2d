package io.github.leaderelection.launcher;

import java.io.IOException;
import java.time.Duration;

import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("deep")
class MongoReplicaSetTests {

	private static MongoReplicaSet three;

	@BeforeAll
	static void start() {
		three = MongoReplicaSet.start(3);
	}

	@AfterAll
	static void close() {
		three.close();
	}

	@Test
	void aNodeKeepsPortAndDataWhenItIsStoppedOrKilled() {
		try (MongoReplicaSet one = MongoReplicaSet.start(1); MongoClient client = MongoClients.create(one.uri())) {
			MongoNode node = one.primary();
			int port = node.port();
			insert(client, 1);
			node.stop();
			assertThat(node.isRunning()).isFalse();
			assertThatIllegalStateException().isThrownBy(node::pid);
			one.start();
			insert(client, 2);
			node.kill();
			one.start();
			assertThat(node.port()).isEqualTo(port);
			assertThat(items(client).countDocuments()).isEqualTo(2);
		}
	}

	/**
	 * Before 6.0.27 a compressed message can make a server reveal its memory
	 * (CVE-2025-14847).
	 */
	@Test
	void noServerTakesCompressedMessages() throws IOException {
		BsonDocument reply = ServerCommand.run(three.primary().port(),
				BsonDocument.parse("{hello: 1, compression: ['snappy', 'zlib', 'zstd']}"), Duration.ofSeconds(10));
		assertThat(ServerCommand.isOk(reply)).isTrue();
		assertThat(reply).doesNotContainKey("compression");
	}

	@Test
	void aFailedStartIsReportedWithTheEndOfTheLog() {
		assertThatIllegalStateException().isThrownBy(() -> MongoReplicaSet.start(1, "--noSuchOption"))
			.withMessageContaining("unrecognised option");
	}

	@Test
	void anotherNodeBecomesPrimaryWhenThePrimaryIsPaused() {
		MongoNode first = three.primary();
		first.pause();
		assertThat(first.isPaused()).isTrue();
		assertThat(first.isRunning()).isTrue();
		assertThat(three.primary()).isNotSameAs(first);
		first.resume();
		// It may still consider itself the primary for a moment.
		assertThat(three.primary()).isNotSameAs(first);
		three.start();
	}

	@Test
	void aNodeStepsUpEvenAfterItHasSteppedDown() {
		MongoNode first = three.primary();
		assertThat(three.stepDown()).isNotSameAs(first);
		assertThat(three.secondaries()).hasSize(2).contains(first);
		three.stepUp(first);
		assertThat(three.primary()).isSameAs(first);
	}

	private static void insert(MongoClient client, int id) {
		items(client).insertOne(new Document("_id", id));
	}

	private static MongoCollection<Document> items(MongoClient client) {
		return client.getDatabase("test").getCollection("items").withWriteConcern(WriteConcern.MAJORITY);
	}

}
