package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
import io.github.leaderelection.JobRun;
import io.github.leaderelection.JobRun.Outcome;
import io.github.leaderelection.launcher.SharedMongo;
import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStore;
import io.github.leaderelection.store.RunStoreContractTests;
import org.bson.BsonDateTime;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link MongoRunStore} adds to the contract: the stored document, and what goes
 * over the wire.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MongoRunStoreContractTests extends RunStoreContractTests {

	private static final JobKey SOUND = new JobKey("billing", "sound");

	private final RecordedCommands commands = new RecordedCommands();

	private MongoClient client;

	private MongoDatabase database;

	private MongoCollection<BsonDocument> collection;

	private MongoRunStore store;

	/** Return the URI of the server, with which settings of the client ever. */
	abstract String uri();

	@BeforeAll
	void connect() {
		this.client = MongoClients.create(MongoClientSettings.builder()
			.applyConnectionString(new ConnectionString(uri()))
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
		this.store = new MongoRunStore(this.database);
		// Looks behind the store's back shall see what it wrote, and write for good.
		this.collection = this.database.getCollection(MongoRunStore.COLLECTION, BsonDocument.class)
			.withReadPreference(ReadPreference.primary())
			.withWriteConcern(WriteConcern.MAJORITY);
	}

	@AfterEach
	void dropDatabase() {
		this.database.drop();
	}

	@Override
	protected RunStore store() {
		return this.store;
	}

	@Test
	void openedDocumentIsAsDocumented() {
		open(7);
		assertThat(stored()).isEqualTo(new BsonDocument("_id", new BsonString("billing/nightly-report"))
			.append("covered", new BsonDateTime(AS_OF.toEpochMilli()))
			.append("timetable", new BsonString(TIMETABLE))
			.append("skipped", new BsonInt64(0))
			.append("missed", new BsonInt64(0))
			.append("run", BsonNull.VALUE)
			.append("fence", new BsonInt64(7)));
	}

	@Test
	void documentOfARunIsAsDocumented() {
		open(7);
		start(first("one", 7), null);
		BsonDocument document = stored();
		assertThat(document).containsOnlyKeys("_id", "fence", "covered", "timetable", "skipped", "missed", "run",
				"fireTime", "cause", "attempt", "term", "candidate", "startedAt", "finishedAt", "outcome");
		assertThat(document).containsEntry("run", new BsonString("one"))
			.containsEntry("fence", new BsonInt64(7))
			.containsEntry("covered", new BsonDateTime(FIRST.toEpochMilli()))
			.containsEntry("fireTime", new BsonDateTime(FIRST.toEpochMilli()))
			.containsEntry("cause", new BsonString("SCHEDULED"))
			.containsEntry("attempt", new BsonInt32(1))
			.containsEntry("term", new BsonInt64(7))
			.containsEntry("candidate", new BsonString("shop@web-1:4711-k3v9"))
			.containsEntry("finishedAt", BsonNull.VALUE)
			.containsEntry("outcome", new BsonString("RUNNING"));
		assertThat(document.isDateTime("startedAt")).isTrue();
		this.store.finish(end("one", Outcome.FAILED), TIMEOUT);
		this.store.cover(new RunCover(JOB, 7, FIRST, SECOND, 2, 1), TIMEOUT);
		assertThat(stored()).containsEntry("outcome", new BsonString("FAILED"))
			.containsEntry("missed", new BsonInt64(1))
			.containsEntry("skipped", new BsonInt64(2))
			.containsEntry("covered", new BsonDateTime(SECOND.toEpochMilli()));
		assertThat(stored().isDateTime("finishedAt")).isTrue();
	}

	@Test
	void fieldsThatAreNotKnownStayAsTheyAre() {
		open(1);
		this.collection.updateOne(Filters.eq(JOB.id()), Updates.set("note", "hands off"));
		open(new RunOpening(JOB, 2, "another", FIRST));
		start(run("one", SECOND, 1, 2), null);
		this.store.finish(end("one", Outcome.SUCCEEDED), TIMEOUT);
		assertThat(cover(2, SECOND, THIRD, 1)).isTrue();
		assertThat(stored().getString("note").getValue()).isEqualTo("hands off");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					fence      | 'x'                                   | 'fence' must be a whole number between 0 and 9007199254740991 but is a string
					fence      | []                                    | is of type ARRAY
					fence      | {"$numberLong": "9007199254740992"}   | is 9007199254740992
					covered    | 7                                     | 'covered' must be a date but is 7
					covered    | 'yesterday'                           | is a string
					covered    | {"$date": "1969-12-31T23:59:59Z"}     | 'covered' must be between
					covered    | {"$date": "2999-01-01T00:00:00Z"}     | but is 2999-01-01T00:00:00Z
					covered    | {"$date": {"$numberLong": "9223372036854775807"}} | 'covered' must be between
					skipped    | 'x'                                   | 'skipped' must be
					skipped    | -1                                    | is -1
					missed     | 1.5                                   | is 1.5
					missed     | null                                  | is null
					run        | 7                                     | 'run' must be a string but is 7
					run        | ''                                    | is an empty string
					run        | 'a\\u001b[2J'                         | is another string
					fireTime   | 'x'                                   | 'fireTime' must be a date
					fireTime   | {"$date": "2999-01-01T00:00:00Z"}     | 'fireTime' must be between
					cause      | 'BY_MAGIC'                            | 'cause' must be one of [SCHEDULED, CATCH_UP, TRIGGERED] but is another string
					cause      | null                                  | 'cause' must be a string but is null
					attempt    | 0                                     | 'attempt' must be
					attempt    | {"$numberLong": "2147483648"}         | 'attempt' must be
					term       | -5                                    | 'term' must be
					candidate  | null                                  | 'candidate' must be a string
					outcome    | 'DONE'                                | 'outcome' must be one of
					""")
	void damagedDocumentIsReportedBesideTheOthers(String field, String value, String damage) {
		open(1);
		start(first("one", 1), null);
		open(new RunOpening(SOUND, 1, TIMETABLE, AS_OF));
		edit(field, BsonDocument.parse("{x: " + value + "}").get("x"));
		assertDamaged(this.store.find(List.of(JOB, SOUND), TIMEOUT), damage);
		RunReading opened = this.store.open(
				List.of(new RunOpening(JOB, 2, TIMETABLE, AS_OF), new RunOpening(SOUND, 2, TIMETABLE, AS_OF)), TIMEOUT);
		assertDamaged(opened, damage);
		assertThat(opened.records().get(SOUND).fence()).isEqualTo(2);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> start(run("two", SECOND, 1, 1), "zero"))
			.withMessageContaining("The record of job 'billing/nightly-report' can't be used: ")
			.withMessageContaining(damage);
	}

	private static void assertDamaged(RunReading reading, String damage) {
		assertThat(reading.records()).containsOnlyKeys(SOUND);
		assertThat(reading.damaged()).containsOnlyKeys(JOB);
		assertThat(reading.damaged().get(JOB)).contains(damage).doesNotContain("\u001b");
	}

	@ParameterizedTest
	@ValueSource(strings = { "covered", "timetable", "skipped", "missed", "attempt", "outcome" })
	void documentThatLacksAFieldIsDamaged(String field) {
		open(1);
		start(first("one", 1), null);
		this.collection.updateOne(Filters.eq(JOB.id()), Updates.unset(field));
		RunReading reading = this.store.find(List.of(JOB), TIMEOUT);
		assertThat(reading.damaged().get(JOB)).contains("'" + field + "' must be", "missing");
	}

	@Test
	void documentInWhichAFieldIsRepeatedIsDamaged() {
		this.database.getCollection(MongoRunStore.COLLECTION, RawBsonDocument.class)
			.withWriteConcern(WriteConcern.MAJORITY)
			.insertOne(new RawDocuments().with("_id", new BsonString(JOB.id()))
				.with("fence", new BsonInt64(1))
				.with("covered", new BsonDateTime(0))
				.with("timetable", new BsonString(TIMETABLE))
				.with("skipped", new BsonInt64(0))
				.with("missed", new BsonInt64(0))
				.with("covered", new BsonDateTime(FIRST.toEpochMilli()))
				.end());
		assertThat(this.store.find(List.of(JOB), TIMEOUT).damaged().get(JOB))
			.isEqualTo("'covered' must be there once but is there again");
	}

	@Test
	void documentThatIsTooLargeIsDamagedAndNotRead() {
		open(1);
		edit("note", new BsonString("x".repeat(100_000)));
		RunReading reading = open(new RunOpening(JOB, 2, TIMETABLE, AS_OF));
		assertThat(reading.damaged().get(JOB)).contains("must be of 16384 bytes at most but is of 100");
		// The fence is raised all the same: earlier terms start nothing.
		assertThat(stored().getInt64("fence").getValue()).isEqualTo(2);
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> start(first("one", 2), null))
			.withMessageContaining("16384 bytes");
	}

	@Test
	void documentEditedInAShellIsUnderstood() {
		open(3);
		start(first("one", 3), null);
		BsonDocument edited = BsonDocument
			.parse("{fence: 3.0, skipped: 1.0, missed: 2, attempt: 1.0, term: 3.0, startedAt: 'now', finishedAt: 7}");
		this.collection.updateOne(Filters.eq(JOB.id()), new BsonDocument("$set", edited));
		RunRecord record = open(3);
		assertThat(record.skipped()).isEqualTo(1);
		assertThat(record.missed()).isEqualTo(2);
		assertThat(record.last()).isEqualTo(first("one", 3));
		assertThat(this.store.finish(end("one", Outcome.FAILED), TIMEOUT)).isTrue();
		assertThat(this.store.cover(new RunCover(JOB, 3, FIRST, SECOND, 1, 0), TIMEOUT)).isTrue();
		assertThat(find().skipped()).isEqualTo(2);
		assertThat(start(run("two", THIRD, 1, 4), "one").isLast("two")).isTrue();
	}

	@Test
	void dateFromAClockThatWasYearsAheadIsDamageByOneThatIsNot() {
		Instant ahead = FIRST.plus(Duration.ofDays(1000));
		MongoRunStore behind = new MongoRunStore(this.database, () -> FIRST);
		MongoRunStore before = new MongoRunStore(this.database, () -> ahead);
		before.open(List.of(new RunOpening(JOB, 1, TIMETABLE, ahead)), TIMEOUT);
		assertThat(before.find(List.of(JOB), TIMEOUT).records()).containsKey(JOB);
		assertThat(behind.find(List.of(JOB), TIMEOUT).damaged().get(JOB)).contains("'covered' must be between");
	}

	@Test
	void whoStartedARunIsFitForOneLine() {
		open(1);
		start(first("one", 1), null);
		edit("candidate", new BsonString("x\nERROR forged"));
		JobRun last = find().last();
		assertThat(last.candidateId()).isEqualTo("x?ERROR forged");
	}

	@Test
	void nameThatIsAnothersByTheCollationIsDamage() {
		this.database.createCollection(MongoRunStore.COLLECTION, new CreateCollectionOptions()
			.collation(Collation.builder().locale("en").collationStrength(CollationStrength.PRIMARY).build()));
		open(1);
		JobKey shout = new JobKey("billing", "NIGHTLY-REPORT");
		RunReading reading = open(new RunOpening(shout, 1, TIMETABLE, AS_OF));
		assertThat(reading.records()).isEmpty();
		assertThat(reading.damaged().get(shout)).contains("collation");
		assertThat(this.store.find(List.of(shout), TIMEOUT).records()).isEmpty();
	}

	@Test
	void statementThatIsRefusedCostsItsOwnJobOnly() {
		open(1);
		this.database.runCommand(new Document("collMod", MongoRunStore.COLLECTION).append("validator",
				new Document("$or", List.of(new Document("_id", SOUND.id()), new Document("fence", 1)))));
		RunReading reading = this.store.open(
				List.of(new RunOpening(JOB, 2, "another", AS_OF), new RunOpening(SOUND, 2, TIMETABLE, AS_OF)), TIMEOUT);
		assertThat(reading.records()).containsOnlyKeys(SOUND);
		assertThat(reading.damaged()).containsOnlyKeys(JOB);
		assertThat(reading.damaged().get(JOB)).contains("code 121");
		assertThat(open(new RunOpening(JOB, 2, TIMETABLE, AS_OF)).damaged().get(JOB)).as("alone").contains("code 121");
	}

	@Test
	void hundredsOfRecordsAreOpenedByTwoCommands() {
		List<RunOpening> openings = IntStream.range(0, 300)
			.mapToObj((index) -> new RunOpening(new JobKey("billing", "job-" + index), 1, TIMETABLE, AS_OF))
			.toList();
		this.commands.clear();
		assertThat(this.store.open(openings, TIMEOUT).records()).hasSize(300);
		assertThat(this.commands.names()).containsExactly("update", "find");
		this.commands.clear();
		assertThat(this.store.find(openings.stream().map(RunOpening::key).toList(), TIMEOUT).records()).hasSize(300);
		assertThat(this.commands.names()).containsExactly("find");
	}

	@Test
	void startTakesOneCommandAndOneMoreWhereItIsRefused() {
		open(1);
		this.commands.clear();
		start(first("one", 1), null);
		assertThat(this.commands.names()).containsExactly("findAndModify");
		this.commands.clear();
		start(first("two", 1), null);
		assertThat(this.commands.names()).containsExactly("findAndModify", "find");
	}

	@Test
	void everythingHasMajorityConcernAndATimeLimitWhateverTheClientSays() {
		this.commands.clear();
		open(1);
		start(first("one", 1), null);
		start(first("two", 1), null);
		this.store.finish(end("one", Outcome.FAILED), TIMEOUT);
		cover(1, FIRST, SECOND, 1);
		assertThat(this.commands.names()).contains("findAndModify", "update", "find");
		for (BsonDocument command : this.commands.all()) {
			String name = command.getFirstKey();
			assertThat(command.getDocument(name.equals("find") ? "readConcern" : "writeConcern")).as(name)
				.containsEntry(name.equals("find") ? "level" : "w", new BsonString("majority"));
			// The driver leaves the primary unnamed, or prefers what it is connected to.
			assertThat(command.getDocument("$readPreference", new BsonDocument("mode", new BsonString("primary")))
				.getString("mode")
				.getValue()).as(name).isIn("primary", "primaryPreferred");
			assertThat(command.containsKey("maxTimeMS")).as(name + " has a time limit").isTrue();
		}
	}

	@Test
	void messageOfAFailureSaysWhatAndWhere() {
		MongoClient closed = MongoClients.create(uri());
		MongoRunStore refused = new MongoRunStore(closed.getDatabase("jobs"));
		closed.close();
		assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> refused.find(List.of(JOB), TIMEOUT))
			.withMessageContaining("Could not read the runs of 1 jobs in 'jobs.leader_election_runs'");
		assertThatExceptionOfType(LeaseStoreException.class)
			.isThrownBy(() -> refused.finish(end("one", Outcome.FAILED), TIMEOUT))
			.withMessageContaining("Could not end a run of job 'billing/nightly-report'");
	}

	private void edit(String field, Object value) {
		this.collection.updateOne(Filters.eq(JOB.id()), Updates.set(field, value));
	}

	private BsonDocument stored() {
		return this.collection.find(Filters.eq(JOB.id())).first();
	}

}
