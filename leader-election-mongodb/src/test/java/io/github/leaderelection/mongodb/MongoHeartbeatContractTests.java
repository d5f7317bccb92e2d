package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.CollationStrength;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.engine.CandidateIdentity;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.BeatReply;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.HeartbeatReading;
import io.github.leaderelection.store.HeartbeatStore;
import io.github.leaderelection.store.HeartbeatStoreContractTests;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.PauseRequest;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link MongoLeaseStore} adds to the contract of heartbeats: the stored document,
 * what is made of one that somebody has edited, and what goes over the wire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MongoHeartbeatContractTests extends HeartbeatStoreContractTests {

	private final RecordedCommands commands = new RecordedCommands();

	private MongoClient client;

	private MongoDatabase database;

	private MongoCollection<BsonDocument> collection;

	private MongoLeaseStore store;

	/** Return the URI of the server, with which settings of the client ever. */
	abstract String uri();

	@BeforeAll
	void connect() {
		this.client = MongoClients.create(settings().addCommandListener(this.commands).build());
	}

	private MongoClientSettings.Builder settings() {
		return MongoClientSettings.builder().applyConnectionString(new ConnectionString(uri()));
	}

	@AfterAll
	void disconnect() {
		this.client.close();
	}

	@BeforeEach
	void createStore() {
		this.database = this.client.getDatabase(SharedMongo.uniqueDatabase());
		this.store = new MongoLeaseStore(this.database);
		// Looks behind the store's back shall see what it wrote, and write for good.
		this.collection = this.database.getCollection(MongoLeaseStore.HEARTBEATS, BsonDocument.class)
			.withReadPreference(ReadPreference.primary())
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
	}

	@Override
	protected HeartbeatStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.collection.deleteOne(Filters.eq(id));
	}

	@Test
	void enteredDocumentIsAsDocumented() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		assertThat(stored()).isEqualTo(document(3, 1));
		assertThat(read().beatAt()).isNull();
	}

	@Test
	void beatenDocumentIsAsDocumented() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.store.beat(heartbeat(3, 2), TIMEOUT);
		BsonDocument document = stored();
		assertThat(read().beatAt()).isEqualTo(Instant.ofEpochMilli(document.getDateTime("beatAt").getValue()));
		document.remove("beatAt");
		assertThat(document).isEqualTo(document(3, 2));
	}

	@Test
	void endedDocumentIsDatedUntilItIsBeatenAgain() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.store.end(heartbeat(3, 1), 4, TIMEOUT);
		assertThat(stored().isDateTime("endedAt")).isTrue();
		this.store.beat(heartbeat(3, 2), TIMEOUT);
		assertThat(stored().isDateTime("endedAt")).as("a beat of the former epoch").isTrue();
		this.store.beat(heartbeat(4, 3), TIMEOUT);
		assertThat(stored().containsKey("endedAt")).isFalse();
	}

	@Test
	void requestIsAsDocumented() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.store.ask(ID, new PauseRequest("9f3ea0c41b685b1c", "jobs", true, "shop@web-2:815-x81b"), TIMEOUT);
		assertThat(stored()).isEqualTo(document(3, 1).append("requests", BsonArray
			.parse("[{id: '9f3ea0c41b685b1c', election: 'jobs', paused: true, by: 'shop@web-2:815-x81b'}]")));
	}

	@Test
	void whoIsAskedAboutTheLongestNamesLivesOn() {
		String name = "\u20ac".repeat(64);
		String candidate = CandidateIdentity.create(name, name, null, null).id();
		String id = Heartbeat.id(candidate, TTL);
		this.store.enter(new Heartbeat(id, Heartbeat.MAX_EPOCH - 1, 1, TTL, null), TIMEOUT);
		for (int beat = 2; beat < 25; beat++) {
			PauseRequest request = PauseRequest.of("\u20ac".repeat(ElectionNames.MAX_LENGTH), true, candidate);
			assertThat(this.store.ask(id, request, TIMEOUT)).isTrue();
			Heartbeat next = new Heartbeat(id, Heartbeat.MAX_EPOCH - 1, beat, TTL, null);
			assertThat(this.store.beat(next, TIMEOUT)).isEqualTo(new BeatReply(true, List.of(request)));
		}
		Heartbeat seen = this.store.heartbeats(List.of(id), TIMEOUT).heartbeats().get(id);
		assertThat(this.store.end(seen, Heartbeat.MAX_EPOCH, TIMEOUT)).isTrue();
		assertThat(this.store.heartbeats(List.of(id), TIMEOUT).heartbeats().get(id).epoch())
			.isEqualTo(Heartbeat.MAX_EPOCH);
	}

	@Test
	void nobodyIsAskedWhereThereIsNoRoom() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), Updates.set("note", "x".repeat(1700)));
		BsonDocument before = stored();
		assertThat(this.store.ask(ID, PauseRequest.of("jobs", true, "other"), TIMEOUT)).isFalse();
		assertThat(stored()).isEqualTo(before);
		assertThat(this.store.beat(heartbeat(3, 2), TIMEOUT).acknowledged()).isTrue();
	}

	/** Whatever somebody has written there costs nobody the heartbeat. */
	@ParameterizedTest
	@ValueSource(strings = { "7", "null", "'pause'", "{}", "{x: [1]}", "[]", "[7, null, 'x', [[]], {}]",
			"[{id: 7, election: 'jobs', paused: true, by: 'x'}]",
			"[{id: 'x', election: ['jobs'], paused: true, by: 'x'}]",
			"[{id: 'x', election: 'jobs', paused: 1, by: 'x'}]",
			"[{id: 'x', election: 'jobs', paused: true, by: null}]", "[{id: 'x', election: 'jobs', paused: true}]",
			"[{$undefined: true}]", "{$regularExpression: {pattern: '.', options: ''}}" })
	void requestThatCantBeUnderstoodIsNone(String requests) {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID),
				new BsonDocument("$set", BsonDocument.parse("{requests: " + requests + "}")));
		assertThat(this.store.beat(heartbeat(3, 2), TIMEOUT)).isEqualTo(new BeatReply(true, List.of()));
		assertStored(3, 2);
		PauseRequest request = PauseRequest.of("jobs", true, "other");
		assertThat(this.store.ask(ID, request, TIMEOUT)).isTrue();
		assertThat(this.store.beat(heartbeat(3, 3), TIMEOUT)).isEqualTo(new BeatReply(true, List.of(request)));
		assertStored(3, 3);
		assertThat(this.store.end(read(), 4, TIMEOUT)).isTrue();
	}

	@Test
	void requestsThatAreThereTwiceCostNobodyTheHeartbeat() {
		RawDocuments twice = new RawDocuments();
		document(3, 1).append("requests", new BsonInt64(1)).forEach(twice::with);
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertOne(twice.with("requests", new BsonArray()).end());
		assertThat(this.store.beat(heartbeat(3, 2), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 2);
	}

	@Test
	void eachCallIsOneCommand() {
		this.commands.clear();
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.store.beat(heartbeat(3, 2), TIMEOUT);
		this.store.heartbeats(List.of(ID, "none/1"), TIMEOUT);
		this.store.end(heartbeat(3, 2), 4, TIMEOUT);
		this.store.leave(heartbeat(4, 2), TIMEOUT);
		assertThat(this.commands.names()).containsExactly("insert", "findAndModify", "find", "update", "delete");
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.commands.clear();
		this.store.ask(ID, PauseRequest.of("jobs", true, "other"), TIMEOUT);
		this.store.beat(heartbeat(3, 2), TIMEOUT);
		assertThat(this.commands.names()).as("after a request").containsExactly("find", "update", "findAndModify");
	}

	@Test
	void onlyWhatNobodyTookUpAgainIsRemovedByTheIndex() {
		MongoLeaseStore retaining = new MongoLeaseStore(this.database, Duration.ofHours(2));
		assertThat(retaining.indexState()).isNull();
		retaining.enter(heartbeat(3, 1), TIMEOUT);
		assertThat(retaining.indexState()).isEqualTo("there");
		List<BsonDocument> indexes = this.collection.listIndexes(BsonDocument.class).into(new ArrayList<>());
		assertThat(indexes).hasSize(2);
		assertThat(indexes.get(1).getDocument("key")).containsOnlyKeys("endedAt");
		assertThat(indexes.get(1).getNumber("expireAfterSeconds").longValue()).isEqualTo(7200);
		this.commands.clear();
		retaining.beat(heartbeat(3, 2), TIMEOUT);
		retaining.heartbeats(List.of(), TIMEOUT);
		assertThat(this.commands.names()).containsExactly("findAndModify", "find");
	}

	@Test
	void indexIsCreatedByWhoeverLooks() {
		MongoLeaseStore retaining = new MongoLeaseStore(this.database, Duration.ofHours(2));
		retaining.heartbeats(List.of(), TIMEOUT);
		assertThat(retaining.indexState()).isEqualTo("there");
		assertThat(new MongoLeaseStore(this.database).indexState()).isEqualTo("left to others");
	}

	/** What is shown as missing must not be kept alive: its leases are taken in time. */
	@ParameterizedTest
	@ValueSource(strings = { "{epoch: [3]}", "{beat: 'x'}", "{beat: [1]}", "{beat: NaN}", "{beat: -1.5}",
			"{beat: 9007199254740992.0}", "{beat: {$numberLong: '9007199254740992'}}", "{beat: {x: 1}}",
			"{ttlMillis: 1}", "{ttlMillis: 'x'}", "{ttlMillis: 0}", "{ttlMillis: null}", "{ttlMillis: 86400001}",
			"{epoch: {$numberDecimal: '3'}}" })
	void heartbeatThatOthersCantUnderstandIsMissingAndIsNotBeaten(String damage) {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), new BsonDocument("$set", BsonDocument.parse(damage)));
		assertMissingAndNotBeaten();
	}

	@Test
	void hugeHeartbeatIsMissingAndIsNotBeaten() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), Updates.set("junk", "x".repeat(1_000_000)));
		ReplySizes replies = new ReplySizes();
		try (MongoClient measured = MongoClients.create(settings().addCommandListener(replies).build())) {
			this.store = new MongoLeaseStore(measured.getDatabase(this.database.getName()));
			assertMissingAndNotBeaten();
		}
		assertThat(replies.largest()).isLessThan(100_000);
	}

	@Test
	void heartbeatWithAFieldTwiceIsMissingAndIsNotBeaten() {
		RawDocuments twice = new RawDocuments();
		document(3, 1).forEach(twice::with);
		this.collection.withDocumentClass(RawBsonDocument.class).insertOne(twice.with("beat", new BsonInt64(9)).end());
		assertMissingAndNotBeaten();
	}

	@Test
	void heartbeatWithoutABeatIsMissingUntilItIsBeaten() {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), Updates.unset("beat"));
		assertThat(this.store.heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
		assertThat(this.store.beat(heartbeat(3, 2), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{epoch: 3.0}", "{beat: 1.0}", "{epoch: 3, beat: 1, ttlMillis: 20000.0}",
			"{beatAt: 'yesterday'}", "{note: 'hands off'}", "{endedAt: 7}" })
	void heartbeatEditedInAShellIsUnderstood(String edited) {
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), new BsonDocument("$set", BsonDocument.parse(edited)));
		assertStored(3, 1);
		assertThat(this.store.beat(heartbeat(3, 2), TIMEOUT).acknowledged()).isTrue();
		assertStored(3, 2);
		assertThat(this.store.end(read(), 4, TIMEOUT)).isTrue();
		assertStored(4, 2);
	}

	@Test
	void damagedHeartbeatIsLeftAloneAndSaidToBeInTheWay() {
		this.collection.insertOne(new BsonDocument("_id", new BsonString(ID)).append("epoch", new BsonString("x")));
		BsonDocument before = stored();
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> this.store.enter(heartbeat(3, 1), TIMEOUT))
			.withMessageContaining("can't be understood")
			.withMessageContaining("Remove the document of heartbeat '" + ID + "'");
		assertThat(this.store.beat(heartbeat(3, 1), TIMEOUT).acknowledged()).isFalse();
		assertThat(this.store.end(heartbeat(3, 1), 4, TIMEOUT)).isFalse();
		this.store.leave(heartbeat(3, 1), TIMEOUT);
		assertThat(stored()).isEqualTo(before);
	}

	@Test
	void collationThatTakesTwoIdsForOneKeepsNobodyAlive() {
		this.database.createCollection(MongoLeaseStore.HEARTBEATS, new CreateCollectionOptions()
			.collation(Collation.builder().locale("en").collationStrength(CollationStrength.SECONDARY).build()));
		this.store.enter(new Heartbeat(ID.toUpperCase(), 3, 1, TTL, null), TIMEOUT);
		assertThat(this.store.heartbeats(List.of(ID), TIMEOUT).heartbeats()).doesNotContainKey(ID);
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> this.store.enter(heartbeat(3, 1), TIMEOUT));
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.beat(heartbeat(3, 2), TIMEOUT))
			.withMessageContaining("collation");
	}

	@Test
	void namedHeartbeatsAreReadHoweverManyOthersThereAre() {
		this.collection.insertMany(IntStream.range(0, HeartbeatQuery.MOST + 50)
			.mapToObj((index) -> document(1, 1).append("_id", new BsonString("c" + index + "/20000")))
			.toList());
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		this.commands.clear();
		HeartbeatReading some = this.store.heartbeats(List.of(), TIMEOUT);
		assertThat(some.heartbeats()).hasSize(HeartbeatQuery.MOST);
		assertThat(this.commands.names()).containsExactly("find");
		List<String> missed = IntStream.range(0, HeartbeatQuery.MOST + 50)
			.mapToObj((index) -> "c" + index + "/20000")
			.filter((id) -> !some.heartbeats().containsKey(id))
			.toList();
		assertThat(missed).hasSizeGreaterThanOrEqualTo(50);
		List<String> named = new ArrayList<>(missed);
		named.add(ID);
		named.add("none/20000");
		this.commands.clear();
		HeartbeatReading reading = this.store.heartbeats(named, TIMEOUT);
		assertThat(reading.heartbeats()).containsKeys(missed.toArray(String[]::new))
			.containsKey(ID)
			.doesNotContainKey("none/20000");
		assertThat(reading.readAt()).isNotNull();
		assertThat(this.commands.names()).containsExactly("find", "find");
	}

	@Test
	void namedHeartbeatIsReadThoughAllOthersAreDamaged() {
		long seed = System.nanoTime();
		HostileDocuments documents = new HostileDocuments(seed);
		Random random = new Random(seed);
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(IntStream.range(0, HeartbeatQuery.MOST + 50)
				.mapToObj((index) -> documents.heartbeat("odd-" + index + "/" + TTL.toMillis(),
						random.nextBoolean() ? TTL.toMillis() : 1))
				.toList());
		this.store.enter(heartbeat(3, 1), TIMEOUT);
		HeartbeatReading reading = this.store.heartbeats(List.of(ID), TIMEOUT);
		assertThat(reading.heartbeats()).as("seed=%d", seed).containsKey(ID);
		reading.heartbeats().forEach((id, each) -> {
			assertThat(each.id()).as("seed=%d", seed).isEqualTo(id);
			assertThat(each.ttl()).as("seed=%d", seed).isEqualTo(TTL);
			assertThat(each.epoch()).as("seed=%d", seed).isBetween(0L, Heartbeat.MAX_EPOCH);
			assertThat(each.beat()).as("seed=%d", seed).isBetween(0L, Heartbeat.MAX_EPOCH);
			// What is shown can be ended, or nobody would ever get its leases.
			if (each.epoch() < Heartbeat.MAX_EPOCH && random.nextInt(20) == 0) {
				assertThat(this.store.end(each, each.epoch() + 1, TIMEOUT)).as("seed=%d %s", seed, each).isTrue();
			}
		});
	}

	@Test
	void epochBeyondTheGreatestIsNeverStored() {
		Heartbeat last = heartbeat(Heartbeat.MAX_EPOCH, 1);
		this.store.enter(last, TIMEOUT);
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> this.store.end(last, Heartbeat.MAX_EPOCH + 1, TIMEOUT))
			.withMessageContaining("'epoch' can't be raised")
			.withMessageEndingWith("Remove the document of heartbeat '" + ID + "'");
		assertStored(Heartbeat.MAX_EPOCH, 1);
	}

	private void assertMissingAndNotBeaten() {
		assertThat(this.store.heartbeats(List.of(ID), TIMEOUT).heartbeats()).isEmpty();
		boolean beaten;
		try {
			beaten = this.store.beat(heartbeat(3, 2), TIMEOUT).acknowledged();
		}
		catch (LeaseStoreException ex) {
			assertThat(ex).hasMessageContaining("Could not beat")
				.hasMessageContaining("Remove the document of heartbeat '" + ID + "'");
			beaten = false;
		}
		boolean shown = this.store.heartbeats(List.of(ID), TIMEOUT).heartbeats().containsKey(ID);
		assertThat(beaten).as("beaten only if it is shown").isEqualTo(shown);
	}

	private static BsonDocument document(long epoch, long beat) {
		return new BsonDocument("_id", new BsonString(ID)).append("epoch", new BsonInt64(epoch))
			.append("beat", new BsonInt64(beat))
			.append("ttlMillis", new BsonInt64(TTL.toMillis()));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(ID)).first();
	}

}
