package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Cause;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
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
 * Tests for {@link MongoRunStore} while its servers fail.
 */
@Tag("deep")
class MongoRunStoreFaultTests {

	private static final Duration PATIENT = Duration.ofSeconds(60);

	private static final Duration IMPATIENT = Duration.ofMillis(700);

	/** Far above the time limit, and as far below what the driver waits by itself. */
	private static final Duration BOUND = Duration.ofSeconds(15);

	private static final JobKey JOB = new JobKey("billing", "nightly-report");

	private static final Instant AS_OF = Instant.parse("2025-03-01T00:00:00Z");

	private static final Instant FIRST = AS_OF.plusSeconds(60);

	private static final RunStart START = new RunStart(run("one", FIRST), null);

	private static final RunEnd END = new RunEnd(JOB, "one", Outcome.SUCCEEDED);

	private static final RunEnd WITHDRAWAL = new RunEnd(JOB, "one", Outcome.WITHDRAWN);

	private static MongoReplicaSet replicaSet;

	private MongoClient client;

	private MongoDatabase database;

	private MongoRunStore store;

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
		// The driver shall not repeat by itself what has failed.
		this.client = MongoClients.create(replicaSet.uri() + "&w=1&retryWrites=false&retryReads=false");
		this.database = this.client.getDatabase(SharedMongo.uniqueDatabase());
		this.store = new MongoRunStore(this.database);
		// The primary may have just changed.
		await().atMost(PATIENT).ignoreExceptions().until(() -> open(1, PATIENT) != null);
	}

	@AfterEach
	void disconnect() {
		replicaSet.nodes().stream().filter(MongoNode::isPaused).forEach(MongoNode::resume);
		replicaSet.start();
		this.client.close();
	}

	@Test
	void callsOnPausedServersEndInTime() {
		// All of them: no other becomes the primary meanwhile.
		replicaSet.nodes().forEach(MongoNode::pause);
		assertUnknownInTime(() -> open(1, IMPATIENT));
		assertUnknownInTime(() -> this.store.start(START, IMPATIENT));
		assertUnknownInTime(() -> this.store.finish(END, IMPATIENT));
		assertUnknownInTime(() -> this.store.finish(WITHDRAWAL, IMPATIENT));
		assertUnknownInTime(() -> this.store.cover(cover(JOB, AS_OF, FIRST), IMPATIENT));
		assertUnknownInTime(() -> this.store.find(List.of(JOB), IMPATIENT));
	}

	@Test
	void whatNoMajorityHasIsNeitherReportedAsDoneNorAsNotDone() {
		JobKey other = new JobKey("billing", "other");
		this.store.open(List.of(new RunOpening(other, 1, "", AS_OF)), PATIENT);
		replicaSet.secondaries().forEach(MongoNode::pause);
		// The primary steps down only some time later, and takes writes until then.
		assertUnknownInTime(() -> this.store.start(START, IMPATIENT));
		assertUnknownInTime(() -> this.store.start(START, IMPATIENT));
		assertUnknownInTime(() -> this.store.start(new RunStart(run("two", FIRST), null), IMPATIENT));
		assertUnknownInTime(() -> this.store.cover(cover(other, AS_OF, FIRST), IMPATIENT));
		assertUnknownInTime(() -> this.store.cover(cover(other, AS_OF, FIRST), IMPATIENT));
		assertUnknownInTime(() -> this.store.finish(WITHDRAWAL, IMPATIENT));
		assertUnknownInTime(() -> this.store.open(List.of(new RunOpening(other, 2, "another", AS_OF)), IMPATIENT));
	}

	@Test
	void startThatWasWrittenOnThePrimaryAloneIsInDoubtUntilItIsRepeated() {
		writeOnPrimaryAlone("findAndModify");
		assertUnknownInTime(() -> this.store.start(START, PATIENT));
		assertThat(this.store.start(START, PATIENT).isLast("one")).isTrue();
		assertThat(this.store.start(new RunStart(run("two", FIRST), null), PATIENT).isLast("one")).isTrue();
	}

	@Test
	void startThatWasWrittenOnThePrimaryAloneCanBeWithdrawn() {
		writeOnPrimaryAlone("findAndModify");
		assertUnknownInTime(() -> this.store.start(START, PATIENT));
		assertThat(this.store.finish(WITHDRAWAL, PATIENT)).isTrue();
		assertThat(this.store.start(START, PATIENT).last().outcome()).isEqualTo(Outcome.WITHDRAWN);
		assertThat(this.store.start(new RunStart(run("two", FIRST), "one"), PATIENT).isLast("two")).isTrue();
	}

	@Test
	void openingThatWasWrittenOnThePrimaryAloneIsInDoubtUntilItIsRepeated() {
		writeOnPrimaryAlone("update");
		assertUnknownInTime(() -> open(2, PATIENT));
		assertThat(open(2, PATIENT).fence()).isEqualTo(2);
		assertThat(this.store.start(START, PATIENT).last()).isNull();
	}

	@Test
	void endAndSettlementThatWereWrittenOnThePrimaryAloneAreInDoubt() {
		this.store.start(START, PATIENT);
		writeOnPrimaryAlone("update");
		assertUnknownInTime(() -> this.store.finish(END, PATIENT));
		assertThat(this.store.finish(END, PATIENT)).isFalse();
		writeOnPrimaryAlone("update");
		assertUnknownInTime(() -> this.store.cover(cover(JOB, FIRST, FIRST.plusSeconds(60)), PATIENT));
		assertThat(this.store.cover(cover(JOB, FIRST, FIRST.plusSeconds(60)), PATIENT)).isFalse();
		RunRecord record = find();
		assertThat(record.skipped()).isEqualTo(1);
		assertThat(record.missed()).isEqualTo(3);
	}

	/** Nothing was done, and nobody was told. */
	@ParameterizedTest
	@ValueSource(strings = { "update", "find", "findAndModify" })
	void whatIsInDoubtIsDoneByRepeatingIt(String command) {
		closeConnection(command);
		repeatUntilAnswered(() -> open(2, PATIENT));
		RunStart start = new RunStart(run("one", FIRST, 2), null);
		closeConnection(command);
		repeatUntilAnswered(() -> assertThat(this.store.start(start, PATIENT).isLast("one")).isTrue());
		closeConnection(command);
		repeatUntilAnswered(() -> this.store.finish(END, PATIENT));
		closeConnection(command);
		repeatUntilAnswered(() -> this.store.cover(new RunCover(JOB, 2, FIRST, FIRST.plusSeconds(60), 1, 0), PATIENT));
		failCommand("off", new Document());
		RunRecord record = find();
		assertThat(record.fence()).isEqualTo(2);
		assertThat(record.last().outcome()).isEqualTo(Outcome.SUCCEEDED);
	}

	@Test
	void recordSurvivesAFailover() {
		this.store.start(START, PATIENT);
		replicaSet.primary().kill();
		await().atMost(PATIENT).ignoreExceptions().until(() -> find().isLast("one"));
		await().atMost(PATIENT).ignoreExceptions().until(() -> open(2, IMPATIENT).isLast("one"));
		assertThat(this.store.start(new RunStart(run("two", FIRST, 2), "one"), PATIENT).isLast("one")).isTrue();
	}

	@Test
	void readsPlainDocumentsFromAServerThatRefusesToTellSizes() {
		failCommand(new Document("times", 1),
				new Document("errorCode", 17276).append("failCommands", List.of("findAndModify")));
		assertThat(this.store.start(START, PATIENT).isLast("one")).isTrue();
		assertThat(find().isLast("one")).isTrue();
		assertThat(open(1, PATIENT).isLast("one")).isTrue();
	}

	@Test
	void standaloneServerWillDo() {
		try (MongoStandalone standalone = MongoStandalone.start();
				MongoClient alone = MongoClients.create(standalone.uri())) {
			MongoRunStore lonely = new MongoRunStore(alone.getDatabase("jobs"));
			lonely.open(List.of(new RunOpening(JOB, 1, "", AS_OF)), PATIENT);
			assertThat(lonely.start(START, PATIENT).isLast("one")).isTrue();
			assertThat(lonely.finish(END, PATIENT)).isTrue();
			assertThat(lonely.cover(cover(JOB, FIRST, FIRST.plusSeconds(60)), PATIENT)).isTrue();
		}
	}

	private static RunCover cover(JobKey job, Instant from, Instant until) {
		return new RunCover(job, 1, from, until, 1, 3);
	}

	private RunRecord open(long term, Duration timeout) {
		return this.store.open(List.of(new RunOpening(JOB, term, "", AS_OF)), timeout).records().get(JOB);
	}

	private RunRecord find() {
		return this.store.find(List.of(JOB), PATIENT).records().get(JOB);
	}

	private static JobRun run(String id, Instant fireTime) {
		return run(id, fireTime, 1);
	}

	private static JobRun run(String id, Instant fireTime, long term) {
		return new JobRun(id, JOB.election(), JOB.job(), fireTime, Cause.SCHEDULED, 1, term, "a", null, null,
				Outcome.RUNNING);
	}

	/** Let the next such command be written, but not acknowledged by a majority. */
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
