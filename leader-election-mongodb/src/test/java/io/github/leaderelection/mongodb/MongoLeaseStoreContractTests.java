package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseClaim;
import io.github.leaderelection.store.LeaseReading;
import io.github.leaderelection.store.LeaseRenewal;
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
		this.store = new MongoLeaseStore(this.database, WATCH_PATIENCE);
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
		this.store.create(ELECTION, 6, TTL, TIMEOUT);
		assertThat(stored())
			.isEqualTo(new BsonDocument("_id", new BsonString(ELECTION)).append("holder", BsonNull.VALUE)
				.append("term", new BsonInt64(6))
				.append("revision", new BsonInt64(0))
				.append("ttlMillis", new BsonInt64(20000)));
	}

	@Test
	void takenDocumentIsAsDocumented() {
		elect(ELECTION, "a", 7);
		BsonDocument document = stored();
		assertThat(document).containsOnlyKeys("_id", "holder", "term", "revision", "ttlMillis", "electedAt",
				"renewedAt");
		assertThat(document.getString("holder").getValue()).isEqualTo("a");
		assertThat(document.getInt64("term").getValue()).isEqualTo(7);
		assertThat(document.getInt64("revision").getValue()).isEqualTo(1);
		assertThat(document.getInt64("ttlMillis").getValue()).isEqualTo(20000);
		assertThat(document.isDateTime("electedAt")).isTrue();
		assertThat(document.isDateTime("renewedAt")).isTrue();
	}

	@Test
	void fieldsThatAreNotKnownStayAsTheyAre() {
		this.store.create(ELECTION, 0, TTL, TIMEOUT);
		this.collection.updateOne(Filters.eq(ELECTION), Updates.set("note", "hands off"));
		LeaseClaim claim = elect(ELECTION, "a", 1);
		this.store.renew(List.of(claim), TIMEOUT);
		this.store.release(claim, TIMEOUT);
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
	@ValueSource(strings = { "{holder: 'a', term: 3, revision: 5, ttlMillis: 20000}",
			"{holder: 'a', term: 3.0, revision: 5.0, ttlMillis: 20000.0, electedAt: 'yesterday', renewedAt: 7}",
			"{holder: 'a', term: 3, revision: 5.0, ttlMillis: 20000, electedAt: null, more: {x: 1}}" })
	void documentEditedInAShellIsUnderstood(String document) {
		store(document);
		Lease lease = read(ELECTION);
		assertThat(lease).isEqualTo(new Lease(ELECTION, "a", 3, 5, TTL, null, null));
		assertThat(this.store.renew(List.of(new LeaseClaim(ELECTION, "a", 3)), TIMEOUT).renewed()).hasSize(1);
		assertThat(this.store.take(read(ELECTION), new LeaseClaim(ELECTION, "b", 4), TTL, TIMEOUT)).isPresent();
		assertThat(this.store.release(new LeaseClaim(ELECTION, "b", 4), TIMEOUT)).isTrue();
	}

	@Test
	void createLeavesADamagedDocumentAlone() {
		store("{holder: 7}");
		assertThat(this.store.create(ELECTION, 0, TTL, TIMEOUT)).isFalse();
		assertThat(stored().getInt32("holder").getValue()).isEqualTo(7);
	}

	@Test
	void aHundredLeasesAreRenewedByOneCommand() {
		List<LeaseClaim> claims = electMany(100);
		this.commands.clear();
		LeaseRenewal renewal = this.store.renew(claims, TIMEOUT);
		assertThat(renewal.renewed()).hasSize(100);
		assertThat(this.commands.names()).containsExactly("update");
		assertThat(this.commands.all().get(0).getArray("updates")).hasSize(100);
	}

	@Test
	void refusedRenewalsCostOneReadMore() {
		List<LeaseClaim> claims = new ArrayList<>(electMany(20));
		claims.subList(0, 10).forEach((claim) -> vanish(claim.election()));
		Collections.shuffle(claims);
		this.commands.clear();
		LeaseRenewal renewal = this.store.renew(claims, TIMEOUT);
		assertThat(renewal.renewed()).hasSize(10);
		assertThat(renewal.refused()).hasSize(10);
		assertThat(this.commands.names()).containsExactly("update", "find");
	}

	@Test
	void hundredsOfLeasesAreReadByOneCommand() {
		List<String> elections = electMany(250).stream().map(LeaseClaim::election).toList();
		this.commands.clear();
		assertThat(this.store.read(elections, TIMEOUT).leases()).hasSize(250);
		assertThat(this.commands.names()).containsExactly("find");
	}

	@Test
	void renewalWhoseStatementFailedIsInDoubt() {
		List<LeaseClaim> claims = electMany(2);
		String bad = claims.get(0).election();
		this.collection.updateOne(Filters.eq(bad), Updates.set("revision", "one"));
		LeaseRenewal renewal = this.store.renew(claims, TIMEOUT);
		assertThat(renewal.renewed()).containsExactly(claims.get(1));
		assertThat(renewal.refused()).isEmpty();
	}

	@Test
	void afterAFailedStatementOnlyRefusalsAreCertain() {
		List<LeaseClaim> claims = electMany(3);
		this.collection.updateOne(Filters.eq(claims.get(0).election()), Updates.set("revision", "one"));
		vanish(claims.get(1).election());
		LeaseRenewal renewal = this.store.renew(claims, TIMEOUT);
		assertThat(renewal.renewed()).isEmpty();
		assertThat(renewal.refused()).containsExactly(claims.get(1));
	}

	@Test
	void everythingHasMajorityConcernAndATimeLimitWhateverTheClientSays() {
		this.commands.clear();
		LeaseClaim claim = elect(ELECTION, "a", 1);
		LeaseClaim former = new LeaseClaim(ELECTION, "a", 0);
		this.store.renew(List.of(claim, former), TIMEOUT);
		this.store.release(claim, TIMEOUT);
		try (LeaseWatch watch = this.store.watch()) {
			watch.next();
		}
		assertThat(this.commands.names()).contains("insert", "findAndModify", "update", "find", "aggregate");
		for (BsonDocument command : this.commands.all()) {
			String name = command.getFirstKey();
			switch (name) {
				case "insert", "findAndModify", "update" -> assertThat(command.getDocument("writeConcern")).as(name)
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
		this.store.create("first", 0, TTL, TIMEOUT);
		this.store.create("second", 0, TTL, TIMEOUT);
		this.database.runCommand(new Document("collMod", MongoLeaseStore.COLLECTION).append("validator",
				new Document("holder", new Document("$type", "null"))));
		List<LeaseTaking> takings = Stream.of("first", "second")
			.map((election) -> new LeaseTaking(read(election), new LeaseClaim(election, "a", 1), TTL))
			.toList();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.take(takings, TIMEOUT))
			.withMessageContaining("Could not take 2 leases")
			.withMessageContaining("code 121");
	}

	@Test
	void oneOfSeveralTakingsThatFailsDoesNotKeepTheOthersFromBeingTaken() {
		this.store.create("first", 0, TTL, TIMEOUT);
		this.store.create("second", 0, TTL, TIMEOUT);
		this.database.runCommand(new Document("collMod", MongoLeaseStore.COLLECTION).append("validator",
				new Document("$or", List.of(new Document("_id", "first"), new Document("holder", null)))));
		List<LeaseTaking> takings = Stream.of("first", "second")
			.map((election) -> new LeaseTaking(read(election), new LeaseClaim(election, "a", 1), TTL))
			.toList();
		assertThat(this.store.take(takings, TIMEOUT)).containsOnlyKeys("first");
	}

	@Test
	void watchShowsWhatSomebodyHasRepaired() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		this.collection.updateOne(Filters.eq(ELECTION), Updates.set("ttlMillis", "x"));
		try (LeaseWatch watch = this.store.watch()) {
			this.collection.updateOne(Filters.eq(ELECTION), Updates.set("ttlMillis", 5000L));
			awaitChange(watch, (change) -> change.lease() != null && change.lease().isHeldBy(claim.holder()));
		}
	}

	@Test
	void watchKeepsRenewalsBack() {
		LeaseClaim claim = elect(ELECTION, "a", 1);
		try (LeaseWatch watch = this.store.watch()) {
			this.store.renew(List.of(claim), TIMEOUT);
			this.store.release(claim, TIMEOUT);
			Lease released = read(ELECTION);
			LeaseChange change = null;
			while (change == null) {
				change = watch.next();
			}
			assertThat(change.lease()).isEqualTo(released);
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
				LeaseWatch watch = new MongoLeaseStore(impatient.getDatabase(this.database.getName()), WATCH_PATIENCE)
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
				LeaseWatch watch = new MongoLeaseStore(impatient.getDatabase(this.database.getName()), WATCH_PATIENCE)
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
		LeaseClaim claim = new LeaseClaim(ELECTION, "a", 1);
		Lease lease = new Lease(ELECTION, null, 0, 0, TTL, null, null);
		assertUnknown(() -> orphan.read(List.of(ELECTION), TIMEOUT));
		assertUnknown(() -> orphan.create(ELECTION, 0, TTL, TIMEOUT));
		assertUnknown(() -> orphan.take(lease, claim, TTL, TIMEOUT));
		assertUnknown(() -> orphan.renew(List.of(claim), TIMEOUT));
		assertUnknown(() -> orphan.release(claim, TIMEOUT));
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

	private List<LeaseClaim> electMany(int number) {
		List<LeaseClaim> claims = IntStream.range(0, number)
			.mapToObj((index) -> new LeaseClaim("election-" + index, "a", 1))
			.toList();
		this.collection.insertMany(claims.stream()
			.map((claim) -> LeaseDocument.vacant(new Lease(claim.election(), null, claim.term(), 0, TTL, null, null))
				.append("holder", new BsonString(claim.holder()))
				.append("revision", new BsonInt32(1)))
			.toList());
		return claims;
	}

	private void store(String document) {
		this.collection.insertOne(BsonDocument.parse(document).append("_id", new BsonString(ELECTION)));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(ELECTION)).first();
	}

}
