package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.launcher.MongoStandalone;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.CandidateRegistryContractTests;
import io.github.leaderelection.store.LeaseStoreException;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link MongoCandidateRegistry}.
 */
class MongoCandidateRegistryTests extends CandidateRegistryContractTests {

	private static final Duration RETENTION = Duration.ofHours(1);

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<Document> collection = this.database.getCollection(MongoCandidateRegistry.COLLECTION);

	private final MongoCandidateRegistry registry = new MongoCandidateRegistry(this.database, RETENTION);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.log.start();
		logger().addAppender(this.log);
	}

	@AfterEach
	void dropDatabase() {
		logger().detachAppender(this.log);
		this.database.drop();
		this.client.close();
	}

	@Override
	protected CandidateRegistry registry() {
		return this.registry;
	}

	@Test
	void storedDocumentIsAsDocumented() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		Document document = this.collection.find().first();
		assertThat(document).containsOnlyKeys("_id", "application", "host", "pid", "version", "address", "elections",
				"paused", "startedAt", "seenAt");
		assertThat(document).containsEntry("_id", CANDIDATE.id()).containsEntry("pid", 4711L);
		assertThat(document.getList("elections", String.class)).containsExactly("invoices", "nightly-report");
		assertThat(document.getDate("startedAt")).isNotNull();
		assertThat(document.getDate("seenAt")).isNotNull();
	}

	@Test
	void eachAnnouncementMovesTheDateOfTheLastOne() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		Instant longAgo = Instant.parse("2020-01-01T00:00:00Z");
		this.collection.updateMany(new Document(),
				Updates.combine(Updates.set("seenAt", longAgo), Updates.set("startedAt", longAgo)));
		this.registry.announce(CANDIDATE, TIMEOUT);
		assertThat(find(CANDIDATE.id()).seenAt()).isAfter(longAgo);
		assertThat(find(CANDIDATE.id()).startedAt()).isEqualTo(longAgo);
	}

	@Test
	void whatCanNotBeUnderstoodIsLeftOut() {
		this.collection.insertOne(new Document("_id", "x").append("host", 7)
			.append("pid", 1.0)
			.append("elections", List.of("a", 1))
			.append("paused", "a")
			.append("startedAt", "yesterday"));
		assertThat(find("x")).isEqualTo(new CandidateRecord("x", "", "", 1, null, null, Set.of("a"), null, null));
	}

	@Test
	void firstAnnouncementCreatesTheTtlIndex() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		assertThat(expirySeconds()).isEqualTo(3600);
		new MongoCandidateRegistry(this.database, RETENTION).announce(CANDIDATE, TIMEOUT);
		assertThat(warnings()).isEmpty();
	}

	@Test
	void indexIsLeftToOthersWithoutARetention() {
		new MongoCandidateRegistry(this.database, null).announce(CANDIDATE, TIMEOUT);
		assertThat(expirySeconds()).isEqualTo(-1);
		assertThat(warnings()).isEmpty();
	}

	@Test
	void candidateThatHasLongNotBeenSeenIsRemovedByTheServer() {
		new MongoCandidateRegistry(this.database, Duration.ofSeconds(1)).announce(CANDIDATE, TIMEOUT);
		await().atMost(Duration.ofSeconds(100)).until(() -> this.registry.findAll(TIMEOUT).isEmpty());
	}

	@Test
	void otherRetentionIsAppliedToTheExistingIndex() {
		this.registry.announce(CANDIDATE, TIMEOUT);
		new MongoCandidateRegistry(this.database, Duration.ofHours(2)).announce(CANDIDATE, TIMEOUT);
		assertThat(expirySeconds()).isEqualTo(7200);
		assertThat(warnings()).isEmpty();
	}

	@Test
	void retentionBeyondWhatTheServerAllowsIsShortened() {
		new MongoCandidateRegistry(this.database, Duration.ofDays(100_000)).announce(CANDIDATE, TIMEOUT);
		assertThat(expirySeconds()).isEqualTo(Integer.MAX_VALUE);
	}

	@Test
	void indexOfAnotherNameWillDo() {
		this.collection.createIndex(Indexes.ascending("seenAt"),
				new IndexOptions().name("by-hand").expireAfter(3600L, TimeUnit.SECONDS));
		this.registry.announce(CANDIDATE, TIMEOUT);
		assertThat(warnings()).isEmpty();
	}

	@Test
	void indexThatCanNotBeChangedIsWarnedOfOnce() {
		this.collection.createIndex(Indexes.ascending("other"), new IndexOptions().name("seenAt_1"));
		this.registry.announce(CANDIDATE, TIMEOUT);
		this.registry.announce(CANDIDATE, TIMEOUT);
		assertThat(find(CANDIDATE.id())).isNotNull();
		assertThat(warnings()).hasSize(1);
		assertThat(warnings().get(0)).contains(this.database.getName() + ".leader_election_candidates",
				"createIndex({seenAt: 1}, {expireAfterSeconds: 3600})");
	}

	@Test
	void roleThatMayNotCreateIndexesIsWarnedOfOnce() {
		try (MongoStandalone server = MongoStandalone.start("--auth")) {
			createUser(server);
			try (MongoClient restricted = MongoClients
				.create(server.uri().replace("mongodb://", "mongodb://job:secret@") + "?authSource=admin")) {
				MongoDatabase jobs = restricted.getDatabase("jobs");
				MongoCandidateRegistry candidates = new MongoCandidateRegistry(jobs, RETENTION);
				candidates.announce(CANDIDATE, TIMEOUT);
				candidates.announce(CANDIDATE, TIMEOUT);
				assertThat(candidates.findAll(TIMEOUT)).hasSize(1);
				assertThat(warnings()).singleElement().asString().contains("code 13 Unauthorized");
				assertThatExceptionOfType(UnsupportedOperationException.class)
					.isThrownBy(() -> new MongoLeaseStore(jobs).watch())
					.withMessageContaining("Grant it the actions find and changeStream");
			}
		}
	}

	@Test
	void closedClientIsAnUnknownOutcome() {
		MongoClient closed = MongoClients.create(SharedMongo.uri());
		MongoCandidateRegistry orphan = new MongoCandidateRegistry(closed.getDatabase("jobs"), RETENTION);
		closed.close();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> orphan.announce(CANDIDATE, TIMEOUT));
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> orphan.remove("x", TIMEOUT));
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> orphan.findAll(TIMEOUT));
	}

	private static void createUser(MongoStandalone server) {
		// The first user may be created without being one, from the same machine.
		Document resource = new Document("db", "jobs").append("collection", "");
		Document privilege = new Document("resource", resource).append("actions",
				List.of("find", "insert", "update", "remove"));
		try (MongoClient first = MongoClients.create(server.uri())) {
			MongoDatabase admin = first.getDatabase("admin");
			admin.runCommand(
					new Document("createUser", "root").append("pwd", "secret").append("roles", List.of("root")));
		}
		try (MongoClient root = MongoClients
			.create(server.uri().replace("mongodb://", "mongodb://root:secret@") + "?authSource=admin")) {
			MongoDatabase admin = root.getDatabase("admin");
			admin.runCommand(new Document("createRole", "worker").append("privileges", List.of(privilege))
				.append("roles", List.of()));
			admin.runCommand(
					new Document("createUser", "job").append("pwd", "secret").append("roles", List.of("worker")));
		}
	}

	private long expirySeconds() {
		for (Document index : this.collection.listIndexes()) {
			if (index.get("key", Document.class).containsKey("seenAt")) {
				return index.get("expireAfterSeconds", Number.class).longValue();
			}
		}
		return -1;
	}

	private List<String> warnings() {
		return this.log.list.stream()
			.filter((event) -> event.getLevel().isGreaterOrEqual(Level.WARN))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger(ExpiryIndex.class);
	}

}
