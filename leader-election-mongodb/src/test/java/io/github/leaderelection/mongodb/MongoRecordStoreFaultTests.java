package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordKind.FieldType;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import io.github.leaderelection.store.StoredRecord;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for {@link MongoRecordStore} while its servers fail.
 */
@Tag("deep")
class MongoRecordStoreFaultTests {

	private static final Duration PATIENT = Duration.ofSeconds(60);

	private static final Duration IMPATIENT = Duration.ofMillis(700);

	/** Far above the time limit, and far below the driver's own timeouts. */
	private static final Duration BOUND = Duration.ofSeconds(15);

	private static final String ID = "nightly-report";

	private static final RecordKind KIND = new RecordKind("records", Map.of("text", FieldType.TEXT), "text");

	private static MongoReplicaSet replicaSet;

	private MongoClient client;

	private MongoDatabase database;

	private RecordStore store;

	@BeforeAll
	static void startServers() {
		replicaSet = MongoReplicaSet.start(3, "--setParameter", "enableTestCommands=1");
	}

	@AfterAll
	static void stopServers() {
		replicaSet.close();
	}

	@BeforeEach
	void connect() {
		// The driver must not retry by itself.
		this.client = MongoClients.create(replicaSet.uri() + "&w=1&retryWrites=false&retryReads=false");
		this.database = this.client.getDatabase(SharedMongo.uniqueDatabase());
		this.store = store(this.database);
		// The primary may have just changed.
		await().atMost(PATIENT)
			.ignoreExceptions()
			.until(() -> !this.store.insert(List.of(record(ID, 1)), PATIENT).isEmpty() || read(ID) != null);
	}

	@AfterEach
	void disconnect() {
		replicaSet.nodes().stream().filter(MongoNode::isPaused).forEach(MongoNode::resume);
		replicaSet.start();
		this.client.close();
	}

	@Test
	void callsOnPausedServersEndInTime() {
		// All of them, so no other becomes the primary meanwhile.
		replicaSet.nodes().forEach(MongoNode::pause);
		assertUnknownInTime(() -> this.store.insert(List.of(record("other", 1)), IMPATIENT));
		assertUnknownInTime(() -> this.store.replace(List.of(record(ID, 2)), IMPATIENT));
		assertUnknownInTime(() -> this.store.remove(List.of(record(ID, 1)), IMPATIENT));
		assertUnknownInTime(() -> this.store.replace(List.of(record(ID, 2), record("other", 2)), IMPATIENT));
		assertUnknownInTime(() -> this.store.read(List.of(ID), IMPATIENT));
		assertUnknownInTime(() -> this.store.find(query(Duration.ofDays(1)), IMPATIENT));
		assertUnknownInTime(() -> this.store.sum(List.of("x"), IMPATIENT));
		assertUnknownInTime(() -> this.store.now(IMPATIENT));
	}

	@Test
	void watchOfPausedServersBreaksInTime() {
		RecordWatch watch = this.store.watch();
		replicaSet.nodes().forEach(MongoNode::pause);
		assertUnknownInTime(() -> {
			// The first wait may have ended on the server just before.
			watch.next();
			watch.next();
		});
		assertUnknownInTime(this.store::watch);
		assertTimeoutPreemptively(BOUND, watch::close);
	}

	@Test
	void watchShowsChangesAfterAFailover() {
		try (RecordWatch watch = this.store.watch()) {
			replicaSet.stepDown();
			await().atMost(PATIENT)
				.ignoreExceptions()
				.until(() -> !this.store.replace(List.of(record(ID, 2)), IMPATIENT).isEmpty()
						|| read(ID).revision() == 2);
			await().atMost(PATIENT).until(watch::next, RecordChange.of(record(ID, 2))::equals);
		}
	}

	@Test
	void outcomeWithoutMajorityIsUnknown() {
		replicaSet.secondaries().forEach(MongoNode::pause);
		// The primary steps down only some time later, and accepts writes until then.
		assertUnknownInTime(() -> this.store.replace(List.of(record(ID, 2)), IMPATIENT));
		assertUnknownInTime(() -> this.store.replace(List.of(record(ID, 2)), IMPATIENT));
		assertUnknownInTime(() -> this.store.replace(List.of(record(ID, 3), record("two", 2)), IMPATIENT));
		assertUnknownInTime(() -> this.store.insert(List.of(record("other", 1)), IMPATIENT));
		assertUnknownInTime(() -> this.store.insert(List.of(record("other", 1)), IMPATIENT));
		assertUnknownInTime(() -> this.store.remove(List.of(record(ID, 2)), IMPATIENT));
	}

