package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.RecordLeaseStore;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Somebody else writes into the collections, another application, a restored backup or a
 * slip of the hand: it costs the election that it is about, and no other; it is reported
 * once, and shown; and none of it forges what is logged or shown.
 */
@Tag("deep")
class HostileNeighbourTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final String FORGED = "x\nERROR FORGED \u001b[2J\u202e\u2028y";

	private final MongoClient neighbour = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.neighbour.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<BsonDocument> leases = this.database.getCollection(MongoStores.LEASES,
			BsonDocument.class);

	private final MongoCollection<BsonDocument> candidates = this.database.getCollection(MongoStores.CANDIDATES,
			BsonDocument.class);

	private final MongoCollection<BsonDocument> sessions = this.database.getCollection(MongoStores.SESSIONS,
			BsonDocument.class);

	private final ReplySizes replies = new ReplySizes();

	private final MongoClient client = MongoClients.create(MongoClientSettings.builder()
		.applyConnectionString(new ConnectionString(SharedMongo.uri()))
		.addCommandListener(this.replies)
		.build());

	private final RecordLeaseStore store = MongoStores.leases(this.client.getDatabase(this.database.getName()));

	private final CandidateRegistry registry = MongoStores.candidates(this.client.getDatabase(this.database.getName()));

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final long began = System.nanoTime();

	private final Queue<String> told = new ConcurrentLinkedQueue<>();

	private final Queue<ILoggingEvent> logged = new ConcurrentLinkedQueue<>();

	private final ElectionEngine engine = new ElectionEngine(
			new CandidateRecord("shop@web-1:1-0a", "shop", "web-1", 1, null, null, Set.of(), null, null), this.store,
			this.registry, (election) -> ElectionSettings.of(TTL), this.threads, List.of(new Ear()),
			EngineClock.SYSTEM);

	private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			HostileNeighbourTests.this.logged.add(event);
		}

	};

	@BeforeEach
	void listen() {
		this.appender.start();
		logger().setLevel(Level.TRACE);
		logger().addAppender(this.appender);
	}

	@AfterEach
	void close() {
		this.engine.close();
		logger().detachAppender(this.appender);
		logger().setLevel(null);
		this.database.drop();
		this.client.close();
		this.neighbour.close();
		this.threads.shutdownNow();
	}

	@Test
	void leaseOfSixteenMegabytesCostsItsOwnElectionOnly() {
		this.leases.insertOne(lease("odd", 1).with("junk", text(16_777_216 - 200)).end());
		run("odd", "sound");
		awaitDamage("odd", "bytes");
		assertOthersGoOn();
		assertThat(this.replies.largest()).isLessThan(100_000);
		this.leases.replaceOne(Filters.eq("odd"), lease("odd", 1).end());
		await().atMost(LONG).until(() -> this.engine.isLeader("odd"));
		assertThat(damage("odd")).isNull();
	}

	@Test
	void fieldThatIsThereTwiceCostsItsOwnElectionOnly() {
		RawBsonDocument odd = lease("odd", 5).with("term", new BsonInt64(7)).end();
		// As a map of its fields it would have each of them once.
		this.leases.withDocumentClass(RawBsonDocument.class)
			.insertMany(List.of(odd, lease("second", 5).with("holder", BsonNull.VALUE).end()));
		run("odd", "second", "sound", "more");
		awaitDamage("odd", "'term' must be there once");
		awaitDamage("second", "'holder' must be there once");
		assertOthersGoOn();
		await().atMost(LONG).until(() -> this.engine.isLeader("more"));
		assertThat(raw("odd").getByteBuffer().asNIO()).isEqualTo(odd.getByteBuffer().asNIO());
	}

	@Test
	void termNearTheGreatestNumberIsLeftAloneAndForgottenWhenRepaired() {
		this.leases.insertOne(lease("odd", Long.MAX_VALUE - 1).end());
		run("odd", "sound", "more");
		awaitDamage("odd", "'term' must be a whole number between 0 and 9007199254740991");
		assertOthersGoOn();
		assertThat(raw("odd").getInt64("term").getValue()).isEqualTo(Long.MAX_VALUE - 1);
		this.leases.updateOne(Filters.eq("odd"), Updates.set("term", 7L));
		await().atMost(LONG).until(() -> this.engine.isLeader("odd"));
		assertThat(this.engine.leadership("odd").orElseThrow().term()).isBetween(8L, 100L);
	}

	@Test
	void changesArePushedThoughAmongThemAreHugeOnes() {
		run("sound");
		await().atMost(LONG).until(() -> this.engine.status().pushed());
		// With what is told of its change it is more than the server can tell at all.
		await().atMost(LONG)
			.ignoreExceptions()
			.until(() -> this.leases.insertOne(heldBy("huge", text(16_777_216 - 200))).wasAcknowledged());
		this.engine.stand("late");
		this.leases.replaceOne(Filters.eq("late"), lease("late", 41).end(), new ReplaceOptions().upsert(true));
		await().atMost(LONG).until(() -> this.engine.isLeader("late"));
		assertThat(this.engine.status().pushed()).isTrue();
		assertThat(messages()).noneMatch((line) -> line.contains("The watch of"));
		assertThat(this.replies.largest()).isLessThan(100_000);
	}

	@Test
	void sessionsOfMegabytesAreNotRead() {
		for (int i = 0; i < 4; i++) {
			this.sessions.insertOne(new RawDocuments().with("_id", new BsonString("huge-" + i + "#1"))
				.with("revision", new BsonInt64(1))
				.with("state", new BsonString("alive"))
				.with("ttlMillis", new BsonInt64(3000))
				.with("junk", text(3_000_000))
				.end());
		}
		run("sound");
		assertOthersGoOn();
		assertThat(this.replies.largest()).isLessThan(100_000);
	}

	@Test
	void whoseOwnSessionIsDamagedLosesItsTermsAndGoesOnUnderAnother() {
		run("odd", "sound");
		await().atMost(LONG).until(() -> leads("odd", 1) && leads("sound", 1));
		String own = this.sessions.find().first().getString("_id").getValue();
		this.sessions.updateOne(Filters.eq(own), Updates.set("junk", "x".repeat(20_000)));
		await().atMost(LONG).until(() -> leads("odd", 2) && leads("sound", 2));
		assertThat(messages()).anyMatch((line) -> line.contains("Could not replace the record '" + own + "'")
				&& line.contains("must be of 16384 bytes at most") && line.contains("Remove its document"));
		assertThat(this.sessions.find(Filters.eq(own)).first()).isNotNull();
	}

	private boolean leads(String election, long term) {
		return this.engine.leadership(election).filter((each) -> each.term() == term).isPresent();
	}

	/** A server stores it, and a driver refuses to decode it. */
	@ParameterizedTest
	@ValueSource(strings = { "holder", "term", "electedAt" })
	void leaseThatCantBeDecodedCostsItsOwnElectionOnly(String field) {
		List<String> elections = IntStream.range(0, 20).mapToObj((number) -> "sound-" + number).toList();
		elections.forEach(this.engine::stand);
		run("odd", "sound");
		await().atMost(LONG)
			.until(() -> this.engine.isLeader("odd") && this.engine.isLeader("sound")
					&& elections.stream().allMatch(this.engine::isLeader) && this.engine.status().pushed());
		insertRaw(this.leases, new RawDocuments().with("_id", RawDocuments.UNDECODABLE).end());
		insertRaw(this.leases, new RawDocuments().with("_id", RawDocuments.NOT_UTF_8).end());
		RawDocuments odd = new RawDocuments();
		BsonDocument stored = this.leases.find(Filters.eq("odd")).first();
		stored.append("revision", new BsonInt64(stored.getInt64("revision").getValue() + 1))
			.append(field, RawDocuments.UNDECODABLE)
			.forEach(odd::with);
		this.leases.withDocumentClass(RawBsonDocument.class).replaceOne(Filters.eq("odd"), odd.end());
		awaitDamage("odd", "'%s' can't be decoded".formatted(field));
		assertThat(this.engine.isLeader("odd")).isFalse();
		assertOthersGoOn();
		// Well beyond what is believed without an answer.
		long renewals = this.replies.count("findAndModify");
		await().atMost(LONG).until(() -> this.replies.count("findAndModify") > renewals + 8);
		assertThat(elections)
			.allSatisfy((each) -> assertThat(this.engine.leadership(each).orElseThrow().term()).isEqualTo(1));
		assertThat(this.engine.status().pushed()).isTrue();
		assertThat(messages()).noneMatch((line) -> line.contains("The watch of") || line.contains("can't be reached"));
		this.leases.updateOne(Filters.eq("odd"), Updates.unset(field));
		this.leases.updateOne(Filters.eq("odd"), Updates.combine(Updates.set("holder", null), Updates.set("term", 9L),
				Updates.set("ttlMillis", TTL.toMillis()), Updates.inc("revision", 1L)));
		await().atMost(LONG).until(() -> this.engine.isLeader("odd"));
	}

	@Test
	void candidateThatCantBeDecodedIsLeftOutOfTheList() {
		insertRaw(this.candidates,
				new RawDocuments().with("_id", new BsonString("odd"))
					.with("revision", new BsonInt64(1))
					.with("state", new BsonString("here"))
					.with("version", RawDocuments.UNDECODABLE)
					.end());
		insertRaw(this.candidates,
				new RawDocuments().with("_id", new BsonString("even"))
					.with("revision", new BsonInt64(1))
					.with("state", new BsonString("here"))
					.with("version", RawDocuments.NOT_UTF_8)
					.end());
		run("sound");
		await().atMost(LONG).until(() -> !this.engine.status().candidates().isEmpty());
		assertThat(this.engine.status().candidates()).extracting(CandidateRecord::id)
			.containsExactly("shop@web-1:1-0a");
		assertThat(this.engine.status().damaged()).hasSize(2)
			.allMatch((each) -> each.startsWith("candidate '") && each.contains("'version'"));
	}

	private static void insertRaw(MongoCollection<BsonDocument> collection, RawBsonDocument document) {
		collection.withDocumentClass(RawBsonDocument.class).insertOne(document);
	}

	@Test
	void damageThatComesAndGoesFillsNeitherTheLogNorTheStore() {
		run("odd", "sound");
		await().atMost(LONG).until(() -> this.engine.isLeader("sound") && this.engine.status().pushed());
		this.engine.pause("odd");
		await().atMost(LONG).until(() -> !this.engine.isLeader("odd"));
		this.engine.resume("odd");
		long finds = this.replies.count("find");
		long changes = this.replies.count("findAndModify") + this.replies.count("update");
		long since = System.nanoTime();
		for (int i = 0; i < 500; i++) {
			this.leases.replaceOne(Filters.eq("odd"), lease("odd", i).end(), new ReplaceOptions().upsert(true));
			this.leases.updateOne(Filters.eq("odd"),
					Updates.combine(Updates.set("term", "damaged " + i), Updates.inc("revision", 100L)));
		}
		awaitDamage("odd", "'term' must be");
		double polls = (System.nanoTime() - since) / (double) ElectionSettings.of(TTL).pollInterval().toNanos();
		assertThat(this.replies.count("find") - finds).isLessThan(Math.round(10 + 4 * polls));
		assertThat(this.replies.count("findAndModify") + this.replies.count("update") - changes)
			.isLessThan(Math.round(10 + 3 * polls));
		assertOthersGoOn();
	}

	@Test
	void nothingThatIsStoredForgesWhatIsLoggedOrShown() {
		this.leases.insertOne(heldBy("odd", new BsonString(FORGED + "#1")));
		this.leases.updateOne(Filters.eq("odd"), Updates.set("successor", FORGED));
		this.leases.insertOne(lease("broken", 1).with(FORGED, new BsonString(FORGED)).end());
		this.leases.updateOne(Filters.eq("broken"),
				Updates.combine(Updates.set("term", FORGED), Updates.set("holder", FORGED)));
		this.candidates.insertOne(new RawDocuments().with("_id", new BsonString(FORGED))
			.with("revision", new BsonInt64(1))
			.with("state", new BsonString("here"))
			.with("application", new BsonString(FORGED))
			.with("host", new BsonString(FORGED))
			.with("version", new BsonString(FORGED))
			.with("address", new BsonString("http://" + FORGED + ":secret/@" + FORGED))
			.with("elections", new BsonString("odd\n" + FORGED))
			.end());
		run("odd", "broken", "sound");
		await().atMost(LONG).until(() -> this.engine.status().candidates().size() == 2);
		show();
		await().atMost(LONG).until(() -> this.engine.isLeader("odd"));
		show();
		// As somebody does who can write: what is led is taken away.
		this.leases.updateOne(Filters.eq("odd"), Updates.combine(Updates.set("holder", FORGED + "#1"),
				Updates.inc("term", 5L), Updates.inc("revision", 1L)));
		await().atMost(LONG).until(() -> this.told.stream().anyMatch((line) -> line.startsWith("defeated odd")));
		await().atMost(LONG)
			.until(() -> this.engine.leader("odd").filter((leader) -> leader.startsWith("x?")).isPresent()
					|| this.engine.isLeader("odd"));
		show();
		this.told.addAll(messages());
		assertThat(this.told).anyMatch((line) -> line.contains("x?ERROR FORGED ?[2J??y"));
		assertThat(this.told).noneMatch((line) -> line.contains("\u001b") || line.contains("\nERROR")
				|| line.contains("\u202e") || line.contains("\u2028") || line.contains("secret"));
	}

	private void show() {
		this.told.add(this.engine.status().toString());
		this.told.add(this.engine.leader("odd").toString());
	}

	private void run(String... elections) {
		for (String election : elections) {
			this.engine.stand(election);
		}
		this.engine.start();
	}

	private void awaitDamage(String election, String damage) {
		await().atMost(LONG).untilAsserted(() -> assertThat(damage(election)).isNotNull().contains(damage));
		assertReportedOnce(election);
	}

	/** On a machine that is very slow, once per minute. */
	private void assertReportedOnce(String election) {
		long minutes = TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - this.began);
		assertThat(messages()).filteredOn(
				(line) -> line.startsWith("ERROR The stored lease of election '%s' is damaged: ".formatted(election)))
			.hasSizeBetween(1, 1 + (int) minutes);
	}

	private void assertOthersGoOn() {
		await().atMost(LONG).until(() -> this.engine.isLeader("sound"));
		// Both may be otherwise for a moment, on a machine that is slow.
		await().atMost(LONG).untilAsserted(() -> {
			EngineStatus now = this.engine.status();
			assertThat(now.outage()).as(now.toString()).isNull();
			assertThat(now.elections()).allSatisfy((election) -> {
				assertThat(election.overdue()).as(now.toString()).isFalse();
				assertThat(election.unobserved()).as(now.toString()).isLessThanOrEqualTo(election.ttl());
			});
		});
	}

	private String damage(String election) {
		return this.engine.status()
			.elections()
			.stream()
			.filter((status) -> status.election().equals(election))
			.findFirst()
			.map(ElectionStatus::damage)
			.orElse(null);
	}

	private List<String> messages() {
		return this.logged.stream()
			.map((event) -> event.getLevel() + " " + event.getFormattedMessage()
					+ ((event.getKeyValuePairs() != null) ? " " + event.getKeyValuePairs() : "")
					+ ((event.getThrowableProxy() != null)
							? "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy()) : ""))
			.toList();
	}

	private RawBsonDocument raw(String election) {
		return this.leases.withDocumentClass(RawBsonDocument.class).find(Filters.eq(election)).first();
	}

	private static RawDocuments lease(String election, long term) {
		return new RawDocuments().with("_id", new BsonString(election))
			.with("holder", BsonNull.VALUE)
			.with("term", new BsonInt64(term))
			.with("revision", new BsonInt64(0))
			.with("ttlMillis", new BsonInt64(TTL.toMillis()));
	}

	private static RawBsonDocument heldBy(String election, BsonValue holder) {
		return new RawDocuments().with("_id", new BsonString(election))
			.with("holder", holder)
			.with("term", new BsonInt64(1))
			.with("revision", new BsonInt64(1))
			.with("ttlMillis", new BsonInt64(500))
			.end();
	}

	private static BsonValue text(int length) {
		return new BsonString("x".repeat(length));
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.github.leaderelection");
	}

	private final class Ear implements ElectionListener {

		@Override
		public void onElected(Leadership leadership) {
			HostileNeighbourTests.this.told.add("elected " + leadership.election() + " " + leadership);
		}

		@Override
		public void onDefeated(Leadership leadership) {
			HostileNeighbourTests.this.told.add("defeated " + leadership.election() + " " + leadership);
		}

		@Override
		public void onLeaderChanged(String election, String previous, String current) {
			HostileNeighbourTests.this.told.add("leader of " + election + ": " + previous + " -> " + current);
		}

	}

}
