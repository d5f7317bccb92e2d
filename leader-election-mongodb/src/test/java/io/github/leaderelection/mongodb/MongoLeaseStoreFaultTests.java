package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.launcher.MongoNode;
import io.github.leaderelection.launcher.MongoReplicaSet;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseStoreException;
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

	private static final LeaseClaim CLAIM = new LeaseClaim(ELECTION, "a", 1);

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
		this.store = new MongoLeaseStore(this.database, Duration.ofSeconds(1));
		// The primary may have just changed.
		await().atMost(PATIENT).ignoreExceptions().until(() -> {
			this.store.create(ELECTION, 0, TTL, IMPATIENT);
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
		// All of them: no other becomes the primary meanwhile.
		replicaSet.nodes().forEach(MongoNode::pause);
		assertUnknownInTime(() -> this.store.read(List.of(ELECTION), IMPATIENT));
		assertUnknownInTime(() -> this.store.create("other", 0, TTL, IMPATIENT));
		assertUnknownInTime(() -> this.store.take(vacant, CLAIM, TTL, IMPATIENT));
		assertUnknownInTime(() -> this.store.renew(List.of(CLAIM), IMPATIENT));
		assertUnknownInTime(() -> this.store.release(CLAIM, IMPATIENT));
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
		assertThat(this.store.create("held", 0, TTL, PATIENT)).isTrue();
		Lease held = this.store.read(List.of("held"), PATIENT).leases().get("held");
		LeaseClaim claim = new LeaseClaim("held", "a", 1);
		this.store.take(held, claim, TTL, PATIENT);
		replicaSet.secondaries().forEach(MongoNode::pause);
		// The primary steps down only some time later, and takes writes until then.
		assertUnknownInTime(() -> this.store.renew(List.of(claim), IMPATIENT));
		assertUnknownInTime(() -> this.store.take(vacant, CLAIM, TTL, IMPATIENT));
		assertUnknownInTime(() -> this.store.release(claim, IMPATIENT));
		assertUnknownInTime(() -> this.store.create("other", 0, TTL, IMPATIENT));
	}

	@Test
	void renewalThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		take();
		failCommand("update");
		assertUnknownInTime(() -> this.store.renew(List.of(CLAIM), PATIENT));
		await().atMost(PATIENT).until(() -> read().revision() == 2);
		assertThat(this.store.renew(List.of(CLAIM), PATIENT).renewed()).containsExactly(CLAIM);
	}

	@Test
	void renewalThatWasPartlyWrittenOnThePrimaryAloneIsInDoubt() {
		take();
		LeaseClaim former = new LeaseClaim(ELECTION, "a", 0);
		failCommand("update");
		assertUnknownInTime(() -> this.store.renew(List.of(CLAIM, former), PATIENT));
	}

	@Test
	void takingThatWasWrittenOnThePrimaryAloneIsNoTaking() {
		Lease vacant = read();
		failCommand("findAndModify");
		assertUnknownInTime(() -> this.store.take(vacant, CLAIM, TTL, PATIENT));
		await().atMost(PATIENT).until(() -> read().isHeldBy("a"));
	}

	@Test
	void releaseThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		take();
		failCommand("update");
		assertUnknownInTime(() -> this.store.release(CLAIM, PATIENT));
		assertThat(this.store.release(CLAIM, PATIENT)).isFalse();
	}

	@Test
	void creationThatWasWrittenOnThePrimaryAloneIsInDoubt() {
		failCommand("insert");
		assertUnknownInTime(() -> this.store.create("other", 0, TTL, PATIENT));
	}

	@Test
	void leaseSurvivesAFailover() {
		take();
		this.store.renew(List.of(CLAIM), PATIENT);
		replicaSet.primary().kill();
		await().atMost(PATIENT).ignoreExceptions().until(() -> read().isHeldBy("a"));
		assertThat(read().revision()).isEqualTo(2);
		await().atMost(PATIENT)
			.ignoreExceptions()
			.until(() -> this.store.renew(List.of(CLAIM), IMPATIENT).renewed().contains(CLAIM));
	}

	@Test
	void watchShowsWhatHappensAfterAFailover() {
		take();
		try (LeaseWatch watch = this.store.watch()) {
			replicaSet.stepDown();
			await().atMost(PATIENT)
				.ignoreExceptions()
				.until(() -> this.store.release(CLAIM, IMPATIENT) || read().isVacant());
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
			assertThat(lonely.create(ELECTION, 0, TTL, PATIENT)).isTrue();
			Lease vacant = lonely.read(List.of(ELECTION), PATIENT).leases().get(ELECTION);
			assertThat(lonely.take(vacant, CLAIM, TTL, PATIENT)).isPresent();
			assertThat(lonely.renew(List.of(CLAIM), PATIENT).renewed()).containsExactly(CLAIM);
			assertThat(lonely.release(CLAIM, PATIENT)).isTrue();
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
		assertThat(this.store.read(List.of(ELECTION), PATIENT)).satisfies((reading) -> {
			assertThat(reading.leases()).containsKey(ELECTION);
			assertThat(reading.readAt()).isNull();
		});
		assertThat(this.store.read(List.of(ELECTION), PATIENT).readAt()).as("asked but once").isNull();
	}

	private void take() {
		assertThat(this.store.take(read(), CLAIM, TTL, PATIENT)).isPresent();
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
