package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Accumulators;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordRefusedException;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.RecordStore.RecordQuery;
import io.github.leaderelection.store.RecordStore.RecordSum;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.StoredRecord;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * A {@link RecordStore} in MongoDB 4.4.2 or later. Each record is one document:
 *
 * <pre class="code">
 * {
 *   _id: "<i>id</i>",
 *   revision: NumberLong(7),
 *   <i>name</i>: <i>value</i>, …           // a string, a NumberLong, a boolean, an ISODate, or null
 *   changedAt: ISODate("...")    // when it was last replaced, by the server's clock
 * }
 * </pre>
 *
 * <ol>
 * <li>Records are inserted by an {@code insert}, which fails for an id that already
 * exists.
 * <li>A single record is replaced by a {@code findAndModify}, several by one
 * {@code update}. Both name the revisions that they replace, and set the fields that have
 * changed. The answer to {@code findAndModify} shows the record as others see it: a
 * record that they can't understand is not reported as replaced. The answer to
 * {@code update} has only a total of matches. If that differs from the number of records,
 * it is not known which of them matched, and none is reported as replaced.
 * <li>Records are removed by a {@code delete} that names their revisions.
 * <li>Records are read by a {@code find}, added up by an {@code aggregate}, and watched
 * by a change stream, which needs a replica set.
 * </ol>
 * Therefore a command that arrives late, or twice, matches nothing.
 * <p>
 * This class neither reads nor changes fields that are not part of the record. A document
 * larger than {@value RecordDocument#MAX_BYTES} bytes does not leave the server. No index
 * is created: with very many records, consider an index on the field that they are found
 * by.
 * <p>
 * Reads and writes have majority concern and go to the primary, whatever the settings of
 * the client. A write that matches nothing also waits until a majority has what it has
 * seen, and so a later read shows that too.
 */
public final class MongoRecordStore implements RecordStore {

	/**
	 * How long, by default, the server waits for a change before it answers that there
	 * was none.
	 */
	static final Duration WATCH_PATIENCE = Duration.ofSeconds(30);

	private static final String NOW = "$$NOW";

	private static final String READ_AT = "readAt";

	private static final String COUNT = "count";

	private static final String REVISIONS = "revisions";

	private static final BulkWriteOptions UNORDERED = new BulkWriteOptions().ordered(false);

	private static final Bson SHOWN = Projections.fields(Projections.excludeId(),
			Projections.computed(SizeLimit.STORED, SizeLimit.documentOrSize()),
			Projections.computed(READ_AT, new BsonString(NOW)));

	private final MongoDatabase database;

	private final MongoCollection<BsonDocument> collection;

	private final List<String> fields;

	private final String queried;

	private final Duration watchPatience;

	/**
	 * Create a store. Does no I/O: MongoDB creates the collection with the first record.
	 * @param database the database for the records
	 * @param collection the name of the collection
	 * @param kind the kind of the records
	 */
	public MongoRecordStore(MongoDatabase database, String collection, RecordKind kind) {
		this(database, collection, kind, WATCH_PATIENCE);
	}

	MongoRecordStore(MongoDatabase database, String collection, RecordKind kind, Duration watchPatience) {
		this.database = database.withReadPreference(ReadPreference.primary());
		this.collection = database.getCollection(collection, BsonDocument.class)
			// Do not use codecs of the application.
			.withCodecRegistry(MongoClientSettings.getDefaultCodecRegistry())
			.withReadPreference(ReadPreference.primary())
			.withReadConcern(ReadConcern.MAJORITY)
			.withWriteConcern(WriteConcern.MAJORITY.withJournal(true));
		this.queried = kind.queried();
		this.watchPatience = watchPatience;
		List<String> read = new ArrayList<>(kind.fields().keySet());
		read.addAll(RecordDocument.OWN_FIELDS);
		this.fields = List.copyOf(read);
	}

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		Set<String> asked = new HashSet<>(ids);
		if (asked.isEmpty()) {
			return new RecordReading(Map.of(), Map.of());
		}
		Bson named = Filters.in(RecordDocument.ID, asked);
		MongoCall call = new MongoCall(this.collection, timeout);
		// With a collation, a document can match an id other than its own.
		return find(call, "read " + records(asked.size()), named, asked.size(), asked::contains);
	}

	@Override
	public RecordReading find(RecordQuery query, Duration timeout) {
		Bson filter = Filters.and(Filters.eq(this.queried, query.value()), unchanged(query));
		return find(new MongoCall(this.collection, timeout), "find records", filter, query.most(), (id) -> true);
	}

	private RecordReading find(MongoCall call, String what, Bson filter, int most, Predicate<String> wanted) {
		Found found = new Found(wanted);
		return call.run(what, "find", (collection) -> {
			collection.find(filter, RawBsonDocument.class)
				.projection(SHOWN)
				.limit(most)
				.batchSize(most)
				.forEach(found::add);
			return found.reading();
		});
	}

	/** Match documents that the server has not changed for some time. */
	private static Bson unchanged(RecordQuery query) {
		if (query.unchangedFor().isZero()) {
			return Filters.empty();
		}
		BsonString changedAt = new BsonString("$" + RecordDocument.CHANGED_AT);
		BsonDocument before = operator("$subtract", new BsonString(NOW),
				new BsonInt64(query.unchangedFor().toMillis()));
		return Filters
			.expr(operator("$or", operator("$ne", new BsonDocument("$type", changedAt), new BsonString("date")),
					operator("$lte", changedAt, before)));
	}

	@Override
	public Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		if (values.isEmpty()) {
			return Map.of();
		}
		// An array may match, too. It must not become the key of a group.
		Bson summands = Filters.and(Filters.in(this.queried, values),
				Filters.not(Filters.type(this.queried, BsonType.ARRAY)));
		List<Bson> stages = List.of(Aggregates.match(summands), Aggregates.group("$" + this.queried,
				Accumulators.sum(COUNT, 1L), Accumulators.sum(REVISIONS, "$" + RecordDocument.REVISION)));
		Map<String, RecordSum> sums = new HashMap<>();
		List<RawBsonDocument> answers = new MongoCall(this.collection, timeout).run("add up records", "find",
				(collection) -> collection.aggregate(stages, RawBsonDocument.class)
					.batchSize(values.size() + 1)
					.into(new ArrayList<>()));
		for (RawBsonDocument answer : answers) {
			Long count = RecordDocument.integral(answer.get(COUNT));
			// Null if an edited revision makes the sum other than a whole number.
			Long revisions = RecordDocument.integral(answer.get(REVISIONS));
			BsonValue value = answer.get(RecordDocument.ID);
			if (count != null && revisions != null && value != null && value.isString()) {
				sums.put(value.asString().getValue(), new RecordSum(count, revisions));
			}
		}
		return sums;
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		if (records.isEmpty()) {
			return Set.of();
		}
		List<StoredRecord> each = List.copyOf(records);
		List<BsonDocument> documents = each.stream().map((record) -> RecordDocument.whole(record)).toList();
		MongoCall call = new MongoCall(this.collection, timeout);
		String what = "insert " + described(each);
		List<BulkWriteError> errors = call.run(what, "insert", (collection) -> insert(collection, documents));
		if (errors.size() == each.size()
				&& errors.stream().anyMatch((error) -> error.getCategory() != ErrorCategory.DUPLICATE_KEY)) {
			throw refused(call, what, errors);
		}
		return allBut(errors, each);
	}

	private static List<BulkWriteError> insert(MongoCollection<BsonDocument> collection, List<BsonDocument> documents) {
		try {
			collection.insertMany(documents, new InsertManyOptions().ordered(false));
			return List.of();
		}
		catch (MongoBulkWriteException ex) {
			return errors(ex);
		}
	}

	/** Return the writes that failed. These have changed nothing. */
	private static List<BulkWriteError> errors(MongoBulkWriteException failure) {
		if (failure.getWriteConcernError() != null) {
			// Written, but perhaps to the primary only. A failover may roll it back, so
			// it does not count as done.
			throw failure;
		}
		return failure.getWriteErrors();
	}

	private static RecordRefusedException refused(MongoCall call, String what, List<BulkWriteError> errors) {
		return new RecordRefusedException(
				"Could not %s in '%s': code %d".formatted(what, call.collection(), errors.get(0).getCode()), null);
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		List<StoredRecord> each = List.copyOf(changed);
		MongoCall call = new MongoCall(this.collection, timeout);
		return switch (each.size()) {
			case 0 -> Set.of();
			case 1 -> replaceAndShow(each.get(0), call);
			default -> replace(each, call);
		};
	}

	/** Replace a record, and verify that others can read the result. */
	private Set<String> replaceAndShow(StoredRecord record, MongoCall call) {
		String what = "replace " + described(List.of(record));
		Bson expected = filter(record, record.revision() - 1);
		BsonDocument update = RecordDocument.update(record);
		FindOneAndUpdateOptions shown = new FindOneAndUpdateOptions().projection(SHOWN)
			.returnDocument(ReturnDocument.AFTER);
		try {
			Optional<StoredDocument> replaced = call
				.run(what, "find and update", (collection) -> Optional.ofNullable(
						collection.withDocumentClass(RawBsonDocument.class).findOneAndUpdate(expected, update, shown)))
				.map(StoredDocument::limited);
			if (replaced.isEmpty()) {
				return Set.of();
			}
			StoredRecord seen = replaced.get().read(this.fields, RecordDocument::toRecord);
			// With a collation, the update may have matched another id.
			return seen.id().equals(record.id()) ? Set.of(seen.id()) : Set.of();
		}
		catch (CommandRefusedException ex) {
			// The command changed nothing, but its error does not tell whether the server
			// refuses the record. An update's error does.
			return replace(List.of(record), call);
		}
		catch (DamagedRecordException ex) {
			throw new LeaseStoreException("Could not %s in '%s' so that others can read it: %s. Remove its document"
				.formatted(what, call.collection(), ex.getMessage()), ex);
		}
	}

	private Set<String> replace(List<StoredRecord> records, MongoCall call) {
		List<UpdateOneModel<BsonDocument>> updates = new ArrayList<>();
		records.forEach((record) -> updates
			.add(new UpdateOneModel<>(filter(record, record.revision() - 1), RecordDocument.update(record))));
		List<BulkWriteError> errors = new ArrayList<>();
		String what = "replace " + described(records);
		int matched = call.run(what, "update", (collection) -> update(collection, updates, errors)).getMatchedCount();
		if (errors.size() == records.size()) {
			throw refused(call, what, errors);
		}
		return (matched + errors.size() == records.size()) ? allBut(errors, records) : Set.of();
	}

	private static BulkWriteResult update(MongoCollection<BsonDocument> collection,
			List<UpdateOneModel<BsonDocument>> updates, List<BulkWriteError> errors) {
		try {
			return collection.bulkWrite(updates, UNORDERED);
		}
		catch (MongoBulkWriteException ex) {
			errors.addAll(errors(ex));
			return ex.getWriteResult();
		}
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
		return (removed == each.size()) ? allBut(List.of(), each) : Set.of();
	}

	private Bson filter(StoredRecord record, long revision) {
		return Filters.and(Filters.eq(RecordDocument.ID, record.id()), Filters.eq(RecordDocument.REVISION, revision));
	}

	@Override
	public RecordWatch watch() {
		return MongoRecordWatch.open(this.collection, this.fields, this.watchPatience);
	}

	/** Ask with {@code hello}, which needs no privilege. */
	@Override
	public Instant now(Duration timeout) {
		try {
			BsonDateTime time = this.database.withTimeout(Math.max(1, timeout.toMillis()), TimeUnit.MILLISECONDS)
				.runCommand(new BsonDocument("hello", new BsonInt32(1)), BsonDocument.class)
				.getDateTime("localTime");
			return Instant.ofEpochMilli(time.getValue());
		}
		catch (RuntimeException ex) {
			throw MongoCall.failed("ask for the time", "hello", this.collection, ex);
		}
	}

	private static Set<String> allBut(List<BulkWriteError> failed, List<StoredRecord> records) {
		Set<Integer> indexes = failed.stream().map(BulkWriteError::getIndex).collect(Collectors.toSet());
		return IntStream.range(0, records.size())
			.filter((index) -> !indexes.contains(index))
			.mapToObj((index) -> records.get(index).id())
			.collect(Collectors.toSet());
	}

	private static String described(List<StoredRecord> records) {
		return (records.size() == 1) ? "the record '%s'".formatted(records.get(0).id()) : records(records.size());
	}

	private static String records(int number) {
		return (number == 1) ? "1 record" : number + " records";
	}

	private static BsonDocument operator(String name, BsonValue... operands) {
		return new BsonDocument(name, new BsonArray(List.of(operands)));
	}

	/** Collects the documents found. */
	private final class Found {

		private final Predicate<String> wanted;

		private final Map<String, StoredRecord> records = new HashMap<>();

		private final Map<String, String> damaged = new HashMap<>();

		private final Map<String, Instant> changedAt = new HashMap<>();

		private @Nullable Instant readAt;

		Found(Predicate<String> wanted) {
			this.wanted = wanted;
		}

		void add(RawBsonDocument document) {
			this.readAt = RecordDocument.instant(document, READ_AT);
			StoredDocument stored = StoredDocument.limited(document);
			String id = stored.id();
			if (id == null || !this.wanted.test(id)) {
				return;
			}
			try {
				stored.read(MongoRecordStore.this.fields, (read) -> add(id, read));
			}
			catch (DamagedRecordException ex) {
				this.damaged.put(id, String.valueOf(ex.getMessage()));
			}
		}

		private @Nullable Instant add(String id, BsonDocument document) throws DamagedRecordException {
			this.records.put(id, RecordDocument.toRecord(document));
			Instant date = RecordDocument.instant(document, RecordDocument.CHANGED_AT);
			return (date != null) ? this.changedAt.put(id, date) : null;
		}

		RecordReading reading() {
			return new RecordReading(this.records, this.damaged, this.changedAt, this.readAt);
		}

	}

}
