package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineStatus;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.launcher.SharedMongo;
import org.bson.BsonDateTime;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests what happens if others write into the collections, such as another application, a
 * restored backup or a mistake: only the election concerned is affected; the damage is
 * reported once, and shown.
 */
@Tag("deep")
@ExtendWith(LogCapture.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class HostileNeighbourTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final List<String> SOUND = List.of("sound-1", "sound-2", "sound-3");

	/** As large as the server accepts. */
	private static final BsonValue HUGE = new BsonString("x".repeat(16_777_216 - 400));

	@RegisterExtension
	final FreshDatabase neighbour = new FreshDatabase();

	private final MongoDatabase database = this.neighbour.database();

	private final MongoCollection<RawBsonDocument> leases = this.database.getCollection(MongoStores.LEASES,
			RawBsonDocument.class);

	private final MongoCollection<RawBsonDocument> sessions = this.database.getCollection(MongoStores.SESSIONS,
			RawBsonDocument.class);

	private final RecordedCommands commands = new RecordedCommands();

	private final MongoClient client = this.commands.connect(SharedMongo.uri());

	private final ElectionEngine engine = MongoStores.engine(this.client.getDatabase(this.database.getName()),
			"shop@web-1:1-0a", ElectionSettings.of(TTL));

	@AfterEach
	void close() {
		this.engine.close();
		this.client.close();
	}

	/** Before any election has a leader, and again while all have one. */
	@Test
	void damagedLeaseAffectsItsOwnElectionOnly(CapturedLog log) {
		for (Hostile each : Hostile.values()) {
			this.leases.insertOne(each.document(1));
		}
		insertWhatIsNoSession();
		SOUND.forEach(this.engine::stand);
		List.of(Hostile.values()).forEach((each) -> this.engine.stand(each.election()));
		this.engine.start();
		assertDamaged(log);
		for (Hostile each : Hostile.values()) {
			this.leases.replaceOne(Filters.eq(each.election()), lease(each.election(), 100).end());
		}
		for (Hostile each : Hostile.values()) {
			await().atMost(LONG).until(() -> this.engine.isLeader(each.election()));
			assertThat(this.engine.leadership(each.election()).orElseThrow().term()).isGreaterThan(7);
			assertThat(damage(each)).isNull();
		}
		await().atMost(LONG).until(() -> this.engine.status().pushed());
		for (Hostile each : Hostile.values()) {
			// The server may have no room for the largest at once.
			await().atMost(LONG)
				.ignoreExceptions()
				.until(() -> this.leases.replaceOne(Filters.eq(each.election()), each.document(1_000))
					.wasAcknowledged());
		}
		assertDamaged(log);
		assertThat(this.engine.status().pushed()).isTrue();
		assertThat(log).doesNotContain("The watch of");
		// On a slow server, one read of the largest may time out.
		assertThat(SOUND).allMatch((election) -> leads(election, 1));
	}

	private void assertDamaged(CapturedLog log) {
		for (Hostile each : Hostile.values()) {
			await().atMost(LONG).untilAsserted(() -> assertThat(damage(each)).isNotNull().contains(each.damage));
			assertThat(this.engine.isLeader(each.election())).isFalse();
			// Once, and once more when it comes back.
			assertThat(log.toString().lines())
				.filteredOn((line) -> line.startsWith("ERROR")
						&& line.contains("The stored lease of election '%s' is damaged: ".formatted(each.election())))
				.hasSizeBetween(1, 2);
		}
		// Well beyond the time for which a leader leads without an answer.
		long renewals = this.commands.count("findAndModify", MongoStores.SESSIONS);
		await().atMost(LONG).until(() -> this.commands.count("findAndModify", MongoStores.SESSIONS) > renewals + 8);
		assertOthersGoOn();
		assertThat(this.commands.largestReply()).as("bytes of the largest reply").isLessThan(100_000);
	}

	/** On a slow machine, both may be otherwise for a moment. */
	private void assertOthersGoOn() {
		await().atMost(LONG).untilAsserted(() -> {
			EngineStatus now = this.engine.status();
			assertThat(now.outage()).as(now.toString()).isNull();
			assertThat(SOUND).as(now.toString()).allMatch(this.engine::isLeader);
			assertThat(now.elections()).allSatisfy((election) -> {
				assertThat(election.overdue()).as(now.toString()).isFalse();
				assertThat(election.unobserved()).as(now.toString()).isLessThanOrEqualTo(election.ttl());
			});
		});
	}

	private void insertWhatIsNoSession() {
		this.leases.insertOne(new RawDocuments().with("_id", RawDocuments.UNDECODABLE).end());
		this.leases.insertOne(new RawDocuments().with("_id", RawDocuments.NOT_UTF_8).end());
		for (int i = 0; i < 4; i++) {
			this.sessions.insertOne(new RawDocuments().with("_id", new BsonString("huge-" + i + "#1"))
				.with("revision", new BsonInt64(1))
				.with("state", new BsonString("alive"))
				.with("ttlMillis", new BsonInt64(3000))
				.with("junk", new BsonString("x".repeat(3_000_000)))
				.end());
		}
	}

	@Test
	void engineWithDamagedSessionLosesItsTermsAndContinuesWithAnother(CapturedLog log) {
		SOUND.forEach(this.engine::stand);
		this.engine.start();
		await().atMost(LONG).until(() -> SOUND.stream().allMatch((election) -> leads(election, 1)));
		String own = this.sessions.find().first().getString("_id").getValue();
		this.sessions.updateOne(Filters.eq(own), Updates.set("junk", "x".repeat(20_000)));
		await().atMost(LONG).until(() -> SOUND.stream().allMatch((election) -> leads(election, 2)));
		assertThat(log).contains("Could not replace the record '" + own + "'", "must have at most 16384 bytes",
				"Remove its document");
		assertThat(this.sessions.find(Filters.eq(own)).first()).isNotNull();
	}

	private boolean leads(String election, long term) {
		return this.engine.leadership(election).filter((each) -> each.term() == term).isPresent();
	}

	/**
	 * The endpoint, health and meters show the status. Runs first: without it, the small
	 * cache of the server has no room for the largest lease.
	 */
	@Test
	@Order(1)
	void storedTextCannotForgeTheStatus() {
		BsonString forged = new BsonString("x\nERROR FORGED \u001b[2J\u202e\u2028y");
		Map<String, BsonValue> lease = fields(1);
		lease.put("holder", new BsonString(forged.getValue() + "#1"));
		lease.put("successor", forged);
		insert(this.leases, "odd", lease);
		Map<String, BsonValue> candidate = new LinkedHashMap<>();
		List.of("application", "host", "version", "address").forEach((field) -> candidate.put(field, forged));
		candidate.put("elections", new BsonString("odd\n" + forged.getValue()));
		candidate.put("state", new BsonString("here"));
		candidate.put("revision", new BsonInt64(1));
		candidate.put("changedAt", new BsonDateTime(System.currentTimeMillis()));
		insert(this.database.getCollection(MongoStores.CANDIDATES, RawBsonDocument.class), forged.getValue(),
				candidate);
		this.engine.stand("odd");
		this.engine.start();
		Set<String> shown = new HashSet<>();
		await().atMost(LONG).until(() -> {
			shown.add(this.engine.status().toString());
			return this.engine.isLeader("odd") && this.engine.status().candidates().size() == 2;
		});
		shown.add(this.engine.status().toString());
		assertThat(shown).anyMatch((status) -> status.contains("x?ERROR FORGED ?[2J??y"))
			.noneMatch((status) -> status.matches("(?s).*[\u001b\n\u202e\u2028].*"));
	}

	private static void insert(MongoCollection<RawBsonDocument> collection, String id, Map<String, BsonValue> fields) {
		RawDocuments document = new RawDocuments().with("_id", new BsonString(id));
		fields.forEach(document::with);
		collection.insertOne(document.end());
	}

	private String damage(Hostile hostile) {
		return this.engine.status()
			.elections()
			.stream()
			.filter((status) -> status.election().equals(hostile.election()))
			.findFirst()
			.map(ElectionStatus::damage)
			.orElse(null);
	}

	private static RawDocuments lease(String election, long revision) {
		RawDocuments document = new RawDocuments().with("_id", new BsonString(election));
		fields(revision).forEach(document::with);
		return document;
	}

	private static Map<String, BsonValue> fields(long revision) {
		Map<String, BsonValue> fields = new LinkedHashMap<>();
		fields.put("holder", BsonNull.VALUE);
		fields.put("term", new BsonInt64(7));
		fields.put("revision", new BsonInt64(revision));
		fields.put("ttlMillis", new BsonInt64(TTL.toMillis()));
		return fields;
	}

	/** What anybody may store in place of a lease, and the message about it. */
	private enum Hostile {

		SIXTEEN_MEGABYTES("junk", HUGE, "bytes"),

		HOLDER_TWICE("holder", new BsonString("x#1"), "'holder' must occur once"),

		TERM_TWICE("term", new BsonInt64(8), "'term' must occur once"),

		HOLDER_THAT_CANT_BE_DECODED("holder", RawDocuments.UNDECODABLE, "'holder' can't be decoded"),

		TERM_THAT_CANT_BE_DECODED("term", RawDocuments.UNDECODABLE, "'term' can't be decoded"),

		DATE_THAT_CANT_BE_DECODED("electedAt", RawDocuments.UNDECODABLE, "'electedAt' can't be decoded"),

		GREATEST_TERM("term", new BsonInt64(Long.MAX_VALUE - 1), "'term' must be a whole number between 0 and"),

		HOLDER_WITHOUT_SESSION("holder", new BsonString("x\nERROR forged"), "'holder' must be null, or a candidate"),

		REVISION_THAT_IS_NO_NUMBER("revision", new BsonString("1"), "'revision' must be a whole number"),

		NO_TTL("ttlMillis", BsonNull.VALUE, "'ttlMillis' must be a whole number");

		private final String field;

		private final BsonValue value;

		private final String damage;

		Hostile(String field, BsonValue value, String damage) {
			this.field = field;
			this.value = value;
			this.damage = damage;
		}

		String election() {
			return name().toLowerCase(Locale.ROOT);
		}

		RawBsonDocument document(long revision) {
			if (name().endsWith("TWICE")) {
				// A map of its fields would hold each of them once.
				return lease(election(), revision).with(this.field, this.value).end();
			}
			Map<String, BsonValue> fields = fields(revision);
			fields.put(this.field, this.value);
			RawDocuments document = new RawDocuments().with("_id", new BsonString(election()));
			fields.forEach(document::with);
			return document.end();
		}

	}

}
