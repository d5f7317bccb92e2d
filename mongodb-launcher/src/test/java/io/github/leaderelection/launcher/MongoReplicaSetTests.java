package io.github.leaderelection.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

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

	@Test
	void aReservedSetIsAbsentUntilItIsStarted() {
		try (MongoReplicaSet reserved = MongoReplicaSet.reserve(1)) {
			String uri = reserved.uri();
			try (MongoClient client = MongoClients.create(uri + "&serverSelectionTimeoutMS=100")) {
				assertThatExceptionOfType(MongoTimeoutException.class).isThrownBy(() -> insert(client, 1));
			}
			reserved.start();
			assertThat(reserved.uri()).isEqualTo(uri);
			try (MongoClient client = MongoClients.create(uri)) {
				insert(client, 1);
			}
		}
	}

	/**
	 * Before 6.0.27 a compressed message makes it send what is in its memory
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
	void argumentsReachTheServer() {
		try (MongoReplicaSet one = MongoReplicaSet.start(1, "--setParameter", "ttlMonitorSleepSecs=7");
				MongoClient client = MongoClients.create(one.uri())) {
			Document reply = client.getDatabase("admin")
				.runCommand(new Document("getParameter", 1).append("ttlMonitorSleepSecs", 1));
			assertThat(reply).containsEntry("ttlMonitorSleepSecs", 7);
		}
	}

	@Test
	void aSetWithAuthorizationServesNobodyWhoHasNotAuthenticated() {
		try (MongoReplicaSet one = MongoReplicaSet.startWithAuthorization(1)) {
			try (MongoClient stranger = MongoClients.create(one.uri())) {
				assertThatExceptionOfType(MongoCommandException.class).isThrownBy(() -> insert(stranger, 1))
					.withMessageContaining("error 13 (Unauthorized)");
				stranger.getDatabase("admin")
					.runCommand(new Document("createUser", "root").append("pwd", "secret")
						.append("roles", List.of("root")));
			}
			try (MongoClient root = MongoClients.create(one.uri().replace("mongodb://", "mongodb://root:secret@"))) {
				insert(root, 1);
			}
		}
	}

	@Test
	void aServerThatRefusesItsArgumentsIsAnErrorWithTheEndOfItsLog() {
		assertThatIllegalStateException().isThrownBy(() -> MongoReplicaSet.start(1, "--noSuchOption"))
			.withMessageContaining("unrecognised option");
	}

	@Test
	void anotherNodeBecomesPrimaryWhenThePrimaryIsKilled() {
		try (MongoClient client = MongoClients.create(three.uri())) {
			MongoNode first = three.primary();
			first.kill();
			assertThat(three.primary()).isNotSameAs(first);
			insert(client, 3);
			three.start();
			assertThat(first.isRunning()).isTrue();
		}
	}

	@Test
	void anotherNodeBecomesPrimaryWhenThePrimaryIsPaused() {
		MongoNode first = three.primary();
		first.pause();
		assertThat(first.isPaused()).isTrue();
		assertThat(first.isRunning()).isTrue();
		assertThat(three.primary()).isNotSameAs(first);
		first.resume();
		// It may believe for a moment that it still leads.
		assertThat(three.primary()).isNotSameAs(first);
		three.start();
	}

	@Test
	void anotherNodeBecomesPrimaryWhenThePrimaryStepsDown() {
		MongoNode first = three.primary();
		assertThat(three.stepDown()).isNotSameAs(first);
		assertThat(three.secondaries()).hasSize(2).contains(first);
		three.start();
	}

	@Test
	void aNodeStepsUpEvenAfterItHasSteppedDown() {
		MongoNode first = three.primary();
		three.stepDown();
		three.stepUp(first);
		assertThat(three.primary()).isSameAs(first);
	}

	@Test
	@EnabledOnOs(OS.LINUX)
	void aNodeCanBeStartedByAnotherProgram() throws IOException {
		try (MongoReplicaSet one = MongoReplicaSet.reserve(1)) {
			MongoNode node = one.nodes().get(0);
			node.startBy("env", "STARTED_BY=test");
			one.start();
			assertThat(Files.readString(Path.of("/proc/" + node.pid() + "/environ"))).contains("STARTED_BY=test");
		}
	}

	@Test
	void allNodesCanBeStoppedAndStartedAgain() {
		List<Integer> ports = three.nodes().stream().map(MongoNode::port).toList();
		three.stop();
		assertThat(three.nodes()).noneMatch(MongoNode::isRunning);
		three.start();
		assertThat(three.nodes()).allMatch(MongoNode::isRunning);
		assertThat(three.nodes()).extracting(MongoNode::port).isEqualTo(ports);
	}

	@Test
	void aStandaloneServerTakesWritesAndIsNoMemberOfASet() {
		try (MongoStandalone standalone = MongoStandalone.start();
				MongoClient client = MongoClients.create(standalone.uri())) {
			insert(client, 1);
			assertThat(client.getDatabase("admin").runCommand(new Document("hello", 1))).doesNotContainKey("setName");
		}
	}

	@Test
	void theCommonServerTakesWrites() {
		assertThat(SharedMongo.uri()).isEqualTo(SharedMongo.uri());
		try (MongoClient client = MongoClients.create(SharedMongo.uri())) {
			String database = SharedMongo.uniqueDatabase();
			client.getDatabase(database).getCollection("items").insertOne(new Document("_id", 1));
			client.getDatabase(database).drop();
		}
	}

	private static void insert(MongoClient client, int id) {
		items(client).insertOne(new Document("_id", id));
	}

	private static MongoCollection<Document> items(MongoClient client) {
		return client.getDatabase("test").getCollection("items").withWriteConcern(WriteConcern.MAJORITY);
	}

}
