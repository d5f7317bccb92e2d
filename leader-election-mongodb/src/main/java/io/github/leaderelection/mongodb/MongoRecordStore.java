package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.UpdateOneModel;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;

/**
 * A {@link RecordStore} in MongoDB 4.4 or later, or a server compatible with it. Each
 * record is one document:
 *
 * <pre class="code">
 * {
 *   _id: "<i>prefix</i><i>id</i>",
 *   revision: NumberLong(7),
 *   <i>name</i>: <i>value</i>, …           // a string, a NumberLong, a boolean, an ISODate, or null
 * }
 * </pre>
 *
 * Records are inserted by {@code insert}, replaced by an {@code update} that names their
 * revision and sets what has changed, and removed by a {@code delete} that names it. So a
 * command that arrives late, or twice, matches nothing. Many are one unordered command,
 * whose answer has one number of matches for all: if that is not their number, nobody
 * knows which of them have matched, and none is claimed.
 * <p>
 * Fields that this class is not told of are neither read nor changed, and a document that
 * is larger than {@value #MAX_BYTES} bytes does not leave the server.
 * <p>
 * Reads and writes have majority concern and go to the primary, whatever the settings of
 * the client are. A write that matches nothing waits for a majority, too, to have what it
 * has seen, and so the read that follows it shows that.
 */
public final class MongoRecordStore implements RecordStore {

	/**
	 * The name of the collection that holds the records of jobs.
	 */
	public static final String RUNS = "leader_election_runs";

	/** Far more than a record needs, with a few notes of somebody else's in it. */
	static final int MAX_BYTES = 16 * 1024;

	private static final SizeLimit LIMIT = new SizeLimit(MAX_BYTES);

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	private final Fallback sizes = new Fallback("The server does not tell how large documents are");

	private final Fallback hello = new Fallback("The server does not know 'hello'");

	private final MongoDatabase database;

	private final MongoCollection<BsonDocument> collection;

	private final String prefix;

	private final List<String> fields;

	private final Bson projection;

