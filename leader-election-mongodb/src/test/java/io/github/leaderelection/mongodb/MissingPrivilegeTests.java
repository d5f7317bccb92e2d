package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.job.JobKey;
import io.github.leaderelection.job.RecordedJobs;
import io.github.leaderelection.job.StoredRuns;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests that a database user with missing privileges can do what the others allow, that
 * the log says once what is missing, and that no restart is needed when it is granted.
 */
@ExtendWith(LogCapture.class)
@Tag("deep")
class MissingPrivilegeTests {

	private static final String LEASES = MongoStores.LEASES;

	private static final String SESSIONS = MongoStores.SESSIONS;

	private static final String CANDIDATES = MongoStores.CANDIDATES;

	private static final String OUTAGE = "Leases can't be reached";

	private static final String END_OF_OUTAGE = "Leases can be reached again";

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final ElectionSettings SETTINGS = ElectionSettings.of(Duration.ofSeconds(4));

	private static final AtomicInteger users = new AtomicInteger();

	private static SecuredMongo mongo;

	private final String user = "job" + users.incrementAndGet();

	private final String shop = "shop" + users.get();

	private final List<AutoCloseable> resources = new ArrayList<>();

	@BeforeAll
	static void start() {
		mongo = new SecuredMongo();
	}

	@AfterAll
	static void stop() {
		mongo.close();
	}

	@BeforeEach
	void createUser() {
		mongo.createUser(this.user, "secret");
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	@Test
	void withoutChangeStreamsChangesArePolled(CapturedLog log) {
		grantAllWithout(LEASES, "changeStream");
		ElectionEngine first = engine("x");
		await().atMost(LONG).until(() -> first.isLeader("x"));
		ElectionEngine second = engine("x");
		await().atMost(LONG).until(() -> second.leader("x").equals(Optional.of(first.candidateId())));
		first.close();
		await().atMost(LONG).until(() -> second.isLeader("x"));
		assertThat(second.status().pushed()).isFalse();
		assertThat(second.status().outage()).isNull();
		MongoSelfCheck check = new MongoSelfCheck(client(this.user, "secret").getDatabase(this.shop));
		assertThat(check.describe(second.status(), LONG))
			.contains("changes are polled (the database user may not open a change stream");
		assertThat(log).contains("Changes of leases are not pushed; polling instead",
				"Grant it the actions find and changeStream there");
		assertThat(log).doesNotContain(OUTAGE);
	}

	@Test
	void withoutInsertOnlyNewElectionsHaveNoLeader(CapturedLog log) {
		leases().insertOne(Document.parse("{_id: 'old', holder: null, term: 1, revision: 1, ttlMillis: 4000}"));
		grantAllWithout(LEASES, "insert");
		ElectionEngine engine = engine("old", "new");
		await().atMost(LONG).until(() -> engine.isLeader("old") && engine.status().outage() != null);
		await().atMost(LONG).until(() -> revision() >= 5);
		assertThat(engine.isLeader("new")).isFalse();
		assertThat(reason(engine)).contains("Could not insert the record 'new'",
				"code 13 Unauthorized. Allow the database user to insert there");
		assertThat(log).containsOnlyOnce(OUTAGE).doesNotContain(END_OF_OUTAGE);
		await().atMost(LONG).until(() -> candidates().countDocuments() == 1);
		grantAll();
		await().atMost(LONG).until(() -> engine.isLeader("new"));
		await().atMost(LONG).until(() -> engine.status().outage() == null);
		assertThat(log).containsOnlyOnce(OUTAGE).containsOnlyOnce(END_OF_OUTAGE);
	}

	@Test
	void readOnlyUserFollowsAndReportsWhyItCannotLead() {
		mongo.allow(this.user, this.shop, Map.of(LEASES, List.of("find", "changeStream"), SESSIONS, List.of("find"),
				CANDIDATES, List.of("find")));
		mongo.createUser(this.user + "-full", "secret");
		mongo.allow(this.user + "-full", this.shop, DocumentedRoles.actions());
		ElectionEngine leader = engineOf(this.user + "-full", "secret", "x");
		await().atMost(LONG).until(() -> leader.isLeader("x"));
		ElectionEngine reader = engine("x");
		await().atMost(LONG).until(() -> reader.leader("x").equals(Optional.of(leader.candidateId())));
		// It can't take over: without a session it can't lead.
		awaitOutageThatOutlivesALease(reader);
		assertThat(reason(reader)).contains("leader_election_sessions", "insert");
		mongo.allow(this.user, this.shop, Map.of(LEASES, List.of("find", "changeStream"), SESSIONS,
				DocumentedRoles.actions().get(SESSIONS), CANDIDATES, List.of("find")));
		await().atMost(LONG).until(() -> reader.status().outage() == null);
		leader.close();
		await().atMost(LONG).until(() -> reader.status().outage() != null);
		assertThat(reason(reader)).contains("Could not replace the record 'x'",
				"Allow the database user to find and update there");
		assertThat(reader.isLeader("x")).isFalse();
		awaitOutageThatOutlivesALease(reader);
		assertThat(reason(reader)).contains("find and update");
		grantAll();
		await().atMost(LONG).until(() -> reader.isLeader("x"));
		await().atMost(LONG).until(() -> reader.status().outage() == null);
	}

	@Test
	void wrongPasswordIsReportedUntilItIsCorrected(CapturedLog log) {
		grantAll();
		ElectionEngine engine = engineOf(this.user, "not-yet-right", "x");
		await().atMost(LONG).until(() -> engine.status().outage() != null);
		assertThat(reason(engine)).contains("does not accept the credentials");
		assertThat(engine.isLeader("x")).isFalse();
		mongo.changePassword(this.user, "not-yet-right");
		await().atMost(LONG).until(() -> engine.isLeader("x"));
		await().atMost(LONG).until(() -> engine.status().outage() == null);
		assertThat(log).containsOnlyOnce(OUTAGE)
			.containsOnlyOnce(END_OF_OUTAGE)
			.contains("Check user name, password and authSource");
	}

	@Test
	void userWithoutAccessToCandidatesLeads(CapturedLog log) {
		mongo.allow(this.user, this.shop, Map.of(LEASES, DocumentedRoles.actions().get(LEASES), SESSIONS,
				DocumentedRoles.actions().get(SESSIONS)));
		ElectionEngine engine = engine("x");
		await().atMost(LONG).until(() -> engine.isLeader("x"));
		// Each new election is announced: no need to wait for the next sign of life.
		for (int i = 0; i < 5; i++) {
			String election = "more-" + i;
			engine.stand(election);
			await().atMost(LONG).until(() -> engine.isLeader(election));
		}
		await().atMost(LONG)
			.untilAsserted(() -> assertThat(log).containsOnlyOnce("The list of candidates can't be kept up to date")
				.contains("Allow the database user to find there"));
		assertThat(log).doesNotContain(OUTAGE);
	}

	@Test
	void userWithoutRemoveStaysListed(CapturedLog log) {
		grantAllWithout(CANDIDATES, "remove");
		ElectionEngine engine = engine("x");
		await().atMost(LONG).until(() -> candidates().countDocuments() == 1);
		engine.close();
		assertThat(candidates().countDocuments()).isEqualTo(1);
		assertThat(log).containsOnlyOnce("This instance could not be removed from the candidates")
			.contains("Allow the database user to remove there");
	}

	@Test
	void electionsGoOnWithoutAccessToRunsOfJobs(CapturedLog log) {
		mongo.allow(this.user, this.shop, Map.of(LEASES, DocumentedRoles.actions().get(LEASES), SESSIONS,
				DocumentedRoles.actions().get(SESSIONS), CANDIDATES, DocumentedRoles.actions().get(CANDIDATES)));
		ElectionEngine engine = engine("x");
		await().atMost(LONG).until(() -> engine.isLeader("x"));
		JobKey job = new JobKey("x", "job");
		RecordStore runs = new MongoRecordStore(client(this.user, "secret").getDatabase(this.shop), MongoStores.RUNS,
				RecordedJobs.RUNS);
		StoredRecord record = new StoredRecord(job.id(), 1, Map.of("fence", 1L));
		assertRefused(() -> runs.read(List.of(job.id()), LONG), "Could not read 1 record in '" + this.shop
				+ ".leader_election_runs': code 13 Unauthorized. Allow the database user to find there");
		assertRefused(() -> runs.insert(List.of(record), LONG), "Allow the database user to insert there");
		assertRefused(() -> runs.replace(List.of(record), LONG), "Allow the database user to find and update there");
		grantAll();
		assertThat(new StoredRuns(runs).open(1, "", Instant.EPOCH, job)).hasSize(1);
		assertThat(engine.isLeader("x")).isTrue();
		assertThat(log).doesNotContain(OUTAGE);
	}

	private static void assertRefused(ThrowingCallable call, String message) {
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call).withMessageContaining(message);
	}

