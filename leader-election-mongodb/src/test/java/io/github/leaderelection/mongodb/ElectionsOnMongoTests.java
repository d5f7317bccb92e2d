package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import java.util.stream.IntStream;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionListener;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.launcher.SharedMongo;
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

	/** Polls every quarter of an hour: whatever happens sooner was pushed. */
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
	void lockedLeaseDelaysNoOtherElection() {
		List<String> elections = IntStream.range(0, 100).mapToObj("election-%03d"::formatted).toList();
		ElectionEngine before = engine();
		elections.forEach(before::stand);
		before.start();
		await().until(() -> elections.stream().allMatch(before::isLeader));
		before.close();
		String locked = "election-050";
		List<String> others = elections.stream().filter((election) -> !election.equals(locked)).toList();
		ElectionEngine engine = engine();
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

	/**
	 * These names mean something elsewhere: to MongoDB, to a formatter or in a log.
	 */
	@Test
	void oddNamesAreElectionsLikeAnyOther() {
		List<String> odd = List.of("$set", "$where", "{$gt: ''}", "{\"$ne\": null}", "a.b.c", ".", "$", "' || '1'=='1",
				"\\", "{}", "%s %n %d {}", "${user.home}", "#{1+1}", "[x]", "__proto__", " a ", "a", "A", "\u00e9",
				"e\u0301", "\u591c\u9593", "\u05e2\u05d1\u05e8\u05d9\u05ea", "\ud83d\udc69\u200d\ud83d\udc67",
				"\ud83d\ude00".repeat(100), "x".repeat(200));
		for (long term : new long[] { 1, 2 }) {
			ElectionEngine engine = engine();
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
	void droppedCollectionEndsAllTermsBeforeTheNextPoll() {
		this.settings = RARELY_LOOKED_AT;
		Queue<String> lost = new ConcurrentLinkedQueue<>();
		ElectionEngine engine = engine(new Losses(lost));
		engine.stand("x");
		engine.stand("y");
		engine.start();
		await().until(() -> engine.status().pushed() && engine.isLeader("x") && engine.isLeader("y"));
		this.mongo.database().getCollection(MongoStores.LEASES).drop();
		await().untilAsserted(() -> assertThat(lost).containsExactlyInAnyOrder("x 1 TAKEN_OVER", "y 1 TAKEN_OVER"));
	}

	private ElectionEngine engine(ElectionListener... listeners) {
		MongoClient client = MongoClients.create(SharedMongo.uri());
		ElectionEngine engine = MongoStores.engine(client.getDatabase(this.mongo.name()),
				"test@localhost:1-" + this.resources.size(), this.settings, listeners);
		this.resources.add(0, client);
		this.resources.add(0, engine);
		return engine;
	}

	/** Records which terms have ended, and why. */
	private record Losses(Queue<String> lost) implements ElectionListener {

		@Override
		public void onDefeated(Leadership leadership) {
			this.lost.add("%s %d %s".formatted(leadership.election(), leadership.term(),
					leadership.lossReason().orElseThrow()));
		}

	}

}