	@Test
	void writeOnThePrimaryAloneIsInDoubtUntilRead() {
		writeOnPrimaryAlone("insert");
		assertUnknownInTime(() -> this.store.insert(List.of(record("other", 1)), PATIENT));
		assertThat(this.store.insert(List.of(record("other", 1)), PATIENT)).isEmpty();
		writeOnPrimaryAlone("findAndModify");
		assertUnknownInTime(() -> this.store.replace(List.of(record(ID, 2)), PATIENT));
		assertThat(this.store.replace(List.of(record(ID, 2)), PATIENT)).isEmpty();
		assertThat(read(ID)).isEqualTo(record(ID, 2));
		writeOnPrimaryAlone("update");
		List<StoredRecord> two = List.of(record(ID, 3), record("other", 2));
		assertUnknownInTime(() -> this.store.replace(two, PATIENT));
		assertThat(this.store.replace(two, PATIENT)).isEmpty();
		assertThat(read(ID)).isEqualTo(record(ID, 3));
		writeOnPrimaryAlone("delete");
		assertUnknownInTime(() -> this.store.remove(List.of(record(ID, 3)), PATIENT));
		// A majority may not have it yet, and a read shows only what a majority has.
		assertThat(this.store.remove(List.of(record(ID, 3)), PATIENT)).isEmpty();
		assertThat(read(ID)).isNull();
	}

	/** The command was not executed, and the client got no answer. */
	@ParameterizedTest
	@ValueSource(strings = { "insert", "findAndModify", "find", "delete" })
	void callInDoubtSucceedsWhenRepeated(String command) {
		closeConnection(command);
		repeatUntilAnswered(() -> this.store.insert(List.of(record("other", 1)), PATIENT));
		closeConnection(command);
		repeatUntilAnswered(() -> this.store.replace(List.of(record(ID, 2)), PATIENT));
		closeConnection(command);
		repeatUntilAnswered(() -> assertThat(read(ID)).isEqualTo(record(ID, 2)));
		closeConnection(command);
		repeatUntilAnswered(() -> this.store.remove(List.of(record(ID, 2)), PATIENT));
		failCommand("off", new Document());
		assertThat(this.store.read(List.of(ID, "other"), PATIENT).records()).containsOnlyKeys("other");
	}

	@Test
	void replaceWorksWithoutFindAndModify() {
		refuse("findAndModify");
		assertThat(this.store.replace(List.of(record(ID, 2)), PATIENT)).containsExactly(ID);
		assertThat(this.store.replace(List.of(record(ID, 2)), PATIENT)).isEmpty();
		assertThat(read(ID)).isEqualTo(record(ID, 2));
	}

	@Test
	void messageOfAFailureHasNoCredentials() {
		String uri = replicaSet.uri().replace("mongodb://", "mongodb://someone:secret@");
		try (MongoClient stranger = MongoClients.create(uri)) {
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> store(stranger.getDatabase("jobs")).read(List.of(ID), PATIENT))
				.withMessageContaining("Could not read 1 record in 'jobs.records'")
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("secret", "someone"));
		}
	}

	@Test
	void standaloneServerIsSupported() {
		try (MongoStandalone standalone = MongoStandalone.start();
				MongoClient alone = MongoClients.create(standalone.uri())) {
			RecordStore lonely = store(alone.getDatabase("jobs"));
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lonely::watch)
				.withMessageContaining("not a member of a replica set");
			assertThat(lonely.insert(List.of(record(ID, 1)), PATIENT)).containsExactly(ID);
			assertThat(lonely.replace(List.of(record(ID, 2)), PATIENT)).containsExactly(ID);
			assertThat(lonely.read(List.of(ID), PATIENT).records()).containsOnlyKeys(ID);
			assertThat(lonely.remove(List.of(record(ID, 2)), PATIENT)).containsExactly(ID);
		}
	}

	private static RecordStore store(MongoDatabase database) {
		return new MongoRecordStore(database, "records", KIND, Duration.ofSeconds(1));
	}

	private static StoredRecord record(String id, long revision) {
		return new StoredRecord(id, revision, Map.of("text", "revision " + revision));
	}

	private StoredRecord read(String id) {
		return this.store.read(List.of(id), PATIENT).records().get(id);
	}

	private static RecordQuery query(Duration unchangedFor) {
		return new RecordQuery("revision 2", unchangedFor, 10);
	}

	private void refuse(String command) {
		failCommand(new Document("times", 1),
				new Document("errorCode", 17276).append("failCommands", List.of(command)));
	}

	/** Let the next such command be executed, but not acknowledged by a majority. */
	private void writeOnPrimaryAlone(String command) {
		failCommand(new Document("times", 1), new Document("failCommands", List.of(command)).append("writeConcernError",
				new Document("code", 64).append("errmsg", "waiting for replication timed out")));
	}

	private void closeConnection(String command) {
		failCommand(new Document("times", 1),
				new Document("failCommands", List.of(command)).append("closeConnection", true));
	}

	private void failCommand(Object mode, Document data) {
		this.client.getDatabase("admin")
			.withTimeout(PATIENT.toMillis(), TimeUnit.MILLISECONDS)
			.runCommand(new Document("configureFailPoint", "failCommand").append("mode", mode).append("data", data),
					ReadPreference.primary());
	}

	private static void repeatUntilAnswered(Runnable call) {
		await().atMost(PATIENT).ignoreExceptionsInstanceOf(LeaseStoreException.class).until(() -> {
			call.run();
			return true;
		});
	}

	private static void assertUnknownInTime(ThrowingCallable call) {
		assertTimeoutPreemptively(BOUND, () -> assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call));
	}

}