	@Test
	void selfCheckNeedsNoPrivilege() {
		MongoDatabase database = client(this.user, "secret").getDatabase(this.shop);
		EngineStatus polled = new EngineStatus(null, false, "not allowed", List.of(), List.of(), List.of());
		assertThat(new MongoSelfCheck(database).describe(polled, LONG)).matches(
				"Leases are kept in database '\\w+' on MongoDB \\d+\\.\\d+.*, replica set 'rs0': writes wait for 1 of 1 known members; servers 127\\.0\\.0\\.1:\\d+; "
						+ "changes are polled \\(not allowed\\); the server's clock .*");
	}

	private void grantAll() {
		mongo.allow(this.user, this.shop, DocumentedRoles.actions());
	}

	private void grantAllWithout(String collection, String action) {
		Map<String, List<String>> actions = new HashMap<>(DocumentedRoles.actionsWithout(collection, action));
		mongo.allow(this.user, this.shop, actions);
	}

	private long revision() {
		return sessions().find().first().get("revision", Number.class).longValue();
	}

	private MongoCollection<Document> sessions() {
		return mongo.database(this.shop).getCollection(SESSIONS);
	}

	private MongoCollection<Document> leases() {
		return mongo.database(this.shop).getCollection(LEASES);
	}

	private MongoCollection<Document> candidates() {
		return mongo.database(this.shop).getCollection(CANDIDATES);
	}

	private static String reason(ElectionEngine engine) {
		StoreOutage outage = engine.status().outage();
		assertThat(outage).isNotNull();
		return outage.reason();
	}

	/** Then the health of an application is down. */
	private static void awaitOutageThatOutlivesALease(ElectionEngine engine) {
		await().atMost(LONG)
			.until(() -> engine.status().outage(),
					(outage) -> outage != null && outage.duration().compareTo(SETTINGS.ttl()) > 0);
	}

	private ElectionEngine engine(String... elections) {
		return engineOf(this.user, "secret", elections);
	}

	private ElectionEngine engineOf(String name, String password, String... elections) {
		MongoDatabase database = client(name, password).getDatabase(this.shop);
		ElectionEngine engine = MongoStores.engine(database, name + "@" + this.resources.size(), SETTINGS);
		this.resources.add(0, engine);
		for (String election : elections) {
			engine.stand(election);
		}
		engine.start();
		return engine;
	}

	private MongoClient client(String name, String password) {
		MongoClient client = MongoClients.create(mongo.uri(name, password, this.shop));
		this.resources.add(client);
		return client;
	}

}
