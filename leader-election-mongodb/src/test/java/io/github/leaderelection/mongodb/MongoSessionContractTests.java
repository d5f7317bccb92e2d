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
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Session;
import io.github.leaderelection.store.SessionReading;
import io.github.leaderelection.store.SessionStore;
import io.github.leaderelection.store.SessionStoreContractTests;
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
 * What {@link MongoLeaseStore} adds to the contract of sessions: the stored document,
 * what is made of one that somebody has edited, and what goes over the wire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MongoSessionContractTests extends SessionStoreContractTests {

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
		this.collection = this.database.getCollection(MongoLeaseStore.SESSIONS, BsonDocument.class)
			.withReadPreference(ReadPreference.primary())
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
	}

	@Override
	protected SessionStore store() {
		return this.store;
	}

	@Override
	protected void vanish(String id) {
		this.collection.deleteOne(Filters.eq(id));
	}

	@Test
	void createdDocumentIsAsDocumented() {
		this.store.create(session(1), TIMEOUT);
		assertThat(stored()).isEqualTo(document(1));
		assertThat(read().renewedAt()).isNull();
	}

	@Test
	void renewedDocumentIsAsDocumented() {
		this.store.create(session(1), TIMEOUT);
		this.store.renew(session(2), TIMEOUT);
		BsonDocument document = stored();
		assertThat(read().renewedAt()).isEqualTo(Instant.ofEpochMilli(document.getDateTime("renewedAt").getValue()));
		document.remove("renewedAt");
		assertThat(document).isEqualTo(document(2));
	}

	@Test
	void endedDocumentIsAsDocumented() {
		this.store.create(session(1), TIMEOUT);
		this.store.expire(session(1), TIMEOUT);
		BsonDocument document = stored();
		assertThat(document.remove("endedAt").isDateTime()).isTrue();
		assertThat(document).isEqualTo(document(2));
	}

	@Test
	void eachCallIsOneCommand() {
		this.commands.clear();
		this.store.create(session(1), TIMEOUT);
		this.store.renew(session(2), TIMEOUT);
		this.store.sessions(List.of(ID, "none#1"), TIMEOUT);
		this.store.expire(session(2), TIMEOUT);
		this.store.close(session(3), TIMEOUT);
		assertThat(this.commands.names()).containsExactly("insert", "findAndModify", "find", "update", "delete");
	}

	@Test
	void onlyWhatHasEndedIsRemovedByTheIndex() {
		MongoLeaseStore retaining = new MongoLeaseStore(this.database, Duration.ofHours(2));
		assertThat(retaining.indexState()).isNull();
		retaining.create(session(1), TIMEOUT);
		assertThat(retaining.indexState()).isEqualTo("there");
		List<BsonDocument> indexes = this.collection.listIndexes(BsonDocument.class).into(new ArrayList<>());
		assertThat(indexes).hasSize(2);
		assertThat(indexes.get(1).getDocument("key")).containsOnlyKeys("endedAt");
		assertThat(indexes.get(1).getNumber("expireAfterSeconds").longValue()).isEqualTo(7200);
		this.commands.clear();
		retaining.renew(session(2), TIMEOUT);
		retaining.sessions(List.of(), TIMEOUT);
		assertThat(this.commands.names()).containsExactly("findAndModify", "find");
	}

	@Test
	void indexIsCreatedByWhoeverLooks() {
		MongoLeaseStore retaining = new MongoLeaseStore(this.database, Duration.ofHours(2));
		retaining.sessions(List.of(), TIMEOUT);
		assertThat(retaining.indexState()).isEqualTo("there");
		assertThat(new MongoLeaseStore(this.database).indexState()).isEqualTo("left to others");
	}

	/** What is shown as missing must not be kept alive: nobody could take its leases. */
	@ParameterizedTest
	@ValueSource(strings = { "{revision: 'x'}", "{revision: [1]}", "{revision: NaN}", "{revision: -1.5}",
			"{revision: 9007199254740992.0}", "{revision: {$numberLong: '9007199254740992'}}", "{revision: {x: 1}}",
			"{revision: null}", "{revision: {$numberDecimal: '1'}}", "{ttlMillis: 'x'}", "{ttlMillis: 0}",
			"{ttlMillis: null}", "{ttlMillis: {$numberLong: '31622400001'}}", "{ttlMillis: [20000]}",
			"{ttlMillis: {$numberDecimal: '20000'}}" })
	void sessionThatOthersCantUnderstandIsMissingAndIsNotRenewed(String damage) {
		edit(damage);
		assertMissingAndNotRenewed();
	}

	@Test
	void hugeSessionIsMissingAndIsNotRenewed() {
		this.store.create(session(1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), Updates.set("junk", "x".repeat(1_000_000)));
		ReplySizes replies = new ReplySizes();
		try (MongoClient measured = MongoClients.create(settings().addCommandListener(replies).build())) {
			this.store = new MongoLeaseStore(measured.getDatabase(this.database.getName()));
			assertMissingAndNotRenewed();
		}
		assertThat(replies.largest()).isLessThan(100_000);
	}

	@Test
	void sessionWithAFieldTwiceIsMissingAndIsNotRenewed() {
		RawDocuments twice = new RawDocuments();
		document(1).forEach(twice::with);
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertOne(twice.with("revision", new BsonInt64(9)).end());
		assertMissingAndNotRenewed();
	}

	/** Others wait for as long as is stored, and its process believes for as long. */
	@ParameterizedTest
	@ValueSource(strings = { "{ttlMillis: 1}", "{ttlMillis: 20001}", "{revision: 0}", "{revision: 7}", "{endedAt: 7}",
			"{endedAt: null}" })
	void sessionThatSomebodyHasChangedIsNotRenewed(String edited) {
		edit(edited);
		assertThat(this.store.sessions(List.of(ID), TIMEOUT).sessions()).containsKey(ID);
		assertThat(this.store.renew(session(2), TIMEOUT)).isFalse();
		assertThat(this.store.expire(session(1), TIMEOUT)).isFalse();
	}

	/** Whatever its date is, it is over for its process and for all others. */
	@ParameterizedTest
	@ValueSource(strings = { "7", "null", "'yesterday'", "{$date: 0}", "{x: [1]}", "[]" })
	void sessionWithAnEndHasEnded(String endedAt) {
		edit("{endedAt: " + endedAt + "}");
		assertThat(read().ended()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "{revision: 1.0}", "{revision: 1, ttlMillis: 20000.0}", "{renewedAt: 'yesterday'}",
			"{note: 'hands off'}" })
	void sessionEditedInAShellIsUnderstood(String edited) {
		edit(edited);
		assertStored(session(1));
		assertThat(this.store.renew(session(2), TIMEOUT)).isTrue();
		assertStored(session(2));
		assertThat(this.store.expire(read(), TIMEOUT)).isTrue();
		assertStored(session(2).expired());
	}

	@ParameterizedTest
	@ValueSource(strings = { "shop", "shop#", "shop#x", "shop#0", "shop#-1", "shop#07", "shop#1.5",
			"shop#9007199254740992", "shop#99999999999999999999" })
	void idThatIsNoneOfASessionIsLeftOut(String id) {
		this.store.create(session(1), TIMEOUT);
		this.collection.insertOne(document(1).append("_id", new BsonString(id)));
		assertThat(this.store.sessions(List.of(id), TIMEOUT).sessions()).containsOnlyKeys(ID);
		assertThat(this.store.damaged()).singleElement().asString().contains("'" + id + "': '_id' must be ");
	}

	@Test
	void damagedSessionIsLeftAloneAndSaidToBeInTheWay() {
		this.collection.insertOne(new BsonDocument("_id", new BsonString(ID)).append("revision", new BsonString("x")));
		BsonDocument before = stored();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.create(session(0), TIMEOUT))
			.withMessageContaining("Could not create session '" + ID + "'")
			.withMessageContaining("can't be understood")
			.withMessageEndingWith("Remove its document");
		assertThat(this.store.renew(session(1), TIMEOUT)).isFalse();
		assertThat(this.store.expire(session(0), TIMEOUT)).isFalse();
		assertThat(stored()).isEqualTo(before);
	}

	@Test
	void collationThatTakesTwoIdsForOneKeepsNobodyAlive() {
		this.database.createCollection(MongoLeaseStore.SESSIONS, new CreateCollectionOptions()
			.collation(Collation.builder().locale("en").collationStrength(CollationStrength.SECONDARY).build()));
		this.store.create(Session.first(CANDIDATE.toUpperCase(), NUMBER, TTL), TIMEOUT);
		assertThat(this.store.sessions(List.of(ID), TIMEOUT).sessions()).doesNotContainKey(ID);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.create(session(1), TIMEOUT));
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> this.store.renew(session(2), TIMEOUT))
			.withMessageContaining("collation");
	}

	@Test
	void namedSessionsAreReadHoweverManyOthersThereAre() {
		this.collection.insertMany(IntStream.range(0, SessionQuery.MOST + 50)
			.mapToObj((index) -> document(1).append("_id", new BsonString("c" + index + "#1")))
			.toList());
		this.store.create(session(1), TIMEOUT);
		this.commands.clear();
		SessionReading some = this.store.sessions(List.of(), TIMEOUT);
		assertThat(some.sessions()).hasSize(SessionQuery.MOST);
		assertThat(this.commands.names()).containsExactly("find");
		List<String> missed = IntStream.range(0, SessionQuery.MOST + 50)
			.mapToObj((index) -> "c" + index + "#1")
			.filter((id) -> !some.sessions().containsKey(id))
			.toList();
		assertThat(missed).hasSizeGreaterThanOrEqualTo(50);
		List<String> named = new ArrayList<>(missed);
		named.add(ID);
		named.add("none#1");
		this.commands.clear();
		SessionReading reading = this.store.sessions(named, TIMEOUT);
		assertThat(reading.sessions()).containsKeys(missed.toArray(String[]::new))
			.containsKey(ID)
			.doesNotContainKey("none#1");
		assertThat(reading.readAt()).isNotNull();
		assertThat(this.commands.names()).containsExactly("find", "find");
	}

	@Test
	void namedSessionIsReadThoughAllOthersAreDamaged() {
		long seed = System.nanoTime();
		HostileDocuments documents = new HostileDocuments(seed);
		Random random = new Random(seed);
		this.collection.withDocumentClass(RawBsonDocument.class)
			.insertMany(IntStream.range(0, SessionQuery.MOST + 50)
				.mapToObj((index) -> documents.session("odd-" + index + "#1", TTL.toMillis()))
				.toList());
		this.store.create(session(1), TIMEOUT);
		SessionReading reading = this.store.sessions(List.of(ID), TIMEOUT);
		assertThat(reading.sessions()).as("seed=%d", seed).containsKey(ID);
		reading.sessions().forEach((id, each) -> {
			assertThat(each.id()).as("seed=%d", seed).isEqualTo(id);
			assertThat(each.ttl()).as("seed=%d", seed).isPositive();
			assertThat(each.revision()).as("seed=%d", seed).isBetween(0L, Session.MAX_NUMBER);
			// What is shown can be ended, or nobody would ever get its leases.
			if (!each.ended() && random.nextInt(20) == 0) {
				assertThat(this.store.expire(each, TIMEOUT)).as("seed=%d %s", seed, each).isTrue();
			}
		});
	}

	private void edit(String edited) {
		this.store.create(session(1), TIMEOUT);
		this.collection.updateOne(Filters.eq(ID), new BsonDocument("$set", BsonDocument.parse(edited)));
	}

	private void assertMissingAndNotRenewed() {
		assertThat(this.store.sessions(List.of(ID), TIMEOUT).sessions()).isEmpty();
		boolean renewed;
		try {
			renewed = this.store.renew(session(2), TIMEOUT);
		}
		catch (LeaseStoreException ex) {
			assertThat(ex).hasMessageContaining("Could not renew session '" + ID + "'")
				.hasMessageEndingWith("Remove its document");
			renewed = false;
		}
		boolean shown = this.store.sessions(List.of(ID), TIMEOUT).sessions().containsKey(ID);
		assertThat(renewed).as("renewed only if it is shown").isEqualTo(shown);
	}

	private static BsonDocument document(long revision) {
		return new BsonDocument("_id", new BsonString(ID)).append("revision", new BsonInt64(revision))
			.append("ttlMillis", new BsonInt64(TTL.toMillis()));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(ID)).first();
	}

}
