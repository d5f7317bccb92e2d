package io.github.leaderelection.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.health.LeaderElectionHealthIndicator;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.CandidateRecord;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the endpoint and health show of what somebody else has written to the database.
 */
@Tag("deep")
class HostileNeighbourShownTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final String FORGED = "x\nERROR FORGED \u001b[2J\u202e\u2028y";

	private final MongoClient client = MongoClients.create(SharedMongo.uri());

	private final MongoDatabase database = this.client.getDatabase(SharedMongo.uniqueDatabase());

	private final MongoCollection<BsonDocument> leases = this.database.getCollection(MongoStores.LEASES,
			BsonDocument.class);

	private final MongoCollection<BsonDocument> candidates = this.database.getCollection(MongoStores.CANDIDATES,
			BsonDocument.class);

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Queue<String> shown = new ConcurrentLinkedQueue<>();

	private final ElectionEngine engine = new ElectionEngine(
			new CandidateRecord("shop@web-1:1-0a", "shop", "web-1", 1, null, null, Set.of(), null, null),
			MongoStores.leases(this.database), MongoStores.candidates(this.database),
			(election) -> ElectionSettings.of(TTL), this.threads, List.of(), EngineClock.SYSTEM);

	private final LeaderElectionHealthIndicator health = new LeaderElectionHealthIndicator(this.engine);

	private final LeaderElectionEndpoint endpoint = new LeaderElectionEndpoint(this.engine, this.engine::status,
			this.engine::requestHandover, (election, suspended) -> false, () -> null, List.of());

	@AfterEach
	void close() {
		this.engine.close();
		this.database.drop();
		this.client.close();
		this.threads.shutdownNow();
	}

	@Test
	void damageIsShownAndCostsItsOwnElectionOnly() {
		this.leases.insertOne(lease("odd", BsonNull.VALUE, new BsonString("seven")));
		run("odd", "sound");
		await().atMost(LONG).untilAsserted(() -> {
			assertThat(String.valueOf(damage())).contains("'term' must be");
			assertThat(this.endpoint.election("odd").toString()).contains("'term' must be");
		});
		await().atMost(LONG).until(() -> this.engine.isLeader("sound"));
		// It may be otherwise for a moment, on a machine that is slow.
		await().atMost(LONG).untilAsserted(() -> {
			assertThat(this.health.health().getStatus()).as(this.health.health().toString()).isEqualTo(Status.UP);
			assertThat(this.health.health().getDetails()).doesNotContainKey("unreachableBecause");
		});
		this.leases.replaceOne(Filters.eq("odd"), lease("odd", BsonNull.VALUE, new BsonInt64(1)));
		await().atMost(LONG).until(() -> this.engine.isLeader("odd"));
		assertThat(damage()).isNull();
	}

	@Test
	void nothingThatIsStoredForgesWhatIsShown() {
		this.leases.insertOne(lease("odd", new BsonString(FORGED + "#1"), new BsonInt64(1)).append("successor",
				new BsonString(FORGED)));
		this.leases.insertOne(
				lease("broken", new BsonString(FORGED), new BsonString(FORGED)).append(FORGED, new BsonString(FORGED)));
		this.candidates
			.insertOne(new BsonDocument("_id", new BsonString(FORGED)).append("application", new BsonString(FORGED))
				.append("host", new BsonString(FORGED))
				.append("version", new BsonString(FORGED))
				.append("address", new BsonString("http://" + FORGED + ":secret/@" + FORGED))
				.append("elections", new BsonString("odd\n" + FORGED))
				.append("state", new BsonString("here"))
				.append("revision", new BsonInt64(1))
				.append("changedAt", new BsonDateTime(System.currentTimeMillis())));
		run("odd", "broken");
		await().atMost(LONG).until(() -> this.engine.status().candidates().size() == 2);
		show();
		await().atMost(LONG).until(() -> this.engine.isLeader("odd"));
		show();
		// As somebody does who can write: what is led is taken away.
		this.leases.updateOne(Filters.eq("odd"), Updates.combine(Updates.set("holder", FORGED + "#1"),
				Updates.inc("term", 5L), Updates.inc("revision", 1L)));
		await().atMost(LONG)
			.until(() -> this.engine.leader("odd").filter((leader) -> leader.startsWith("x?")).isPresent()
					|| this.engine.isLeader("odd"));
		show();
		assertThat(this.shown).anyMatch((line) -> line.contains("x?ERROR FORGED ?[2J??y"));
		assertThat(this.shown).noneMatch((line) -> line.contains("\u001b") || line.contains("\nERROR")
				|| line.contains("\u202e") || line.contains("\u2028") || line.contains("secret"));
	}

	private void run(String... elections) {
		for (String election : elections) {
			this.engine.stand(election);
		}
		this.engine.start();
	}

	private void show() {
		this.shown.add(this.health.health().toString());
		this.shown.add(this.endpoint.elections().toString());
	}

	private Object damage() {
		Object elections = this.health.health().getDetails().get("elections");
		return ((Map<?, ?>) ((Map<?, ?>) elections).get("odd")).get("damage");
	}

	private static BsonDocument lease(String election, BsonValue holder, BsonValue term) {
		return new BsonDocument("_id", new BsonString(election)).append("holder", holder)
			.append("term", term)
			.append("revision", new BsonInt64(1))
			.append("ttlMillis", new BsonInt64(TTL.toMillis()));
	}

}
