package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.changestream.FullDocument;
import com.mongodb.client.model.changestream.OperationType;
import io.github.leaderelection.store.LeaseChange;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.LeaseWatch;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A change stream on the leases. The driver resumes it after a short interruption by
 * itself; one that lasts breaks the watch.
 */
final class MongoLeaseWatch implements LeaseWatch {

	private static final Logger logger = LoggerFactory.getLogger(MongoLeaseWatch.class);

	/**
	 * For each round trip, beside the time that the server waits for a change, which is
	 * part of it.
	 */
	private static final Duration ROUND_TRIP = Duration.ofSeconds(2);

	private static final int ONLY_ON_REPLICA_SETS = 40573;

	/** No such command, stage or feature: what compatible servers may say. */
	private static final Set<Integer> NOT_OFFERED = Set.of(59, 115, 168, 238, 303, 40324);

	private static final String TYPE = "operationType";

	private static final String KEY = "documentKey";

	private static final String DOCUMENT = "fullDocument";

	private static final List<String> HEAD = List.of(TYPE, KEY);

	/** The server has kept back what is too large, if it can. */
	private static final SizeLimit WHATEVER = new SizeLimit(Integer.MAX_VALUE);

	/** Documents may be large, and what exactly was updated is of no use. */
	private static final Bson NEEDED = Projections.fields(Projections.include("_id", TYPE, KEY),
			Projections.computed(DOCUMENT, LeaseDocument.LIMIT.documentOrNothing("$fullDocument")));

	/** For servers that know no size of documents. */
	private static final Bson FIELDS = Projections.include(
			Stream
				.concat(Stream.of("_id", TYPE, KEY),
						Stream.concat(LeaseDocument.FIELDS.stream(), Stream.of(LockDocument.DRAFT))
							.map((DOCUMENT + ".")::concat))
				.toList());

	private final MongoCollection<BsonDocument> collection;

	private final MongoCursor<RawBsonDocument> cursor;

	private boolean ended;

	private MongoLeaseWatch(MongoCollection<BsonDocument> collection, MongoCursor<RawBsonDocument> cursor) {
		this.collection = collection;
		this.cursor = cursor;
	}

	/**
	 * Open a watch.
	 * @param patience how long to wait for a change
	 */
	static MongoLeaseWatch open(MongoCollection<BsonDocument> collection, Duration patience) {
		try {
			return new MongoLeaseWatch(collection, cursor(collection, patience));
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
		try {
			return cursor(collection, patience, NEEDED);
		}
		catch (MongoCommandException ex) {
			if (!NOT_OFFERED.contains(ex.getCode())) {
				throw ex;
			}
			return cursor(collection, patience, FIELDS);
		}
	}

	private static MongoCursor<RawBsonDocument> cursor(MongoCollection<BsonDocument> collection, Duration patience,
			Bson projection) {
		return collection.withTimeout(patience.plus(ROUND_TRIP).toMillis(), TimeUnit.MILLISECONDS)
			.watch(List.of(Aggregates.project(projection)), RawBsonDocument.class)
			.fullDocument(FullDocument.UPDATE_LOOKUP)
			.maxAwaitTime(patience.toMillis(), TimeUnit.MILLISECONDS)
			// The driver would decode all that has come at once.
			.withDocumentClass(RawBsonDocument.class)
			.cursor();
	}

	@Override
	public @Nullable LeaseChange next() {
		if (this.ended) {
			throw new LeaseStoreException("The watch of leases in '%s' has ended: the collection was dropped or renamed"
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

	private @Nullable LeaseChange change(RawBsonDocument event) {
		try {
			return StoredDocument.whole(event, WHATEVER).read(WHATEVER, HEAD, (head) -> change(event, head));
		}
		catch (DamagedDocumentException ex) {
			return new LeaseChange(null);
		}
	}

	private @Nullable LeaseChange change(RawBsonDocument event, BsonDocument head) throws DamagedDocumentException {
		BsonDocument key = head.getDocument(KEY, new BsonDocument());
		if (key.containsKey(LeaseDocument.ID) && !key.isString(LeaseDocument.ID)) {
			// Whatever it is, no lease.
			return null;
		}
		OperationType type = OperationType.fromString(StoredFields.text(head, TYPE));
		// Nothing comes after it: the driver would go on to report no change for ever.
		this.ended = type == OperationType.INVALIDATE;
		if (!(event.get(DOCUMENT) instanceof RawBsonDocument document)) {
			return removal(type, key);
		}
		StoredDocument stored = StoredDocument.whole(document, LeaseDocument.LIMIT);
		// A draft is not a lease yet, and shown when it is one.
		return (LockDocument.draft(stored) == null) ? new LeaseChange(LeaseDocument.toLease(stored)) : null;
	}

	/** A document that was removed since it was changed is shown to be removed next. */
	private static LeaseChange removal(OperationType type, BsonDocument key) {
		if (type != OperationType.DELETE || !key.isString(LeaseDocument.ID)) {
			return new LeaseChange(null);
		}
		return LeaseChange.removal(key.getString(LeaseDocument.ID).getValue());
	}

	private static @Nullable String whyUnsupported(MongoCollection<BsonDocument> collection, MongoCommandException ex) {
		if (MongoCall.isUnauthorized(ex)) {
			return "the database user may not open a change stream on '%s'. Grant it the actions find and changeStream there"
				.formatted(collection.getNamespace().getFullName());
		}
		if (ex.getCode() == ONLY_ON_REPLICA_SETS) {
			return "the MongoDB server is no member of a replica set, and only replica sets have change streams";
		}
		return NOT_OFFERED.contains(ex.getCode())
				? "the server does not offer change streams (%s)".formatted(MongoCall.reason(ex)) : null;
	}

	private static LeaseStoreException failed(MongoCollection<BsonDocument> collection, Exception cause) {
		return MongoCall.failed("watch leases", "find and changeStream", collection, cause);
	}

}
