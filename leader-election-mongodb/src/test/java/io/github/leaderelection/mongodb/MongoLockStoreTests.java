package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseWatch;
import io.github.leaderelection.store.LockStore;
import io.github.leaderelection.store.LockStoreContractTests;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link MongoLockStore}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MongoLockStoreTests extends LockStoreContractTests {

	/** Short: some tests wait until nothing has happened. */
	private static final Duration WATCH_PATIENCE = Duration.ofSeconds(1);

	private static final int MANY = 1000;

	private final RecordedCommands commands = new RecordedCommands();

	private MongoClient client;

	private MongoDatabase database;

	private MongoCollection<BsonDocument> collection;

	private MongoLockStore store;

	@BeforeAll
	void connect() {
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(SharedMongo.uri()))
			.addCommandListener(this.commands)
			.build());
	}

	@AfterAll
	void disconnect() {
		this.client.close();
	}

	@BeforeEach
	void createStore() {
		this.database = this.client.getDatabase(SharedMongo.uniqueDatabase());
		this.store = another();
		this.collection = this.database.getCollection(MongoLockStore.COLLECTION, BsonDocument.class);
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
	}

	/** Return what another process would use. */
	private MongoLockStore another() {
		return new MongoLockStore(this.database, MongoLockStore.COLLECTION, null, WATCH_PATIENCE);
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected void pass() {
		// The clock is that of the server.
	}

	@Override
	protected void vanish(String election) {
		this.collection.deleteOne(Filters.eq(election));
	}

	@Test
	void draftIsAsDocumented() {
		create(ELECTION, 6);
		BsonDocument draft = stored();
		assertThat(draft).containsOnlyKeys("_id", "draft");
		assertThat(draft.getDocument("draft")).containsOnlyKeys("id", "term", "ttlMillis")
			.containsEntry("term", new BsonInt64(6))
			.containsEntry("ttlMillis", new BsonInt64(20000));
		assertThat(draft.getDocument("draft").isObjectId("id")).isTrue();
	}

	@Test
	void confirmedDocumentIsAsDocumented() {
		create(ELECTION, 6);
		read(ELECTION);
		BsonDocument confirmed = stored();
		assertThat(confirmed.isDateTime("createdAt")).isTrue();
		confirmed.remove("createdAt");
		assertThat(confirmed)
			.isEqualTo(new BsonDocument("_id", new BsonString(ELECTION)).append("holder", BsonNull.VALUE)
				.append("session", new BsonInt64(0))
				.append("term", new BsonInt64(6))
				.append("revision", new BsonInt64(0))
				.append("ttlMillis", new BsonInt64(20000)));
	}

	@Test
	void floorIsAsDocumented() {
		assertThat(release(elect(ELECTION, "a", 7))).isTrue();
		awaitRemoved(1);
		assertThat(this.collection.find()).containsExactly(
				new BsonDocument("_id", new BsonDocument("floor", new BsonInt32(1))).append("term", new BsonInt64(7)));
		assertThat(release(elect("other", "a", 3 + read("other", 0).term()))).isTrue();
		awaitRemoved(1);
		assertThat(floor()).isEqualTo(11);
	}

	@Test
	void floorIsNotLowered() {
		raiseFloor(50L);
		store("{holder: null, session: 0, term: 7, revision: 2, ttlMillis: 20000, createdAt: {$date: 0}}");
		awaitRemoved(1);
		assertThat(floor()).isEqualTo(50);
	}

	@Test
	void draftThatItsCreatorHasLeftIsConfirmedByAReader() {
		raiseFloor(50L);
		create(ELECTION, 6);
		create("second", 60);
		LeaseReading reading = another().read(List.of(ELECTION, "second", "none"), TIMEOUT);
		assertThat(reading.damaged()).isEmpty();
		assertThat(reading.leases()).isEqualTo(
				Map.of(ELECTION, Lease.vacant(ELECTION, 51, 0, TTL), "second", Lease.vacant("second", 60, 0, TTL)));
		assertThat(this.store.read(List.of(ELECTION, "second"), TIMEOUT)).isEqualTo(reading);
	}

	@Test
	void draftThatNobodyReadsIsConfirmedAndRemovedInTheEnd() {
		create(ELECTION, 0);
		assertThat(removeUnused(Duration.ofDays(1), MANY)).isZero();
		assertThat(stored()).doesNotContainKey("draft").containsKey("createdAt");
		awaitRemoved(1);
		assertThat(stored()).isNull();
	}

	@Test
	void draftCanNeitherBeTakenNorReleasedNorConfirmedAsAnother() {
		create(ELECTION, 0);
		BsonDocument draft = stored();
		Lease vacant = Lease.vacant(ELECTION, 0, 0, TTL);
		assertThat(take(vacant, "a", 1)).isEmpty();
		assertThat(release(vacant)).isFalse();
		assertThat(this.collection.deleteOne(LockDocument.isStillVacant(vacant)).getDeletedCount()).isZero();
		vanish(ELECTION);
		create(ELECTION, 0);
		assertThat(
				this.collection.updateOne(LockDocument.isStillDraft(ELECTION, draft), LockDocument.confirmation(vacant))
					.getMatchedCount())
			.isZero();
		assertThat(stored()).containsOnlyKeys("_id", "draft");
	}

	@Test
	void onlyOneOfManyReadersConfirmsADraft() throws Exception {
		for (int round = 0; round < 20; round++) {
			String lock = "lock-" + round;
			create(lock, 0);
			List<LeaseReading> readings = race((racer) -> () -> another().read(List.of(lock), TIMEOUT));
			assertThat(readings).extracting((reading) -> reading.leases().get(lock))
				.containsOnly(Lease.vacant(lock, 0, 0, TTL));
		}
	}

	@Test
	void leaseThatWasTakenSinceItWasFoundUnusedStays() {
		assertThat(release(elect(ELECTION, "a", 1))).isTrue();
		Lease seen = read(ELECTION);
		Lease taken = elect(ELECTION, "b", 2);
		assertThat(release(taken)).isTrue();
		assertThat(this.collection.deleteOne(LockDocument.isStillVacant(seen)).getDeletedCount()).isZero();
		assertThat(this.collection.deleteOne(LockDocument.isStillVacant(read(ELECTION))).getDeletedCount()).isOne();
	}

	@Test
	void watchShowsNeitherDraftsNorTheFloor() {
		try (LeaseWatch watch = this.store.watch()) {
			raiseFloor(5L);
			create(ELECTION, 0);
			raiseFloor(6L);
			assertThat(watch.next()).isNull();
			assertThat(watch.next()).isNull();
			assertThat(watch.next()).isNull();
			Lease lease = read(ELECTION);
			assertThat(watch.next()).satisfies((change) -> assertThat(change.lease()).isEqualTo(lease));
		}
	}

	@Test
	void manyAreReadConfirmedAndRemovedByAFewCommands() {
		List<String> locks = IntStream.range(0, 250).mapToObj((index) -> "lock-" + index).toList();
		this.store.read(locks, TIMEOUT);
		this.commands.clear();
		assertThat(this.store.create(locks.stream().map((lock) -> Lease.vacant(lock, 0, 0, TTL)).toList(), TIMEOUT))
			.hasSize(250);
		assertThat(this.store.read(locks, TIMEOUT).leases()).hasSize(250);
		assertThat(this.store.read(locks, TIMEOUT).leases()).hasSize(250);
		assertThat(this.commands.names()).containsExactly("insert", "find", "update", "find");
		this.collection.updateMany(Filters.exists("createdAt"), Updates.set("createdAt", new Date(0)));
		this.commands.clear();
		assertThat(removeUnused(Duration.ofDays(1), MANY)).isEqualTo(250);
		assertThat(this.commands.names().get(0)).isEqualTo("find");
		assertThat(this.commands.names().stream().filter((name) -> !name.equals("getMore"))).containsExactly("find",
				"findAndModify", "delete");
	}

	@Test
	void everythingHasMajorityConcernAndATimeLimit() {
		this.commands.clear();
		assertThat(release(elect(ELECTION, "a", 1))).isTrue();
		awaitRemoved(1);
		assertThat(this.commands.names()).contains("insert", "find", "update", "findAndModify", "delete");
		for (BsonDocument command : this.commands.all()) {
			String concern = command.getFirstKey().equals("find") ? "readConcern" : "writeConcern";
			assertThat(command.getDocument(concern).values()).as(command.getFirstKey())
				.contains(new BsonString("majority"));
			assertThat(command.containsKey("maxTimeMS")).as(command.getFirstKey()).isTrue();
		}
	}

	/** A plan that sorts what it has read might have read the floor first. */
	@Test
	void floorIsReadAfterAllDrafts() {
		elect(ELECTION, "a", 1);
		raiseFloor(1L);
		this.commands.clear();
		this.store.read(List.of(ELECTION, "\uffff", "another"), TIMEOUT);
		BsonDocument find = this.commands.all().get(0);
		assertThat(find.getDocument("sort")).isEqualTo(new BsonDocument("_id", new BsonInt32(1)));
		Document explained = this.database.runCommand(new Document("explain",
				new Document("find", MongoLockStore.COLLECTION).append("filter", find.get("filter"))
					.append("projection", find.get("projection"))
					.append("sort", find.get("sort"))));
		assertThat(explained.get("queryPlanner", Document.class).get("winningPlan", Document.class).toJson())
			.contains("\"IXSCAN\"")
			.contains("\"forward\"")
			.doesNotContain("\"SORT\"");
		this.collection.insertOne(new BsonDocument("_id", new BsonString("\uffff")));
		assertThat(this.collection.find().sort(new BsonDocument("_id", new BsonInt32(1)))).last()
			.satisfies((last) -> assertThat(last.get("_id")).isEqualTo(LockDocument.FLOOR));
	}

	@Test
	void nothingIsRemovedWhereTheFloorCantBeRaised() {
		assertThat(release(elect(ELECTION, "a", 1))).isTrue();
		raiseFloor("high");
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> awaitRemoved(1))
			.withMessageContaining(
					"the floor of all terms, in the document {\"floor\": 1}, can't be relied on: 'term' must");
		assertThat(isThere(ELECTION)).isTrue();
	}

	@Test
	void nothingIsConfirmedWhereTheFloorCantBeUnderstood() {
		Lease held = elect("held", "a", 1);
		raiseFloor("high");
		create(ELECTION, 0);
		LeaseReading reading = this.store.read(List.of(ELECTION, "held"), TIMEOUT);
		assertThat(reading.leases()).isEqualTo(Map.of("held", held));
		assertThat(reading.damaged()).containsOnlyKeys(ELECTION);
		assertThat(reading.damaged().get(ELECTION)).contains("the floor of all terms");
		assertThat(stored()).containsOnlyKeys("_id", "draft");
		raiseFloor(4L);
		assertThat(read(ELECTION).term()).isEqualTo(5);
	}

	@Test
	void floorThatCantBeDecodedIsDamageOfTheFloorAlone() {
		Lease held = elect("held", "a", 1);
		Lease unused = elect("unused", "a", 1);
		assertThat(release(unused)).isTrue();
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertOne(new RawDocuments().with("_id", LockDocument.FLOOR).with("term", RawDocuments.UNDECODABLE).end());
		create(ELECTION, 0);
		LeaseReading reading = this.store.read(List.of(ELECTION, "held"), TIMEOUT);
		assertThat(reading.leases()).isEqualTo(Map.of("held", held));
		assertThat(reading.damaged()).containsOnlyKeys(ELECTION);
		assertThat(reading.damaged().get(ELECTION)).contains("the floor of all terms")
			.contains("'term' can't be decoded");
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> awaitRemoved(1))
			.withMessageContaining("the floor of all terms");
		assertThat(isThere("unused")).isTrue();
	}

	@Test
	void floorLeavesATermToTheNext() {
		raiseFloor(Lease.MAX_TERM - 1);
		create(ELECTION, 0);
		assertThat(read(ELECTION).term()).isEqualTo(Lease.MAX_TERM);
		raiseFloor(Lease.MAX_TERM);
		create("second", 0);
		assertThat(this.store.read(List.of("second"), TIMEOUT).damaged()).containsOnlyKeys("second");
	}

	@Test
	void leaseThatIsDamagedOrFarAheadIsNotRemoved() {
		store("{holder: null, session: 0, term: {$numberLong: '4503599627370496'}, revision: 2, ttlMillis: 20000, createdAt: {$date: 0}}");
		this.collection.insertMany(List.of(
				BsonDocument
					.parse("{_id: 'a', holder: null, term: 1, revision: 'x', ttlMillis: 1, createdAt: {$date: 0}}"),
				BsonDocument.parse("{_id: 'b', holder: 7, term: 1, revision: 1, ttlMillis: 1, createdAt: {$date: 0}}"),
				BsonDocument.parse("{_id: 'c', term: 1, revision: 1, ttlMillis: 1, createdAt: {$date: 0}}"),
				BsonDocument.parse("{_id: 1, holder: null, term: 1, revision: 1, ttlMillis: 1, createdAt: {$date: 0}}"),
				BsonDocument
					.parse("{_id: 'd', holder: null, term: 1, revision: 1, ttlMillis: 1, createdAt: {$date: 0}}")
					.append("note", new BsonString("x".repeat(20_000)))));
		assertThat(removeUnused(Duration.ofDays(1), MANY)).isZero();
		assertThat(this.collection.countDocuments()).isEqualTo(6);
	}

	@Test
	void draftThatSomebodyHasEditedIsReported() {
		this.collection.insertMany(List.of(BsonDocument.parse("{_id: 'a', draft: {term: 1, ttlMillis: 1}}"),
				BsonDocument.parse("{_id: 'b', draft: {id: {$oid: '64b5f0f0f0f0f0f0f0f0f0f0'}, ttlMillis: 1}}"),
				BsonDocument.parse("{_id: 'c', draft: {id: {$oid: '64b5f0f0f0f0f0f0f0f0f0f0'}, term: 1}}"),
				BsonDocument.parse("{_id: 'd', draft: 7}")));
		create(ELECTION, 0);
		LeaseReading reading = this.store.read(List.of("a", "b", "c", "d", ELECTION), TIMEOUT);
		assertThat(reading.leases()).containsOnlyKeys(ELECTION);
		assertThat(reading.damaged().get("a")).contains("'draft.id' must be an object id but is missing");
		assertThat(reading.damaged().get("b")).contains("'term' must be");
		assertThat(reading.damaged().get("c")).contains("'ttlMillis' must be");
		assertThat(reading.damaged().get("d")).contains("'term' must be");
	}

	@Test
	void leaseWithANoteThatIsCalledDraftStaysALease() {
		Lease held = elect(ELECTION, "a", 5);
		this.collection.updateOne(Filters.eq(ELECTION), Updates.set("draft", stored().clone()));
		assertThat(read(ELECTION)).isEqualTo(held);
	}

	@Test
	void draftIsNoLeaseYetWhereItCantBeConfirmed() {
		Lease held = elect("held", "a", 1);
		create(ELECTION, 0);
		this.database
			.runCommand(new Document("collMod", MongoLockStore.COLLECTION).append("validator", new Document("$or",
					List.of(new Document("_id", "held"), new Document("draft", new Document("$exists", true))))));
		LeaseReading reading = this.store.read(List.of(ELECTION, "held"), TIMEOUT);
		assertThat(reading.leases()).isEqualTo(Map.of("held", held));
		assertThat(reading.damaged()).isEmpty();
		this.database
			.runCommand(new Document("collMod", MongoLockStore.COLLECTION).append("validator", new Document()));
		assertThat(isThere(ELECTION)).isTrue();
	}

	@Test
	void createdAgainByADraftIsLeftToTheFirst() {
		create(ELECTION, 3);
		assertThat(another().create(List.of(Lease.vacant(ELECTION, 9, 0, TTL)), TIMEOUT)).isEmpty();
		assertThat(read(ELECTION).term()).isEqualTo(3);
	}

	@Test
	void locksAreApartFromElectionsButSessionsAreNot() {
		MongoLeaseStore elections = new MongoLeaseStore(this.database);
		MongoLockStore chosen = new MongoLockStore(this.database, "my_locks", null);
		elect(ELECTION, "a", 1);
		assertThat(elections.read(List.of(ELECTION), TIMEOUT).leases()).isEmpty();
		assertThat(chosen.read(List.of(ELECTION), TIMEOUT).leases()).isEmpty();
		chosen.create(List.of(Lease.vacant("chosen", 0, 0, TTL)), TIMEOUT);
		assertThat(this.database.getCollection("my_locks").countDocuments()).isOne();
		Session session = Session.first("a", 1, TTL);
		assertThat(this.store.create(session, TIMEOUT)).isTrue();
		assertThat(elections.sessions(List.of("a#1"), TIMEOUT).sessions()).containsOnlyKeys("a#1");
		assertThat(this.store.release(List.of(new LeaseRelease(read(ELECTION), null)), TIMEOUT)).isOne();
		assertThat(this.database.listCollectionNames().into(new ArrayList<>())).contains(MongoLockStore.COLLECTION,
				MongoLeaseStore.SESSIONS);
	}

	/** Create the lease, if there is none, and read it. */
	private Lease read(String election, long term) {
		create(election, term);
		return read(election);
	}

	private void raiseFloor(Object term) {
		this.collection.updateOne(LockDocument.isFloor(), Updates.set("term", term), new UpdateOptions().upsert(true));
	}

	private long floor() {
		BsonDocument floor = this.collection.find(LockDocument.isFloor()).first();
		assertThat(floor).isNotNull();
		return floor.getInt64("term").getValue();
	}

	private void store(String document) {
		this.collection.insertOne(BsonDocument.parse(document).append("_id", new BsonString(ELECTION)));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(ELECTION)).first();
	}

}
