package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.OperationType;
import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordWatch;
import io.github.leaderelection.store.RecordWatch.RecordChange;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A change stream on the records of a collection. The driver resumes it after a short
 * interruption; a longer one breaks the watch.
 */
final class MongoRecordWatch implements RecordWatch {

	private static final Logger logger = LoggerFactory.getLogger(MongoRecordWatch.class);

	/**
	 * Time allowed for each round trip in addition to the server's wait for a change,
	 * which is part of the round trip.
	 */
	private static final Duration ROUND_TRIP = Duration.ofSeconds(2);

	private static final int ONLY_ON_REPLICA_SETS = 40573;

	/** No such command, stage or feature: errors of servers other than MongoDB. */
	private static final Set<Integer> NOT_OFFERED = Set.of(59, 115, 168, 238, 303, 40324);

	private static final String TYPE = "operationType";

	private static final String KEY = "documentKey";

	private static final String DOCUMENT = "fullDocument";

	private static final List<String> HEAD = List.of(TYPE, KEY);

	/** Excludes large documents, and the update description, which is not needed. */
	private static final Bson NEEDED = Projections.fields(Projections.include("_id", TYPE, KEY),
			Projections.computed(DOCUMENT, SizeLimit.documentOrNothing("$fullDocument")));

	private final MongoCollection<BsonDocument> collection;

	private final MongoCursor<RawBsonDocument> cursor;

	private final List<String> fields;

	private boolean ended;

	private MongoRecordWatch(MongoCollection<BsonDocument> collection, List<String> fields,
			MongoCursor<RawBsonDocument> cursor) {
		this.collection = collection;
		this.fields = fields;
		this.cursor = cursor;
	}

	/**
	 * Open a watch.
	 * @param fields the fields to read of each document
	 * @param patience how long the server waits for a change. A server that is silent for
	 * longer counts as gone, which breaks the watch.
	 */
	static MongoRecordWatch open(MongoCollection<BsonDocument> collection, List<String> fields, Duration patience) {
		try {
			return new MongoRecordWatch(collection, fields, cursor(collection, patience));
		}
		catch (MongoException | IllegalStateException ex) {
			String reason = (ex instanceof MongoCommandException refused) ? whyUnsupported(collection, refused) : null;
			if (reason != null) {
				throw new UnsupportedOperationException(reason, ex);
			}
			throw failed(collection, ex);
		}
	}

	private static MongoCursor<RawBsonDocument> cursor(MongoCollection<BsonDocument> collection, Duration patience) {
		return collection.withTimeout(patience.plus(ROUND_TRIP).toMillis(), TimeUnit.MILLISECONDS)
			.watch(List.of(Aggregates.project(NEEDED)), RawBsonDocument.class)
			.fullDocument(FullDocument.UPDATE_LOOKUP)
			.maxAwaitTime(patience.toMillis(), TimeUnit.MILLISECONDS)
			// Otherwise the driver would decode a whole batch of events at once.
			.withDocumentClass(RawBsonDocument.class)
			.cursor();
	}

	@Override
	public @Nullable RecordChange next() {
		if (this.ended) {
			throw new LeaseStoreException("The watch of '%s' has ended: the collection was dropped or renamed"
				.formatted(this.collection.getNamespace().getFullName()), null);
		}
		RawBsonDocument event;
		try {
			event = this.cursor.tryNext();
		}
		catch (RuntimeException ex) {
			throw failed(this.collection, ex);
		}
		return (event != null) ? change(event) : null;
	}

	@Override
	public void close() {
		try {
			this.cursor.close();
		}
		catch (MongoException | IllegalStateException ex) {
			logger.debug("The change stream could not be closed; the server will drop it", ex);
		}
	}

	private @Nullable RecordChange change(RawBsonDocument event) {
		try {
			return StoredDocument.whole(event).read(HEAD, (head) -> change(event, head));
		}
		catch (DamagedRecordException ex) {
			return RecordChange.UNCLEAR;
		}
	}

	private @Nullable RecordChange change(RawBsonDocument event, BsonDocument head) throws DamagedRecordException {
		OperationType type = OperationType.fromString(head.getString(TYPE).getValue());
		// The last event: from then on the driver would report no change, forever.
		this.ended = type == OperationType.INVALIDATE;
		BsonValue key = head.getDocument(KEY, new BsonDocument()).get(RecordDocument.ID);
		if (key == null) {
			return RecordChange.UNCLEAR;
		}
		String id = key.isString() ? key.asString().getValue() : null;
		if (id == null) {
			// Every record has a string as its id, so this is not a record.
			return null;
		}
		if (event.get(DOCUMENT) instanceof RawBsonDocument document) {
			return StoredDocument.whole(document)
				.read(this.fields, (read) -> RecordChange.of(RecordDocument.toRecord(read)));
		}
		// No document: too large, or removed since, which is reported later.
		return (type == OperationType.DELETE) ? RecordChange.removal(id) : RecordChange.UNCLEAR;
	}

	private static @Nullable String whyUnsupported(MongoCollection<BsonDocument> collection, MongoCommandException ex) {
		if (MongoCall.isUnauthorized(ex)) {
			return "the database user may not open a change stream on '%s'. Grant it the actions find and changeStream there"
				.formatted(collection.getNamespace().getFullName());
		}
		if (ex.getCode() == ONLY_ON_REPLICA_SETS) {
			return "the MongoDB server is not a member of a replica set, and only replica sets have change streams";
		}
		return NOT_OFFERED.contains(ex.getCode())
				? "the server does not offer change streams (%s)".formatted(MongoCall.reason(ex)) : null;
	}

	private static LeaseStoreException failed(MongoCollection<BsonDocument> collection, Exception cause) {
		return MongoCall.failed("watch changes", "find and changeStream", collection, cause);
	}

}
