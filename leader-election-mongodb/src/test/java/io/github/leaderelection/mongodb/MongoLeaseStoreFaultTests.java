package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests for {@link MongoLeaseStore} while its servers fail.
 */
@Tag("deep")
class MongoLeaseStoreFaultTests {

	private static final Duration TTL = Duration.ofSeconds(20);

	private static final Duration PATIENT = Duration.ofSeconds(60);

	private static final Duration IMPATIENT = Duration.ofMillis(700);

	/** Far above the time limit, and as far below what the driver waits by itself. */
	private static final Duration BOUND = Duration.ofSeconds(15);

	private static final String ELECTION = "nightly-report";

	private static final Session SESSION = Session.first("a", 1, TTL);

	private static MongoReplicaSet replicaSet;

	private MongoClient client;

	private MongoDatabase database;

	private MongoLeaseStore store;

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
		this.client = MongoClients.create(replicaSet.uri() + "&w=1");
		this.database = this.client.getDatabase(SharedMongo.uniqueDatabase());
		this.store = new MongoLeaseStore(this.database, null, Duration.ofSeconds(1));
		// The primary may have just changed.
		await().atMost(PATIENT).ignoreExceptions().until(() -> {
			create(ELECTION, IMPATIENT);
			return read().term() == 0;
		});
	}

	@AfterEach
	void disconnect() {
		replicaSet.nodes().stream().filter(MongoNode::isPaused).forEach(MongoNode::resume);
		replicaSet.start();
		this.client.close();
	}

	@Test
	void callsOnPausedServersEndInTime() {
		Lease vacant = read();
		this.store.create(SESSION, PATIENT);
		// All of them: no other becomes the primary meanwhile.
		replicaSet.nodes().forEach(MongoNode::pause);
		assertUnknownInTime(() -> this.store.read(List.of(ELECTION), IMPATIENT));
		assertUnknownInTime(() -> create("other", IMPATIENT));
		assertUnknownInTime(() -> take(vacant, IMPATIENT));
		assertUnknownInTime(() -> release(vacant, IMPATIENT));
		assertUnknownInTime(() -> this.store.create(SESSION, IMPATIENT));
		assertUnknownInTime(() -> this.store.renew(revision(2), IMPATIENT));
		assertUnknownInTime(() -> this.store.expire(SESSION, IMPATIENT));
		assertUnknownInTime(() -> this.store.close(SESSION, IMPATIENT));
		assertUnknownInTime(() -> this.store.sessions(List.of(), IMPATIENT));
	}

	@Test
	void watchOfPausedServersBreaksInTime() {
		LeaseWatch watch = this.store.watch();
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
	void whatNoMajorityHasIsNeverReportedAsDone() {
		Lease vacant = read();
		assertThat(create("held", PATIENT)).isTrue();
		Lease held = take(this.store.read(List.of("held"), PATIENT).leases().get("held"), PATIENT);
		Session other = Session.first("b", 1, TTL);
		this.store.create(SESSION, PATIENT);
		this.store.create(other, PATIENT);
		replicaSet.secondaries().forEach(MongoNode::pause);
		// The primary steps down only some time later, and takes writes until then.
		assertUnknownInTime(() -> this.store.renew(revision(2), IMPATIENT));
		assertUnknownInTime(() -> take(vacant, IMPATIENT));
		assertUnknownInTime(() -> release(held, IMPATIENT));
		assertUnknownInTime(() -> create("other", IMPATIENT));
		assertUnknownInTime(() -> this.store.expire(other, IMPATIENT));
		assertUnknownInTime(() -> this.store.close(other, IMPATIENT));
		assertUnknownInTime(() -> this.store.create(Session.first("c", 1, TTL), IMPATIENT));
	}

	@Test
	void renewalThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		this.store.create(SESSION, PATIENT);
		failCommand("findAndModify");
		assertUnknownInTime(() -> this.store.renew(revision(2), PATIENT));
		await().atMost(PATIENT).until(() -> session().revision() == 2);
		assertThat(this.store.renew(revision(3), PATIENT)).isTrue();
	}

	@Test
	void endThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		this.store.create(SESSION, PATIENT);
		failCommand("update");
		assertUnknownInTime(() -> this.store.expire(SESSION, PATIENT));
		await().atMost(PATIENT).until(() -> session().ended());
		assertThat(this.store.expire(SESSION, PATIENT)).isFalse();
	}

	@Test
	void creationOfASessionThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		failCommand("insert");
		assertUnknownInTime(() -> this.store.create(SESSION, PATIENT));
		assertThat(this.store.create(SESSION, PATIENT)).isFalse();
	}

	@Test
	void removalThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		this.store.create(SESSION, PATIENT);
		failCommand("delete");
		assertUnknownInTime(() -> this.store.close(SESSION, PATIENT));
	}

	@Test
	void takingThatWasWrittenOnThePrimaryAloneIsNoTaking() {
		Lease vacant = read();
		failCommand("findAndModify");
		assertUnknownInTime(() -> take(vacant, PATIENT));
		await().atMost(PATIENT).until(() -> read().isHeldBy("a"));
	}

	@Test
	void releaseThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		Lease held = take(read(), PATIENT);
		failCommand("update");
		assertUnknownInTime(() -> release(held, PATIENT));
		assertThat(release(held, PATIENT)).isFalse();
	}

	@Test
	void creationThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		failCommand("insert");
		assertUnknownInTime(() -> create("other", PATIENT));
	}

	@Test
	void leaseAndSessionSurviveAFailover() {
		Lease held = take(read(), PATIENT);
		this.store.create(SESSION, PATIENT);
		assertThat(this.store.renew(revision(2), PATIENT)).isTrue();
		replicaSet.primary().kill();
		await().atMost(PATIENT).ignoreExceptions().until(() -> read().equals(held));
		assertThat(session().revision()).isEqualTo(2);
		// One that was without an answer may have been made.
		await().atMost(PATIENT)
			.ignoreExceptions()
			.until(() -> this.store.renew(revision(3), IMPATIENT) || session().revision() == 3);
	}

	@Test
	void watchShowsWhatHappensAfterAFailover() {
		Lease held = take(read(), PATIENT);
		try (LeaseWatch watch = this.store.watch()) {
			replicaSet.stepDown();
			await().atMost(PATIENT).ignoreExceptions().until(() -> release(held, IMPATIENT) || read().isVacant());
			long released = read().revision();
			await().atMost(PATIENT).until(() -> {
				var change = watch.next();
				return change != null && change.lease() != null && change.lease().revision() == released;
			});
		}
	}

	@Test
	void standaloneServerHasNoWatch() {
		try (MongoStandalone standalone = MongoStandalone.start();
				MongoClient alone = MongoClients.create(standalone.uri())) {
			MongoLeaseStore lonely = new MongoLeaseStore(alone.getDatabase("jobs"));
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(lonely::watch)
				.withMessageContaining("no member of a replica set");
			this.store = lonely;
			assertThat(create(ELECTION, PATIENT)).isTrue();
			Lease held = take(read(), PATIENT);
			assertThat(lonely.create(SESSION, PATIENT)).isTrue();
			assertThat(lonely.renew(revision(2), PATIENT)).isTrue();
			assertThat(lonely.expire(session(), PATIENT)).isTrue();
			assertThat(release(held, PATIENT)).isTrue();
		}
	}

	@Test
	void messageOfAFailureHasNoCredentials() {
		String uri = replicaSet.uri().replace("mongodb://", "mongodb://someone:secret@");
		try (MongoClient stranger = MongoClients.create(uri)) {
			MongoLeaseStore refused = new MongoLeaseStore(stranger.getDatabase("jobs"));
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> refused.read(List.of(ELECTION), PATIENT))
				.withMessageContaining("Could not read 1 leases in 'jobs.leader_election_leases'")
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("secret", "someone"));
		}
	}

	@Test
	void readsWithoutTheTimeFromServerThatRefusesToTell() {
		// As one would that does not know the variable.
		failCommand("find", new Document("errorCode", 17276));
		assertThat(read()).isNotNull();
		this.store.create(SESSION, PATIENT);
		assertThat(this.store.renew(revision(2), PATIENT)).isTrue();
		assertThat(session().revision()).isEqualTo(2);
		failCommand("find", new Document("errorCode", 17276));
		assertThat(this.store.sessions(List.of(), PATIENT)).satisfies((reading) -> {
			assertThat(reading.sessions().get(SESSION.id()).revision()).isEqualTo(2);
			assertThat(reading.readAt()).isNull();
		});
		assertThat(this.store.sessions(List.of(), PATIENT).readAt()).as("asked but once").isNull();
		assertThat(this.store.renew(revision(3), PATIENT)).isTrue();
		assertThat(session().revision()).isEqualTo(3);
	}

	@Test
	void renewsOnServerThatRefusesToTellTheTime() {
		this.store.create(SESSION, PATIENT);
		failCommand("findAndModify", new Document("errorCode", 17276));
		assertThat(this.store.renew(revision(2), PATIENT)).isTrue();
		assertThat(session().revision()).isEqualTo(2);
	}

	@Test
	void readsManyLeasesFromServerThatRefusesToAddThemUp() {
		List<String> elections = IntStream.range(0, 40).mapToObj((index) -> "e" + index).toList();
		this.store.create(elections.stream().map((each) -> Lease.vacant(each, 1, 0, TTL)).toList(), PATIENT);
		this.store.take(this.store.read(elections, PATIENT)
			.leases()
			.values()
			.stream()
			.map((each) -> LeaseTaking.of(each, SESSION, 2))
			.toList(), PATIENT);
		Map<String, Lease> known = this.store.read(elections, PATIENT).leases();
		failCommand("aggregate", new Document("errorCode", 59));
		assertThat(this.store.read(elections, known.values(), PATIENT).leases()).isEqualTo(known);
		assertThat(known.values()).noneMatch(Lease::isVacant);
	}

	private boolean create(String election, Duration timeout) {
		return !this.store.create(List.of(Lease.vacant(election, 0, 0, TTL)), timeout).isEmpty();
	}

	private Lease take(Lease expected, Duration timeout) {
		Lease taken = this.store.take(List.of(LeaseTaking.of(expected, SESSION, 1)), timeout).get(expected.election());
		assertThat(taken).isNotNull();
		return taken;
	}

	private boolean release(Lease expected, Duration timeout) {
		return this.store.release(List.of(new LeaseRelease(expected, null)), timeout) == 1;
	}

	private static Session revision(long revision) {
		return new Session(SESSION.candidate(), SESSION.number(), revision, TTL, null, false);
	}

	private Session session() {
		return this.store.sessions(List.of(SESSION.id()), PATIENT).sessions().get(SESSION.id());
	}

	private Lease read() {
		return this.store.read(List.of(ELECTION), PATIENT).leases().get(ELECTION);
	}

	/** Let the next such command be written, but not acknowledged by a majority. */
	private void failCommand(String name) {
		failCommand(name, new Document("writeConcernError",
				new Document("code", 64).append("errmsg", "waiting for replication timed out")));
	}

	private void failCommand(String name, Document failure) {
		Document data = new Document(failure).append("failCommands", List.of(name));
		this.client.getDatabase("admin")
			.withTimeout(PATIENT.toMillis(), TimeUnit.MILLISECONDS)
			.runCommand(new Document("configureFailPoint", "failCommand").append("mode", new Document("times", 1))
				.append("data", data), ReadPreference.primary());
	}

	private static void assertUnknownInTime(ThrowingCallable call) {
		assertTimeoutPreemptively(BOUND, () -> assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call));
	}

}
