package io.github.leaderelection.mongodb;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import com.mongodb.client.model.Projections;
import io.github.leaderelection.store.HandoverRequest;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.Session;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a stored lease, and how they are read: strictly where they decide,
 * leniently where they only inform. Fields that are not known are ignored.
 */
final class LeaseDocument {

	static final String ID = "_id";

	static final String HOLDER = "holder";

	static final String SESSION = "session";

	static final String TERM = "term";

	static final String REVISION = "revision";

	static final String TTL_MILLIS = "ttlMillis";

	static final String ELECTED_AT = "electedAt";

	static final String SUCCESSOR = "successor";

	static final String REQUEST = "request";

	private static final String BY = "by";

	static final String PAUSED = "paused";

	/** Just what this class reads. */
	static final List<String> FIELDS = List.of(ID, HOLDER, SESSION, TERM, REVISION, TTL_MILLIS, ELECTED_AT, SUCCESSOR,
			REQUEST, PAUSED);

	static final Bson PROJECTION = Projections.include(FIELDS);

	/** Far more than a lease needs, with a few notes of somebody else's in it. */
	static final SizeLimit LIMIT = new SizeLimit(16 * 1024);

	/** Beyond what anyone would configure, and far from what overflows in nanoseconds. */
	static final long LONGEST_TTL_MILLIS = Duration.ofDays(366).toMillis();

	/** Twice what an id can have: there must be room for it in a session. */
	private static final int MOST_OF_HOLDER = SessionDocument.LIMIT.bytes() / 2;

	private LeaseDocument() {
	}

	/**
	 * The document of a lease that nobody has held yet.
	 */
	static BsonDocument vacant(Lease lease) {
		return new BsonDocument(ID, new BsonString(lease.election())).append(HOLDER, BsonNull.VALUE)
			.append(SESSION, new BsonInt64(0))
			.append(TERM, new BsonInt64(lease.term()))
			.append(REVISION, new BsonInt64(0))
			.append(TTL_MILLIS, new BsonInt64(lease.ttl().toMillis()));
	}

	static Lease toLease(StoredDocument stored) throws DamagedDocumentException {
		return stored.read(LIMIT, FIELDS, LeaseDocument::lease);
	}

	private static Lease lease(BsonDocument document) throws DamagedDocumentException {
		String id = StoredFields.text(document, ID);
		long term = StoredFields.number(document, TERM, 0, Lease.MAX_TERM);
		long revision = StoredFields.number(document, REVISION, 0, Lease.MAX_TERM);
		Duration ttl = ttl(document);
		String holder = holder(document);
		return new Lease(id, holder, (holder != null) ? session(document) : 0, term, revision, ttl,
				StoredFields.instant(document, ELECTED_AT), successor(document), request(document),
				document.isBoolean(PAUSED) && document.getBoolean(PAUSED).getValue());
	}

	static Bson asking(HandoverRequest request) {
		BsonDocument asked = new BsonDocument(TERM, new BsonInt64(request.term())).append(BY,
				new BsonString(request.by()));
		if (request.successor() != null) {
			asked.append(SUCCESSOR, new BsonString(request.successor()));
		}
		return new BsonDocument("$set", new BsonDocument(REQUEST, asked));
	}

	static Duration ttl(BsonDocument document) throws DamagedDocumentException {
		return Duration.ofMillis(StoredFields.number(document, TTL_MILLIS, 1, LONGEST_TTL_MILLIS));
	}

	private static @Nullable String holder(BsonDocument document) throws DamagedDocumentException {
		BsonValue holder = document.get(HOLDER);
		if (holder != null && holder.isNull()) {
			return null;
		}
		if (holder == null || !holder.isString() || holder.asString().getValue().isEmpty()) {
			throw new DamagedDocumentException("'%s' must be null or a string that is not empty but is %s"
				.formatted(HOLDER, StoredFields.describe(holder)));
		}
		String id = holder.asString().getValue();
		int bytes = id.getBytes(StandardCharsets.UTF_8).length;
		if (bytes > MOST_OF_HOLDER) {
			throw new DamagedDocumentException("'%s' must have %d bytes at most, or it can have no session, but has %d"
				.formatted(HOLDER, MOST_OF_HOLDER, bytes));
		}
		return id;
	}

	/**
	 * Whoever holds a lease that names no session has none that could be watched: it is
	 * of a build from before there were any, or is gone. The one can't be told from the
	 * other here, so nobody may take it.
	 */
	private static long session(BsonDocument document) throws DamagedDocumentException {
		if (!document.containsKey(SESSION)) {
			throw new DamagedDocumentException(
					("'%s' must be a whole number but is missing: a build without sessions holds the lease, or has "
							+ "left it. Stop all instances of that build first, then set '%s' to null")
						.formatted(SESSION, HOLDER));
		}
		return StoredFields.number(document, SESSION, 1, Session.MAX_NUMBER);
	}

	/** A wish, not a claim: whatever can't be understood is no wish. */
	private static @Nullable String successor(BsonDocument document) {
		BsonValue successor = document.get(SUCCESSOR);
		return (successor != null && successor.isString()) ? successor.asString().getValue() : null;
	}

	/** What can't be understood is not asked for. */
	private static @Nullable HandoverRequest request(BsonDocument document) {
		if (!document.isDocument(REQUEST)) {
			return null;
		}
		BsonDocument asked = document.getDocument(REQUEST);
		BsonValue successor = asked.get(SUCCESSOR);
		boolean understood = asked.isInt64(TERM) && asked.isString(BY) && (successor == null || successor.isString());
		return understood
				? new HandoverRequest(asked.getInt64(TERM).getValue(), successor(asked), asked.getString(BY).getValue())
				: null;
	}

}
