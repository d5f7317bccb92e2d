package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoNamespace;
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
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordStoreContractTests;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredRecord.OtherValue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * Tests of what {@link MongoRecordStore} adds to the contract: the stored document, and
 * what goes over the wire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MongoRecordStoreContractTests extends RecordStoreContractTests {

	private static final String COLLECTION = "records";

	/** Short, because some tests wait until nothing has happened. */
	private static final Duration WATCH_PATIENCE = Duration.ofSeconds(1);

	private final RecordedCommands commands = new RecordedCommands();

	private MongoClient client;

	private MongoDatabase database;

	private MongoCollection<BsonDocument> collection;

	private MongoRecordStore store;

	/** Return the URI of the server, with any settings of the client. */
	abstract String uri();

	@BeforeAll
	void connect() {
		this.client = this.commands.connect(uri());
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
		this.store = new MongoRecordStore(this.database, COLLECTION, KIND, WATCH_PATIENCE);
		// Access behind the store's back must see what it wrote, and write durably.
		this.collection = this.database.getCollection(COLLECTION, BsonDocument.class)
			.withReadPreference(ReadPreference.primary())
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
	}

	@Override
	protected RecordStore store() {
		return this.store;
	}

	@Test
	void documentIsAsDocumented() {
		Map<String, Object> fields = new LinkedHashMap<>();
		fields.put("text", "first");
		fields.put("most", 3L);
		fields.put("yes", true);
		fields.put("date", Instant.ofEpochMilli(5));
		fields.put("nothing", null);
		insert(new StoredRecord(ID, 7, fields));
		assertThat(stored()).isEqualTo(new BsonDocument("_id", new BsonString(ID)).append("revision", new BsonInt64(7))
			.append("text", new BsonString("first"))
			.append("most", new BsonInt64(3))
			.append("yes", BsonBoolean.TRUE)
			.append("date", new BsonDateTime(5))
			.append("nothing", BsonNull.VALUE));
		replace(new StoredRecord(ID, 8, Map.of("text", "second")));
		BsonDocument replaced = stored();
		assertThat(this.store.read(List.of(ID), TIMEOUT).changedAt()).containsEntry(ID,
				Instant.ofEpochMilli(replaced.remove("changedAt").asDateTime().getValue()));
		assertThat(replaced).containsEntry("revision", new BsonInt64(8))
			.containsEntry("text", new BsonString("second"))
			.containsEntry("most", new BsonInt64(3));
	}

	@Test
	void unknownFieldsOfADocumentAreNeitherReadNorChanged() {
		insert(record(ID, 1, "first"));
		edit("remark", "hands off");
		assertThat(read(ID)).isEqualTo(record(ID, 1, "first"));
		replace(record(ID, 2, "second"));
		assertThat(stored().getString("remark").getValue()).isEqualTo("hands off");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					'x'                                   | is a string
					[]                                    | is of type ARRAY
					-1                                    | 'revision' must be a whole number between 0 and 9007199254740991 but is -1
					1.5                                   | is 1.5
					null                                  | is null
					{"$numberLong": "9007199254740992"}   | is 9007199254740992
					""")
	void documentWithADamagedRevisionIsReportedBesideTheOthers(String value, String damage) {
		insert(record(ID, 1, "first"), record("sound", 1, "first"));
		edit("revision", BsonDocument.parse("{x: " + value + "}").get("x"));
		RecordReading reading = this.store.read(List.of(ID, "sound"), TIMEOUT);
		assertThat(reading.records()).containsOnlyKeys("sound");
		assertThat(reading.damaged()).containsOnlyKeys(ID);
		assertThat(reading.damaged().get(ID)).contains(damage);
		assertThat(replace(record("sound", 2, "second"), record(ID, 2, "second"))).doesNotContain(ID);
		assertThat(stored().getString("text").getValue()).isEqualTo("first");
	}

	@Test
	void unsupportedBsonValuesAreShownAsSuchAndCannotBeStored() {
		insert(record(ID, 1, "first"));
		edit("text", new Document("$where", "1"));
		edit("most", 1.5);
		StoredRecord read = read(ID);
		assertThat(read.fields()).containsEntry("text", new OtherValue("of type DOCUMENT"))
			.containsEntry("most", new OtherValue("1.5"));
		assertThatIllegalArgumentException().isThrownBy(() -> replace(read.next(read.fields())))
			.withMessage("'text' can't be stored: it is of type DOCUMENT");
	}

	@Test
	void documentEditedInAShellIsUnderstood() {
		insert(record(ID, 3, "first"));
		this.collection.updateOne(Filters.eq(ID),
				new BsonDocument("$set", BsonDocument.parse("{revision: 3.0, most: 4.0, least: 5}")));
		assertThat(read(ID).fields()).containsEntry("most", 4L).containsEntry("least", 5L);
		assertThat(replace(record(ID, 4, "second"))).containsExactly(ID);
	}

	@Test
	void documentWithADuplicateFieldIsDamaged() {
		this.database.getCollection(COLLECTION, RawBsonDocument.class)
			.withWriteConcern(WriteConcern.MAJORITY)
			.insertOne(new RawDocuments().with("_id", new BsonString(ID))
				.with("revision", new BsonInt64(1))
				.with("text", new BsonString("one"))
				.with("text", new BsonString("two"))
				.end());
		assertThat(this.store.read(List.of(ID), TIMEOUT).damaged().get(ID))
			.isEqualTo("'text' must occur once but occurs again");
	}

	@Test
	void documentThatIsTooLargeIsDamagedAndNotRead() {
		insert(record(ID, 1, "first"), record("sound", 1, "first"));
		edit("note", "x".repeat(100_000));
		RecordReading reading = this.store.read(List.of(ID, "sound"), TIMEOUT);
		assertThat(reading.records()).containsOnlyKeys("sound");
		assertThat(reading.damaged().get(ID)).contains("must have at most 16384 bytes but has 100");
	}

	/** Its owner would renew a record that others can't read. */
	@Test
	void recordThatOthersCannotReadIsNotReportedAsReplaced() {
		insert(record(ID, 1, "first"));
		edit("note", "x".repeat(100_000));
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> replace(record(ID, 2, "second")))
			.withMessageContaining("Could not replace the record '" + ID + "' in '")
			.withMessageContaining("must have at most 16384 bytes but has 100")
			.withMessageEndingWith("Remove its document");
	}

	@Test
	void unreadableRecordsAreNotSentByTheServer() {
		insert(record(ID, 1, "first"), record("sound", 1, "first"));
		edit("junk", "x".repeat(1_000_000));
		RecordedCommands measuring = new RecordedCommands();
		try (MongoClient measured = measuring.connect(uri())) {
			MongoRecordStore small = new MongoRecordStore(measured.getDatabase(this.database.getName()), COLLECTION,
					KIND, WATCH_PATIENCE);
			try (RecordWatch watch = small.watch()) {
				edit("note", "x");
				assertThat(nextOf(watch)).isEqualTo(RecordChange.UNCLEAR);
			}
			RecordReading found = small.find(new RecordQuery("first", Duration.ZERO, 10), TIMEOUT);
			assertThat(found.records()).containsOnlyKeys("sound");
			assertThat(found.damaged()).containsOnlyKeys(ID);
			assertThat(small.sum(List.of("first"), TIMEOUT)).containsEntry("first", new RecordSum(2, 2));
			assertThat(small.read(List.of(ID, "sound"), TIMEOUT).damaged()).containsOnlyKeys(ID);
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> small.replace(List.of(record(ID, 2, "second")), TIMEOUT));
		}
		assertThat(measuring.largestReply()).isLessThan(100_000);
	}

	@Test
	void documentWithANumericIdIsNeitherFoundNorShown() {
		try (RecordWatch watch = this.store.watch()) {
			this.collection
				.insertOne(new BsonDocument("_id", new BsonInt64(7)).append("text", new BsonString("first")));
			insert(record("sound", 1, "first"));
			assertThat(nextOf(watch)).isEqualTo(RecordChange.of(record("sound", 1, "first")));
		}
		RecordReading found = this.store.find(new RecordQuery("first", Duration.ZERO, 10), TIMEOUT);
		assertThat(found.records()).containsOnlyKeys("sound");
		assertThat(found.damaged()).isEmpty();
	}

	@Test
	void changeToADamagedDocumentIsUnclear() {
		insert(record(ID, 1, "first"));
		try (RecordWatch watch = this.store.watch()) {
			edit("revision", "x");
			assertThat(nextOf(watch)).isEqualTo(RecordChange.UNCLEAR);
			insert(record("sound", 1, "first"));
			assertThat(nextOf(watch)).isEqualTo(RecordChange.of(record("sound", 1, "first")));
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void watchOfACollectionThatIsGoneBreaks(boolean renamed) {
		insert(record(ID, 1, "first"));
		try (RecordWatch watch = this.store.watch()) {
			if (renamed) {
				this.collection.renameCollection(new MongoNamespace(this.database.getName(), "renamed"));
				assertThat(nextOf(watch)).isEqualTo(RecordChange.UNCLEAR);
			}
			else {
				this.collection.drop();
			}
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> {
				for (int i = 0; i < 60; i++) {
					watch.next();
				}
			}).withMessageContaining("has ended: the collection was dropped or renamed");
		}
	}

	@Test
	void timeLimitOfTheClientDoesNotDisturbTheWatch() {
		assertUndisturbed(settings().timeout(300, TimeUnit.MILLISECONDS));
	}

	/** By default the driver would start again each time, and never return. */
	@Test
	void shortSocketTimeoutOfTheClientDoesNotDisturbTheWatch() {
		assertUndisturbed(settings().applyToSocketSettings((socket) -> socket.readTimeout(300, TimeUnit.MILLISECONDS)));
	}

	private void assertUndisturbed(MongoClientSettings.Builder settings) {
		try (MongoClient impatient = MongoClients.create(settings.build());
				RecordWatch watch = new MongoRecordStore(impatient.getDatabase(this.database.getName()), COLLECTION,
						KIND, WATCH_PATIENCE)
					.watch()) {
			assertThat(assertTimeoutPreemptively(TIMEOUT, watch::next)).isNull();
			insert(record(ID, 1, "first"));
			assertThat(nextOf(watch)).isEqualTo(RecordChange.of(record(ID, 1, "first")));
			assertThat(assertTimeoutPreemptively(TIMEOUT, watch::next)).isNull();
		}
	}

	@Test
	void closedClientLeavesTheOutcomeUnknown() {
		MongoClient closed = MongoClients.create(settings().build());
		MongoRecordStore orphan = new MongoRecordStore(closed.getDatabase(this.database.getName()), COLLECTION, KIND);
		RecordWatch watch = orphan.watch();
		closed.close();
		StoredRecord record = record(ID, 1, "first");
		List<ThrowingCallable> calls = List.of(() -> orphan.read(List.of(ID), TIMEOUT),
				() -> orphan.find(new RecordQuery(null, Duration.ZERO, 1), TIMEOUT),
				() -> orphan.sum(List.of("first"), TIMEOUT), () -> orphan.insert(List.of(record), TIMEOUT),
				() -> orphan.replace(List.of(record), TIMEOUT), () -> orphan.remove(List.of(record), TIMEOUT),
				orphan::watch, watch::next);
		assertThat(calls).allSatisfy((call) -> assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call)
			.withMessageContaining("the client is closed"));
		String place = this.database.getName() + "." + COLLECTION;
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> orphan.read(List.of(ID, "x"), TIMEOUT))
			.withMessageContaining("Could not read 2 records in '" + place + "'");
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> orphan.replace(List.of(record), TIMEOUT))
			.withMessageContaining("Could not replace the record '" + ID + "'");
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> orphan.now(TIMEOUT))
			.withMessageContaining("Could not ask for the time");
		watch.close();
		watch.close();
	}

	@Test
	void timeoutBelowAMillisecondStillSetsALimit() {
		insert(record(ID, 1, "first"));
		this.commands.clear();
		try {
			this.store.read(List.of(ID), Duration.ofNanos(1));
		}
		catch (LeaseStoreException ex) {
			// Expected.
		}
		assertThat(this.commands.all()).allMatch((command) -> command.containsKey("maxTimeMS"));
	}

	@Test
	void editedDocumentsAreFoundAndSummedWherePossible() {
		insert(record("one", 1, "a"), record("two", 2, "a"), record("three", 3, "b"), record("array", 4, "b"));
		this.collection.updateOne(Filters.eq("one"), Updates.set("revision", 5.0));
		this.collection.updateOne(Filters.eq("three"), Updates.set("revision", "x"));
		this.collection.updateOne(Filters.eq("array"), Updates.set("text", List.of("b", "x".repeat(1000))));
		assertThat(this.store.sum(List.of("a", "b"), TIMEOUT)).containsEntry("a", new RecordSum(2, 7))
			.containsEntry("b", new RecordSum(1, 0));
		this.collection.updateOne(Filters.eq("two"), Updates.set("revision", 1.5));
		assertThat(this.store.sum(List.of("a"), TIMEOUT)).isEmpty();
		this.collection.updateMany(Filters.eq("text", "a"), Updates.set("changedAt", "yesterday"));
		RecordReading old = this.store.find(new RecordQuery("a", Duration.ofDays(1), 10), TIMEOUT);
		assertThat(old.records()).containsOnlyKeys("one");
		assertThat(old.damaged()).containsOnlyKeys("two");
		assertThat(old.changedAt()).isEmpty();
	}

	@Test
	void recordThatHasNotBeenChangedForLongIsFound() {
		insert(record("one", 1, "a"), record("two", 1, "a"));
		Instant now = this.store.now(TIMEOUT);
		this.collection.updateOne(Filters.eq("one"), Updates.set("changedAt", now.minus(Duration.ofHours(2))));
		this.collection.updateOne(Filters.eq("two"), Updates.set("changedAt", now));
		assertThat(this.store.find(new RecordQuery("a", Duration.ofHours(1), 10), TIMEOUT).records())
			.containsOnlyKeys("one");
		assertThat(this.store.find(new RecordQuery("a", Duration.ofHours(3), 10), TIMEOUT).records()).isEmpty();
	}

	@Test
	void idEqualOnlyByCollationIsNeitherInsertedNorFound() {
		this.database.createCollection(COLLECTION, new CreateCollectionOptions()
			.collation(Collation.builder().locale("en").collationStrength(CollationStrength.PRIMARY).build()));
		insert(record("name", 1, "first"));
		assertThat(insert(record("NAME", 1, "second"))).isEmpty();
		assertThat(this.store.read(List.of("NAME"), TIMEOUT).records()).isEmpty();
	}

	@Test
	void recordRefusedByTheServerDoesNotAffectOthers() {
		insert(record("one", 1, "first"), record("two", 1, "first"));
		this.database.runCommand(new Document("collMod", COLLECTION).append("validator",
				new Document("text", new Document("$ne", "bad"))));
		assertThat(replace(record("one", 2, "bad"), record("two", 2, "good"))).containsExactly("two");
		assertThat(insert(record("three", 1, "bad"), record("four", 1, "good"))).containsExactly("four");
		assertThatExceptionOfType(RecordRefusedException.class).isThrownBy(() -> replace(record("one", 2, "bad")))
			.withMessageContaining("Could not replace the record 'one' in")
			.withMessageContaining("code 121");
		assertThatExceptionOfType(RecordRefusedException.class).isThrownBy(() -> insert(record("three", 1, "bad")))
			.withMessageContaining("Could not insert the record 'three' in")
			.withMessageContaining("code 121");
	}

	@Test
	void manyRecordsTakeOneCommand() {
		List<StoredRecord> records = IntStream.range(0, 300).mapToObj((i) -> record("id-" + i, 1, "first")).toList();
		this.commands.clear();
		assertThat(this.store.insert(records, TIMEOUT)).hasSize(300);
		assertThat(this.store.replace(records.stream().map((each) -> each.next(each.fields())).toList(), TIMEOUT))
			.hasSize(300);
		assertThat(this.store.read(ids(records), TIMEOUT).records()).hasSize(300);
		assertThat(this.store.remove(records, TIMEOUT)).isEmpty();
		assertThat(this.store.sum(List.of("first"), TIMEOUT)).containsEntry("first", new RecordSum(300, 600));
		assertThat(this.store.find(new RecordQuery("first", Duration.ZERO, 300), TIMEOUT).records()).hasSize(300);
		assertThat(this.commands.names()).containsExactly("insert", "update", "find", "delete", "aggregate", "find");
	}

	@Test
	void commandsHaveMajorityConcernAndTimeLimitDespiteTheClient() {
		this.commands.clear();
		insert(record(ID, 1, "first"));
		replace(record(ID, 2, "second"));
		replace(record(ID, 3, "third"), record("two", 1, "first"));
		read(ID);
		this.store.find(new RecordQuery("third", Duration.ofHours(1), 10), TIMEOUT);
		this.store.sum(List.of("third"), TIMEOUT);
		remove(record(ID, 3, "third"));
		assertThat(this.commands.names()).containsExactly("insert", "findAndModify", "update", "find", "find",
				"aggregate", "delete");
		for (BsonDocument command : this.commands.all()) {
			String name = command.getFirstKey();
			boolean read = name.equals("find") || name.equals("aggregate");
			assertThat(command.getDocument(read ? "readConcern" : "writeConcern")).as(name)
				.containsEntry(read ? "level" : "w", new BsonString("majority"));
			// The driver omits primary, and sends primaryPreferred if connected directly.
			assertThat(command.getDocument("$readPreference", new BsonDocument("mode", new BsonString("primary")))
				.getString("mode")
				.getValue()).as(name).isIn("primary", "primaryPreferred");
			assertThat(command.containsKey("maxTimeMS")).as(name + " has a time limit").isTrue();
		}
	}

	private static RecordChange nextOf(RecordWatch watch) {
		return await().atMost(TIMEOUT).until(watch::next, Objects::nonNull);
	}

	private void edit(String field, Object value) {
		this.collection.updateOne(Filters.eq(ID), Updates.set(field, value));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(ID)).first();
	}

}
