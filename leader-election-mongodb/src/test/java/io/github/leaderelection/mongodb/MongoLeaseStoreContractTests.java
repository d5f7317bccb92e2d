package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRelease;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreContractTests;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseTaking;
import io.github.leaderelection.store.LeaseWatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.Document;
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
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/**
 * What {@link MongoLeaseStore} adds to the contract: the stored document, and what goes
 * over the wire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MongoLeaseStoreContractTests extends LeaseStoreContractTests {

	/** Short: some tests wait until nothing has happened. */
	private static final Duration WATCH_PATIENCE = Duration.ofSeconds(1);

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

	@AfterAll
	void disconnect() {
		this.client.close();
	}

	@BeforeEach
	void createStore() {
		this.database = this.client.getDatabase(SharedMongo.uniqueDatabase());
		this.store = new MongoLeaseStore(this.database, null, WATCH_PATIENCE);
		// Looks behind the store's back shall see what it wrote, and write for good.
		this.collection = this.database.getCollection(MongoLeaseStore.COLLECTION, BsonDocument.class)
			.withReadPreference(ReadPreference.primary())
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
	}

	@Override
	protected LeaseStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String election) {
		this.collection.deleteOne(Filters.eq(election));
	}

	@Test
	void createdDocumentIsAsDocumented() {
		create(ELECTION, 6);
		assertThat(stored())
			.isEqualTo(new BsonDocument("_id", new BsonString(ELECTION)).append("holder", BsonNull.VALUE)
				.append("session", new BsonInt64(0))
				.append("term", new BsonInt64(6))
				.append("revision", new BsonInt64(0))
				.append("ttlMillis", new BsonInt64(20000)));
	}

	@Test
	void takenDocumentIsAsDocumented() {
		elect(ELECTION, "a", 7);
		BsonDocument document = stored();
		assertThat(document).containsOnlyKeys("_id", "holder", "session", "term", "revision", "ttlMillis", "electedAt");
		assertThat(document.getString("holder").getValue()).isEqualTo("a");
		assertThat(document.getInt64("session").getValue()).isEqualTo(1);
		assertThat(document.getInt64("term").getValue()).isEqualTo(7);
		assertThat(document.getInt64("revision").getValue()).isEqualTo(1);
		assertThat(document.getInt64("ttlMillis").getValue()).isEqualTo(20000);
		assertThat(document.isDateTime("electedAt")).isTrue();
	}

	@Test
	void releasedDocumentIsAsDocumented() {
		assertThat(this.store.release(List.of(new LeaseRelease(elect(ELECTION, "a", 7), "b")), TIMEOUT)).isOne();
		BsonDocument document = stored();
		assertThat(document)
			.containsOnlyKeys("_id", "holder", "session", "term", "revision", "ttlMillis", "electedAt", "successor")
			.containsEntry("holder", BsonNull.VALUE)
			.containsEntry("session", new BsonInt64(0))
			.containsEntry("revision", new BsonInt64(2))
			.containsEntry("successor", new BsonString("b"));
	}

	@Test
	void documentThatAsksIsAsDocumented() {
		Lease held = elect(ELECTION, "a", 7);
		assertThat(this.store.ask(held, new HandoverRequest(7, "b", "c"), TIMEOUT)).isTrue();
		assertThat(stored().getDocument("request"))
			.isEqualTo(new BsonDocument("term", new BsonInt64(7)).append("by", new BsonString("c"))
				.append("successor", new BsonString("b")));
		assertThat(this.store.release(List.of(new LeaseRelease(held, null)), TIMEOUT)).isOne();
		assertThat(stored()).doesNotContainKey("request");
	}

	@ParameterizedTest
	@ValueSource(strings = { "7", "{term: 7.5, by: 'c'}", "{term: {$numberLong: '7'}}",
			"{term: {$numberLong: '7'}, by: 7}", "{by: 'c'}", "{term: {$numberLong: '7'}, by: 'c', successor: 7}" })
	void whatCannotBeUnderstoodIsNotAskedFor(String request) {
		store("{holder: 'a', session: 1, term: 7, revision: 5, ttlMillis: 20000, request: " + request + "}");
		assertThat(read(ELECTION)).isEqualTo(new Lease(ELECTION, "a", 1, 7, 5, TTL, null, null));
	}

	@Test
	void leaseOfABuildWithoutSessionsIsLeftToItUntilSomebodyFreesIt() {
		String held = "{holder: 'a', term: 3, revision: 5, ttlMillis: 20000, electedAt: {$date: 0}, renewedAt: {$date: 0}}";
		store(held);
		assertThat(this.store.read(List.of(ELECTION), TIMEOUT).damaged().get(ELECTION))
			.contains("'session' must be a whole number but is missing: a build without sessions holds the lease")
			.contains("Stop all instances of that build first, then set 'holder' to null");
		this.collection.updateOne(Filters.eq(ELECTION), Updates.set("holder", null));
		assertThat(elect(ELECTION, "b", 4)).isEqualTo(read(ELECTION));
	}

	@Test
	void leaseThatAnEarlierVersionHasReleasedIsVacant() {
		store("{holder: null, term: 3, revision: 5, ttlMillis: 20000, renewedAt: {$date: 0}, successor: 'b'}");
		Lease vacant = read(ELECTION);
		assertThat(vacant).isEqualTo(new Lease(ELECTION, null, 0, 3, 5, TTL, null, "b"));
		assertThat(release(vacant)).isTrue();
		assertThat(elect(ELECTION, "b", 4)).isEqualTo(read(ELECTION));
	}

	@Test
	void fieldsThatAreNotKnownStayAsTheyAre() {
		create(ELECTION, 0);
		this.collection.updateOne(Filters.eq(ELECTION), Updates.set("note", "hands off"));
		assertThat(release(elect(ELECTION, "a", 1))).isTrue();
		assertThat(stored().getString("note").getValue()).isEqualTo("hands off");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					{}                                                                        | 'term'
					{holder: null, revision: 1, ttlMillis: 1}                                 | 'term' must be
					{holder: null, term: 'x', revision: 1, ttlMillis: 1}                      | is a string
					{holder: null, term: null, revision: 1, ttlMillis: 1}                     | is null
					{holder: null, term: 1.5, revision: 1, ttlMillis: 1}                      | is 1.5
					{holder: null, term: NaN, revision: 1, ttlMillis: 1}                      | is NaN
					{holder: null, term: -1, revision: 1, ttlMillis: 1}                       | is -1
					{holder: null, term: {"$numberLong": "9223372036854775807"}, revision: 1, ttlMillis: 1} | 'term' must be
					{holder: null, term: 1, ttlMillis: 1}                                     | 'revision' must be
					{holder: null, term: 1, revision: -1, ttlMillis: 1}                       | 'revision' must be
					{holder: null, term: 1, revision: 1}                                      | is missing
					{holder: null, term: 1, revision: 1, ttlMillis: 0}                        | is 0
					{holder: null, term: 1, revision: 1, ttlMillis: -5}                       | is -5
					{holder: null, term: 1, revision: 1, ttlMillis: 1e300}                    | 'ttlMillis' must be
					{holder: null, term: 1, revision: 1, ttlMillis: {"$numberLong": "9223372036854775807"}} | 'ttlMillis' must be
					{term: 1, revision: 1, ttlMillis: 1}                                      | 'holder' must be
					{holder: 7, term: 1, revision: 1, ttlMillis: 1}                           | is 7
					{holder: '', term: 1, revision: 1, ttlMillis: 1}                          | is an empty string
					{holder: {}, term: 1, revision: 1, ttlMillis: 1}                          | is of type DOCUMENT
					{holder: 'a', term: 1, revision: 1, ttlMillis: 1}                         | 'session' must be
					{holder: 'a', session: null, term: 1, revision: 1, ttlMillis: 1}            | is null
					{holder: 'a', session: 'x', term: 1, revision: 1, ttlMillis: 1}             | is a string
					{holder: 'a', session: 0, term: 1, revision: 1, ttlMillis: 1}              | is 0
					{holder: 'a', session: -1, term: 1, revision: 1, ttlMillis: 1}              | is -1
					{holder: 'a', session: 9007199254740992.0, term: 1, revision: 1, ttlMillis: 1} | 'session' must be
					""")
	void damagedDocumentIsReportedBesideTheOthers(String document, String damage) {
		elect("sound", "a", 1);
		store(document);
		LeaseReading reading = this.store.read(List.of(ELECTION, "sound"), TIMEOUT);
		assertThat(reading.leases()).containsOnlyKeys("sound");
		assertThat(reading.damaged()).containsOnlyKeys(ELECTION);
		assertThat(reading.damaged().get(ELECTION)).contains(damage);
	}

	@ParameterizedTest
	@ValueSource(strings = { "{holder: 'a', session: 2, term: 3, revision: 5, ttlMillis: 20000}",
			"{holder: 'a', session: 2.0, term: 3.0, revision: 5.0, ttlMillis: 20000.0, electedAt: 'yesterday'}",
			"{holder: 'a', session: 2, term: 3, revision: 5.0, ttlMillis: 20000, electedAt: null, more: {x: 1}}" })
	void documentEditedInAShellIsUnderstood(String document) {
		store(document);
		Lease lease = read(ELECTION);
		assertThat(lease).isEqualTo(new Lease(ELECTION, "a", 2, 3, 5, TTL, null, null));
		Lease taken = take(lease, "b", 4).orElseThrow();
		assertThat(read(ELECTION)).isEqualTo(taken);
		assertThat(release(taken)).isTrue();
		assertThat(read(ELECTION)).isEqualTo(taken.released(null));
	}

	@Test
	void leaseEditedInAShellCanBeReleased() {
		store("{holder: 'a', session: 2.0, term: 3.0, revision: 5.0, ttlMillis: 20000.0}");
		assertThat(release(read(ELECTION))).isTrue();
		assertThat(read(ELECTION)).isEqualTo(Lease.vacant(ELECTION, 3, 6, TTL));
	}

	@Test
	void whatAVacantLeaseSaysOfASessionIsIgnored() {
		store("{holder: null, session: 'x', term: 3, revision: 5, ttlMillis: 20000}");
		assertThat(read(ELECTION)).isEqualTo(Lease.vacant(ELECTION, 3, 5, TTL));
	}

	@Test
	void whoeverHoldsALeaseThatCanBeReadCanHaveASession() {
		store("{holder: '%s', session: %d, term: 3, revision: 5, ttlMillis: %d}".formatted("ä".repeat(512),
				Session.MAX_NUMBER, Duration.ofDays(366).toMillis()));
		Lease lease = read(ELECTION);
		Session largest = new Session("ä".repeat(512), lease.session(), Session.MAX_NUMBER - 1, lease.ttl(), null,
				false);
		assertThat(this.store.create(largest, TIMEOUT)).isTrue();
		assertThat(this.store.renew(largest.renewed(), TIMEOUT)).isTrue();
		assertThat(this.store.sessions(List.of(largest.id()), TIMEOUT).sessions().get(largest.id())).isNotNull();
	}

	@Test
	void holderForWhichThereIsNoRoomInASessionIsDamage() {
		store("{holder: '%sx', session: 2, term: 3, revision: 5, ttlMillis: 1}".formatted("ä".repeat(512)));
		assertThat(this.store.read(List.of(ELECTION), TIMEOUT).damaged().get(ELECTION))
			.contains("'holder' must have 1024 bytes at most, or it can have no session, but has 1025");
	}

	@Test
	void createLeavesADamagedDocumentAlone() {
		store("{holder: 7}");
		assertThat(create(ELECTION, 0)).isFalse();
		assertThat(stored().getInt32("holder").getValue()).isEqualTo(7);
	}

	@Test
	void hundredsOfLeasesAreReadByOneCommand() {
		List<String> elections = electMany(250);
		this.commands.clear();
		assertThat(this.store.read(elections, TIMEOUT).leases()).hasSize(250);
		assertThat(this.commands.names()).containsExactly("find");
	}

	@Test
	void leasesThatAreAsKnownAreNotRead() {
		Map<String, Lease> known = this.store.read(electMany(250), TIMEOUT).leases();
		this.commands.clear();
		assertThat(this.store.read(known.keySet(), known.values(), TIMEOUT).leases()).isEqualTo(known);
		assertThat(this.commands.names()).containsExactly("aggregate");
		assertThat(this.commands.all().get(0).toJson()).doesNotContain("'a'");
	}

	@Test
	void fewLeasesAreReadThoughTheyAreAsKnown() {
		Map<String, Lease> known = this.store.read(electMany(16), TIMEOUT).leases();
		this.commands.clear();
		assertThat(this.store.read(known.keySet(), known.values(), TIMEOUT).leases()).isEqualTo(known);
		assertThat(this.commands.names()).containsExactly("find");
	}

	@Test
	void onlyTheLeasesOfWhomeverTheSumsTellOtherThanIsKnownAreRead() {
		List<String> elections = electMany(40);
		elect("another", "b", 1);
		elect("one-more", "b", 1);
		Map<String, Lease> known = this.store.read(with(elections, "another", "one-more"), TIMEOUT).leases();
		release(known.get("another"));
		this.commands.clear();
		LeaseReading reading = this.store.read(known.keySet(), known.values(), TIMEOUT);
		assertThat(this.commands.names()).containsExactly("aggregate", "find");
		assertThat(this.commands.all().get(1).getDocument("filter").getDocument("_id").getArray("$in"))
			.containsExactlyInAnyOrder(new BsonString("another"), new BsonString("one-more"));
		assertThat(reading.leases()).hasSize(42).containsEntry("another", read("another"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{$inc: {term: 1}}", "{$inc: {revision: 1}}", "{$inc: {session: 1}}",
			"{$inc: {ttlMillis: 1}}", "{$set: {electedAt: {$date: 7}}}", "{$set: {electedAt: 'yesterday'}}",
			"{$set: {holder: 'b'}}", "{$set: {holder: null}}", "{$unset: {holder: 1}}", "{$set: {holder: ['a']}}",
			"{$set: {term: '1'}}", "{$set: {revision: 1.5}}", "{$unset: {session: 1}}", "{$set: {paused: true}}",
			"{$set: {request: {term: {$numberLong: '1'}, by: 'b'}}}" })
	void whateverIsEditedIsSeenAmongManyThatAreAsKnown(String change) {
		Map<String, Lease> known = this.store.read(with(electMany(50), ELECTION), TIMEOUT).leases();
		store("{holder: 'a', session: 1, term: 1, revision: 1, ttlMillis: 20000, electedAt: {$date: 1}}");
		Map<String, Lease> before = new HashMap<>(known);
		before.put(ELECTION, read(ELECTION));
		this.collection.updateOne(Filters.eq(ELECTION), BsonDocument.parse(change));
		LeaseReading now = this.store.read(before.keySet(), TIMEOUT);
		assertThat(this.store.read(before.keySet(), before.values(), TIMEOUT)).isEqualTo(now);
		if (!change.contains("yesterday")) {
			this.commands.clear();
			this.store.read(before.keySet(), before.values(), TIMEOUT);
			assertThat(this.commands.names()).containsExactly("aggregate", "find");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "paused: true", "request: {term: {$numberLong: '1'}, by: 'b'}" })
	void whatIsTakenBackIsSeenAmongManyThatAreAsKnown(String mark) {
		store("{holder: 'a', session: 1, term: 1, revision: 1, ttlMillis: 20000, %s}".formatted(mark));
		Map<String, Lease> known = this.store.read(with(electMany(50), ELECTION), TIMEOUT).leases();
		this.collection.updateOne(Filters.eq(ELECTION),
				BsonDocument.parse("{$unset: {%s: 1}}".formatted(mark.substring(0, mark.indexOf(':')))));
		assertThat(this.store.read(known.keySet(), known.values(), TIMEOUT).leases()).containsEntry(ELECTION,
				read(ELECTION));
	}

	@Test
	void whoeverHoldsAnotherLeaseInsteadIsFoundOut() {
		Map<String, Lease> known = this.store.read(electMany(50), TIMEOUT).leases();
		Lease given = known.values().iterator().next();
		String election = given.election();
		store("{holder: 'a', session: 1, term: 1, revision: 1, ttlMillis: 20000, electedAt: {$date: 8}}");
		this.collection.updateOne(Filters.eq(election), Updates.set("holder", null));
		assertThat(this.store.read(known.keySet(), known.values(), TIMEOUT).leases().get(election).isVacant()).isTrue();
	}

	/** Such numbers can't be added up: there would be another sum than is known. */
	@Test
	void leasesThatAreAsKnownAreNotReadHoweverGreatTheNumbersOfTheirSessions() {
		List<String> elections = electMany(40);
		this.collection.updateMany(Filters.in("_id", elections.subList(0, 20)),
				Updates.set("session", Session.MAX_NUMBER));
		this.collection.updateMany(Filters.in("_id", elections.subList(20, 40)),
				Updates.set("session", Session.MAX_NUMBER - 1));
		Map<String, Lease> known = this.store.read(elections, TIMEOUT).leases();
		this.commands.clear();
		assertThat(this.store.read(elections, known.values(), TIMEOUT).leases()).isEqualTo(known);
		assertThat(this.commands.names()).containsExactly("aggregate");
	}

	private static List<String> with(List<String> elections, String... more) {
		return Stream.concat(elections.stream(), Stream.of(more)).toList();
	}

	@Test
	void aHundredLeasesAreReleasedByOneCommand() {
		List<LeaseRelease> releases = this.store.read(electMany(100), TIMEOUT)
			.leases()
			.values()
			.stream()
			.map((lease) -> new LeaseRelease(lease, null))
			.toList();
		this.commands.clear();
		assertThat(this.store.release(releases, TIMEOUT)).isEqualTo(100);
		assertThat(this.commands.names()).containsExactly("update");
		assertThat(this.commands.all().get(0).getArray("updates")).hasSize(100);
	}

	@Test
	void everythingHasMajorityConcernAndATimeLimitWhateverTheClientSays() {
		this.commands.clear();
		Lease held = elect(ELECTION, "a", 1);
		release(held);
		Session session = Session.first("a", 1, TTL);
		this.store.create(session, TIMEOUT);
		this.store.renew(session.renewed(), TIMEOUT);
		this.store.expire(session.renewed(), TIMEOUT);
		this.store.sessions(List.of("a#1"), TIMEOUT);
		this.store.close(session, TIMEOUT);
		try (LeaseWatch watch = this.store.watch()) {
			watch.next();
		}
		assertThat(this.commands.names()).contains("insert", "findAndModify", "update", "delete", "find", "aggregate");
		for (BsonDocument command : this.commands.all()) {
			String name = command.getFirstKey();
			switch (name) {
				case "insert", "findAndModify", "update", "delete" ->
					assertThat(command.getDocument("writeConcern")).as(name)
						.containsEntry("w", new BsonString("majority"));
				case "find", "aggregate" -> assertThat(command.getDocument("readConcern")).as(name)
					.containsEntry("level", new BsonString("majority"));
				default -> assertThat(name).isEqualTo("getMore");
			}
			// The driver leaves the primary unnamed, or prefers what it is connected to.
			assertThat(command.getDocument("$readPreference", new BsonDocument("mode", new BsonString("primary")))
				.getString("mode")
				.getValue()).as(name).isIn("primary", "primaryPreferred");
			assertThat(command.containsKey("maxTimeMS")).as(name + " has a time limit").isTrue();
		}
	}

	@Test
	void severalTakingsThatAllFailAreAnErrorNotMerelyRefused() {
		create("first", 0);
		create("second", 0);
		this.database.runCommand(new Document("collMod", MongoLeaseStore.COLLECTION).append("validator",
				new Document("holder", new Document("$type", "null"))));
		List<LeaseTaking> takings = Stream.of("first", "second")
			.map((election) -> taking(read(election), "a", 1))
			.toList();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.take(takings, TIMEOUT))
			.withMessageContaining("Could not take 2 leases")
			.withMessageContaining("code 121");
	}

	@Test
	void oneOfSeveralTakingsThatFailsDoesNotKeepTheOthersFromBeingTaken() {
		create("first", 0);
		create("second", 0);
		this.database.runCommand(new Document("collMod", MongoLeaseStore.COLLECTION).append("validator",
				new Document("$or", List.of(new Document("_id", "first"), new Document("holder", null)))));
		List<LeaseTaking> takings = Stream.of("first", "second")
			.map((election) -> taking(read(election), "a", 1))
			.toList();
		assertThat(this.store.take(takings, TIMEOUT)).containsOnlyKeys("first");
	}

	@Test
	void watchShowsWhatSomebodyHasRepaired() {
		elect(ELECTION, "a", 1);
		this.collection.updateOne(Filters.eq(ELECTION), Updates.set("ttlMillis", "x"));
		try (LeaseWatch watch = this.store.watch()) {
			this.collection.updateOne(Filters.eq(ELECTION), Updates.set("ttlMillis", 5000L));
			awaitChange(watch, (change) -> change.lease() != null && change.lease().isHeldBy("a"));
		}
	}

	@Test
	void watchAsksForALookWhenADocumentIsDamaged() {
		elect(ELECTION, "a", 1);
		try (LeaseWatch watch = this.store.watch()) {
			this.collection.updateOne(Filters.eq(ELECTION), Updates.set("term", "x"));
			awaitChange(watch, (change) -> change.lease() == null);
		}
	}

	@Test
	void watchEndsWhenTheCollectionIsDropped() {
		elect(ELECTION, "a", 1);
		try (LeaseWatch watch = this.store.watch()) {
			this.collection.drop();
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> awaitChange(watch, (change) -> change.lease() != null))
				.withMessageContaining("has ended");
			assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
		}
	}

	@Test
	void watchEndsWhenTheCollectionIsRenamed() {
		elect(ELECTION, "a", 1);
		try (LeaseWatch watch = this.store.watch()) {
			this.collection.renameCollection(new MongoNamespace(this.database.getName(), "renamed"));
			awaitChange(watch, (change) -> change.lease() == null);
			assertThatExceptionOfType(LeaseStoreException.class)
				.isThrownBy(() -> awaitChange(watch, (change) -> change.lease() != null))
				.withMessageContaining("has ended");
		}
	}

	@Test
	void watchCanBeOpenedBeforeThereIsALease() {
		try (LeaseWatch watch = this.store.watch()) {
			elect(ELECTION, "a", 1);
			awaitChange(watch, (change) -> change.lease() != null && change.lease().isHeldBy("a"));
		}
	}

	@Test
	void closedWatchShowsNothingMore() {
		LeaseWatch watch = this.store.watch();
		watch.close();
		watch.close();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(watch::next);
	}

	@Test
	void timeLimitOfTheClientDoesNotDisturbTheWatch() {
		MongoClientSettings settings = settings().timeout(300, TimeUnit.MILLISECONDS).build();
		try (MongoClient impatient = MongoClients.create(settings);
				LeaseWatch watch = new MongoLeaseStore(impatient.getDatabase(this.database.getName()), null,
						WATCH_PATIENCE)
					.watch()) {
			assertThat(watch.next()).isNull();
			elect(ELECTION, "a", 1);
			awaitChange(watch, (change) -> change.lease() != null && change.lease().isHeldBy("a"));
			assertThat(watch.next()).isNull();
		}
	}

	@Test
	void shortSocketTimeoutOfTheClientDoesNotDisturbTheWatch() {
		MongoClientSettings settings = settings()
			.applyToSocketSettings((socket) -> socket.readTimeout(300, TimeUnit.MILLISECONDS))
			.build();
		try (MongoClient impatient = MongoClients.create(settings);
				LeaseWatch watch = new MongoLeaseStore(impatient.getDatabase(this.database.getName()), null,
						WATCH_PATIENCE)
					.watch()) {
			// Left to itself the driver would start anew each time, and never return.
			assertThat(assertTimeoutPreemptively(TIMEOUT, watch::next)).isNull();
			assertThat(assertTimeoutPreemptively(TIMEOUT, watch::next)).isNull();
		}
	}

	@Test
	void closedClientIsAnUnknownOutcome() {
		MongoClient closed = MongoClients.create(settings().build());
		MongoLeaseStore orphan = new MongoLeaseStore(closed.getDatabase(this.database.getName()));
		LeaseWatch watch = orphan.watch();
		closed.close();
		Lease lease = Lease.vacant(ELECTION, 0, 0, TTL);
		Session session = Session.first("a", 1, TTL);
		assertUnknown(() -> orphan.read(List.of(ELECTION), TIMEOUT));
		assertUnknown(() -> orphan.create(List.of(lease), TIMEOUT));
		assertUnknown(() -> orphan.take(List.of(taking(lease, "a", 1)), TIMEOUT));
		assertUnknown(() -> orphan.release(List.of(new LeaseRelease(lease, null)), TIMEOUT));
		assertUnknown(() -> orphan.create(session, TIMEOUT));
		assertUnknown(() -> orphan.renew(session, TIMEOUT));
		assertUnknown(() -> orphan.expire(session, TIMEOUT));
		assertUnknown(() -> orphan.close(session, TIMEOUT));
		assertUnknown(() -> orphan.sessions(List.of(), TIMEOUT));
		assertUnknown(orphan::watch);
		assertUnknown(watch::next);
		watch.close();
	}

	@Test
	void timeoutBelowAMillisecondIsNoMissingLimit() {
		elect(ELECTION, "a", 1);
		this.commands.clear();
		try {
			this.store.read(List.of(ELECTION), Duration.ofNanos(1));
		}
		catch (LeaseStoreException ex) {
			// To be expected.
		}
		assertThat(this.commands.all()).allMatch((command) -> command.containsKey("maxTimeMS"));
	}

	private MongoClientSettings.Builder settings() {
		return MongoClientSettings.builder().applyConnectionString(new ConnectionString(uri()));
	}

	private void assertUnknown(ThrowingCallable call) {
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(call)
			.withMessageContaining("the client is closed");
	}

	private List<String> electMany(int number) {
		List<String> elections = IntStream.range(0, number).mapToObj((index) -> "election-" + index).toList();
		this.collection.insertMany(elections.stream()
			.map((election) -> LeaseDocument.vacant(Lease.vacant(election, 1, 0, TTL))
				.append("holder", new BsonString("a"))
				.append("session", new BsonInt64(1))
				.append("revision", new BsonInt32(1)))
			.toList());
		return elections;
	}

	private void store(String document) {
		this.collection.insertOne(BsonDocument.parse(document).append("_id", new BsonString(ELECTION)));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(ELECTION)).first();
	}

}
