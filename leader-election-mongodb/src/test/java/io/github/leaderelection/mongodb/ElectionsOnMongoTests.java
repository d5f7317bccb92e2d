package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.Rival;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the engine on a real MongoDB.
 */
class ElectionsOnMongoTests {

	private static final ElectionSettings SETTINGS = ElectionSettings.of(Duration.ofSeconds(10));

	private static final ElectionSettings BRIEF = ElectionSettings.of(Duration.ofSeconds(2));

	/** Every quarter of an hour: what happens sooner was pushed. */
	private static final ElectionSettings RARELY_LOOKED_AT = ElectionSettings.of(Duration.ofHours(1));

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final List<AutoCloseable> resources = new ArrayList<>();

	private ElectionSettings settings = SETTINGS;

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.resources) {
			resource.close();
		}
	}

	@Test
	@Tag("deep")
	void lockedLeaseDelaysNoOther() {
		List<String> elections = IntStream.range(0, 100).mapToObj("election-%03d"::formatted).toList();
		ElectionEngine before = engine(new Commands());
		elections.forEach(before::stand);
		before.start();
		await().until(() -> elections.stream().allMatch(before::isLeader));
		before.close();
		String locked = "election-050";
		List<String> others = elections.stream().filter((election) -> !election.equals(locked)).toList();
		ElectionEngine engine = engine(new Commands());
		elections.forEach(engine::stand);
		try (ClientSession session = this.mongo.client().startSession()) {
			session.startTransaction();
			this.mongo.database()
				.getCollection(MongoStores.LEASES)
				.updateOne(session, Filters.eq(locked), Updates.set("note", "locked"));
			engine.start();
			await().atMost(Duration.ofSeconds(30)).until(() -> others.stream().allMatch(engine::isLeader));
			assertThat(engine.isLeader(locked)).isFalse();
			session.abortTransaction();
			await().until(() -> engine.isLeader(locked));
			assertThat(others).allMatch(engine::isLeader);
		}
	}

	@Test
	void leaseOfWhoHasNoSessionIsTakenWhenOneWasWatchedInItsPlace() {
		this.settings = BRIEF;
		Commands commands = new Commands();
		ElectionEngine engine = engine(commands);
		Rival gone = new Rival(MongoStores.leases(this.mongo.database()), "gone", BRIEF.ttl());
		String session = gone.take("x").sessionId();
		sessions().deleteMany(new Document());
		engine.stand("x");
		engine.start();
		await().untilAsserted(() -> assertThat(sessions().find(Filters.eq("_id", session)).first()).isNotNull()
			.containsEntry("revision", 0L));
		assertThat(engine.isLeader("x")).isFalse();
		await().until(() -> engine.isLeader("x"));
		assertThat(sessions().find(Filters.eq("_id", session)).first()).isNotNull()
			.containsEntry("revision", 1L)
			.containsEntry("state", "ended");
	}

	@Test
	void sessionThatCantBeUnderstoodIsToldOfAndKeepsOthersFromItsLease() {
		this.settings = BRIEF;
		Commands commands = new Commands();
		ElectionEngine engine = engine(commands);
		Rival gone = new Rival(MongoStores.leases(this.mongo.database()), "gone", BRIEF.ttl());
		String session = gone.take("x").sessionId();
		sessions().updateOne(new Document(), Updates.set("revision", "x"));
		engine.stand("x");
		engine.start();
		await().until(() -> commands.tombstones.get() >= 4);
		assertThat(engine.status().damaged()).isNotEmpty()
			.allSatisfy((damage) -> assertThat(damage).contains("'" + session + "'", "'revision' must be"));
		assertThat(engine.isLeader("x")).isFalse();
		sessions().deleteOne(Filters.eq("_id", session));
		await().until(() -> engine.isLeader("x"));
	}

	private MongoCollection<Document> sessions() {
		return this.mongo.database().getCollection(MongoStores.SESSIONS);
	}

	/**
	 * They mean something elsewhere: to MongoDB, to a formatter or to who reads a log.
	 */
	@Test
	void oddNamesAreElectionsLikeAnyOther() {
		List<String> odd = List.of("$set", "$where", "{$gt: ''}", "{\"$ne\": null}", "a.b.c", ".", "$", "' || '1'=='1",
				"\\", "{}", "%s %n %d {}", "${user.home}", "#{1+1}", "[x]", "__proto__", " a ", "a", "A", "\u00e9",
				"e\u0301", "\u591c\u9593", "\u05e2\u05d1\u05e8\u05d9\u05ea", "\ud83d\udc69\u200d\ud83d\udc67",
				"\ud83d\ude00".repeat(100), "x".repeat(200));
		for (long term : new long[] { 1, 2 }) {
			ElectionEngine engine = engine(new Commands());
			odd.forEach(engine::stand);
			engine.start();
			await().until(() -> odd.stream().allMatch(engine::isLeader));
			assertThat(this.mongo.database().getCollection(MongoStores.LEASES).find().into(new ArrayList<>()))
				.allSatisfy((lease) -> assertThat(lease).containsEntry("term", term))
				.extracting((lease) -> lease.getString("_id"))
				.containsExactlyInAnyOrderElementsOf(odd);
			await().untilAsserted(
					() -> assertThat(this.mongo.database().getCollection(MongoStores.CANDIDATES).find()).singleElement()
						.satisfies((candidate) -> assertThat(candidate.getString("elections").split("\n"))
							.containsExactlyInAnyOrderElementsOf(odd)));
			engine.close();
		}
	}

	@Test
	void leaseEditedByHandEndsTheTerm() {
		Queue<String> lost = new ConcurrentLinkedQueue<>();
		ElectionEngine engine = engine(new Commands(), new Losses(lost));
		engine.stand("x");
		engine.start();
		await().until(() -> engine.isLeader("x"));
		this.mongo.database()
			.getCollection(MongoStores.LEASES)
			.updateOne(new Document("_id", "x"), new Document("$set", new Document("holder", "someone#1"))
				.append("$inc", new Document("term", 1L).append("revision", 1L)));
		await().untilAsserted(() -> assertThat(lost).containsExactly("x 1 TAKEN_OVER"));
		await().untilAsserted(() -> assertThat(engine.leader("x")).hasValue("someone"));
	}

	@Test
	void dropOfTheCollectionEndsAllTermsLongBeforeTheirNextLooks() {
		this.settings = RARELY_LOOKED_AT;
		Queue<String> lost = new ConcurrentLinkedQueue<>();
		ElectionEngine engine = engine(new Commands(), new Losses(lost));
		engine.stand("x");
		engine.stand("y");
		engine.start();
		await().until(() -> engine.status().pushed() && engine.isLeader("x") && engine.isLeader("y"));
		this.mongo.database().getCollection(MongoStores.LEASES).drop();
		await().untilAsserted(() -> assertThat(lost).containsExactlyInAnyOrder("x 1 TAKEN_OVER", "y 1 TAKEN_OVER"));
	}

	private ElectionEngine engine(Commands commands, ElectionListener... listeners) {
		MongoClient client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(SharedMongo.uri()))
			.addCommandListener(commands)
			.build());
		MongoDatabase database = client.getDatabase(this.mongo.name());
		String id = "test@localhost:1-" + this.resources.size();
		CandidateRecord identity = new CandidateRecord(id, "test", "localhost", 1, null, null, Set.of(), null, null);
		ElectionEngine engine = new ElectionEngine(identity, MongoStores.leases(database),
				MongoStores.candidates(database), (election) -> this.settings,
				(task) -> new Thread(task, "leader-election-callback").start(), List.of(listeners), EngineClock.SYSTEM);
		this.resources.add(0, client);
		this.resources.add(0, engine);
		return engine;
	}

	/** Notes which terms have ended, and why. */
	private record Losses(Queue<String> lost) implements ElectionListener {

		@Override
		public void onDefeated(Leadership leadership) {
			this.lost.add("%s %d %s".formatted(leadership.election(), leadership.term(),
					leadership.lossReason().orElseThrow()));
		}

	}

	/** Notes what is written. */
	private static final class Commands implements CommandListener {

		/** How often somebody tried to create the session of {@code gone}. */
		private final AtomicLong tombstones = new AtomicLong();

		@Override
		public void commandStarted(CommandStartedEvent event) {
			if (event.getCommandName().equals("insert") && event.getCommand().toString().contains("gone#")) {
				this.tombstones.incrementAndGet();
			}
		}

	}

}