	/**
	 * Create a store. Does no I/O: the collection comes into being with the first record.
	 * @param database where records are kept
	 * @param collection the name of the collection
	 * @param prefix what comes before the id of each record in its document
	 * @param fields the fields that are read, if they are there
	 */
	public MongoRecordStore(MongoDatabase database, String collection, String prefix, Collection<String> fields) {
		this.database = database.withReadPreference(ReadPreference.primary());
		this.collection = database.getCollection(collection, BsonDocument.class)
			// An application's own codecs have no business here.
			.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
			.withReadPreference(ReadPreference.primary())
			.withReadConcern(ReadConcern.MAJORITY)
			.withWriteConcern(WriteConcern.MAJORITY);
		this.prefix = prefix;
		List<String> read = new ArrayList<>(fields);
		read.add(RecordDocument.REVISION);
		this.fields = List.copyOf(read);
		this.projection = Projections.include(this.fields);
	}

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		Map<String, String> asked = new HashMap<>();
		ids.forEach((id) -> asked.put(this.prefix + id, id));
		Map<String, StoredRecord> records = new HashMap<>();
		Map<String, String> damaged = new HashMap<>();
		for (StoredDocument document : asked.isEmpty() ? List.<StoredDocument>of() : find(asked.keySet(), timeout)) {
			String stored = document.id();
			// By a collation a document may answer to another name than its own.
			String id = (stored != null) ? asked.get(stored) : null;
			if (id == null) {
				continue;
			}
			try {
				records.put(id, document.read(LIMIT, this.fields, (read) -> RecordDocument.toRecord(id, read)));
			}
			catch (DamagedDocumentException ex) {
				damaged.put(id, String.valueOf(ex.getMessage()));
			}
		}
		return new RecordReading(records, damaged);
	}

	private List<StoredDocument> find(Set<String> ids, Duration timeout) {
		MongoCall call = new MongoCall(this.collection, timeout);
		Bson documentOrSize = Projections.computed(SizeLimit.STORED, LIMIT.documentOrSize());
		return this.sizes.ask(() -> find(call, ids, documentOrSize, StoredDocument::limited),
				() -> find(call, ids, this.projection, (document) -> StoredDocument.whole(document, LIMIT)));
	}

	private static List<StoredDocument> find(MongoCall call, Set<String> ids, Bson projection,
			Function<RawBsonDocument, StoredDocument> reader) {
		return call.run("read %s".formatted(records(ids.size())), "find",
				(collection) -> collection.find(Filters.in(RecordDocument.ID, ids), RawBsonDocument.class)
					.projection(projection)
					// One more than there can be: the server need not be asked whether
					// that was all.
					.batchSize(ids.size() + 1)
					.map(reader::apply)
					.into(new ArrayList<>()));
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		if (records.isEmpty()) {
			return Set.of();
		}
		List<StoredRecord> each = List.copyOf(records);
		List<BsonDocument> documents = each.stream()
			.map((record) -> RecordDocument.whole(this.prefix + record.id(), record))
			.toList();
		MongoCall call = new MongoCall(this.collection, timeout);
		String what = "insert " + described(each);
		List<BulkWriteError> errors = call.run(what, "insert", (collection) -> insert(collection, documents));
		if (errors.size() == each.size()
				&& errors.stream().anyMatch((error) -> error.getCategory() != ErrorCategory.DUPLICATE_KEY)) {
			throw refused(call, what, errors);
		}
		Set<Integer> failed = errors.stream().map(BulkWriteError::getIndex).collect(Collectors.toSet());
		return allBut(failed, each);
	}

	private static List<BulkWriteError> insert(MongoCollection<BsonDocument> collection, List<BsonDocument> documents) {
		try {
			collection.insertMany(documents, new InsertManyOptions().ordered(false));
			return List.of();
		}
		catch (MongoBulkWriteException ex) {
			if (ex.getWriteConcernError() != null) {
				// Written, but perhaps on the primary alone, and a failover may take it
				// back: not done.
				throw ex;
			}
			return ex.getWriteErrors();
		}
	}

	private static RecordRefusedException refused(MongoCall call, String what, List<BulkWriteError> errors) {
		return new RecordRefusedException(
				"Could not %s in '%s': code %d".formatted(what, call.collection(), errors.get(0).getCode()), null);
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		if (changed.isEmpty()) {
			return Set.of();
		}
		List<StoredRecord> each = List.copyOf(changed);
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>();
		each.forEach((record) -> updates
			.add(new UpdateOneModel<>(filter(record, record.revision() - 1), RecordDocument.update(record))));
		MongoCall call = new MongoCall(this.collection, timeout);
		String what = "replace " + described(each);
		BulkUpdate update = BulkUpdate.run(call, what, updates);
		MongoBulkWriteException failure = update.failure();
		if (failure != null && update.failed().size() == each.size()) {
			throw refused(call, what, failure.getWriteErrors());
		}
		return update.isCertain(each.size()) ? allBut(update.failed(), each) : Set.of();
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		if (seen.isEmpty()) {
			return Set.of();
		}
		List<StoredRecord> each = List.copyOf(seen);
		List<DeleteOneModel<BsonDocument>> removals = new ArrayList<>();
		each.forEach((record) -> removals.add(new DeleteOneModel<>(filter(record, record.revision()))));
		int removed = new MongoCall(this.collection, timeout).run("remove " + described(each), "remove",
				(collection) -> collection.bulkWrite(removals, UNORDERED).getDeletedCount());
		return (removed == each.size()) ? ids(each) : Set.of();
	}

	private Bson filter(StoredRecord record, long revision) {
		return Filters.and(Filters.eq(RecordDocument.ID, this.prefix + record.id()),
				Filters.eq(RecordDocument.REVISION, revision));
	}

	@Override
	public Instant now(Duration timeout) {
		return this.hello.ask(() -> now("hello", timeout), () -> now("isMaster", timeout));
	}

	/** It needs no privilege. */
	private Instant now(String command, Duration timeout) {
		try {
			BsonDateTime time = this.database.withTimeout(Math.max(1, timeout.toMillis()), TimeUnit.MILLISECONDS)
				.runCommand(new BsonDocument(command, new BsonInt32(1)), BsonDocument.class)
				.getDateTime("localTime");
			return Instant.ofEpochMilli(time.getValue());
		}
		catch (RuntimeException ex) {
			throw MongoCall.failed("ask for the time", command, this.collection, ex);
		}
	}

	private static Set<String> allBut(Set<Integer> failed, List<StoredRecord> records) {
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < records.size(); i++) {
			if (!failed.contains(i)) {
				ids.add(records.get(i).id());
			}
		}
		return ids;
	}

	private static Set<String> ids(List<StoredRecord> records) {
		return allBut(Set.of(), records);
	}

	private static String described(List<StoredRecord> records) {
		return (records.size() == 1) ? "the record '%s'".formatted(records.get(0).id()) : records(records.size());
	}

	private static String records(int number) {
		return (number == 1) ? "1 record" : number + " records";
	}

}
