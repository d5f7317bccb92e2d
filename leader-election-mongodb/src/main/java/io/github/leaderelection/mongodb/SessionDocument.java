package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.Session;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.conversions.Bson;

/**
 * The fields of a stored session. Read strictly, but for the dates: what {@code endedAt}
 * says is of no importance, but a session that has one has ended. Fields that are not
 * known are ignored.
 */
final class SessionDocument {

	static final String ID = "_id";

	static final String REVISION = "revision";

	static final String TTL_MILLIS = "ttlMillis";

	static final String RENEWED_AT = "renewedAt";

	static final String ENDED_AT = "endedAt";

	private static final List<String> FIELDS = List.of(ID, REVISION, TTL_MILLIS, RENEWED_AT);

	/** Just what this class reads. */
	static final Bson PROJECTION = Projections.fields(Projections.include(FIELDS), Projections.include(ENDED_AT));

	/** Several times what one needs: there are many, and they are read often. */
	static final SizeLimit LIMIT = new SizeLimit(2 * 1024);

	private SessionDocument() {
	}

	static BsonDocument created(Session session) {
		return new BsonDocument(ID, new BsonString(session.id())).append(REVISION, new BsonInt64(session.revision()))
			.append(TTL_MILLIS, new BsonInt64(session.ttl().toMillis()));
	}

	/** Match a session only as long as it is alive, and exactly as it was seen. */
	static Bson asSeen(Session seen) {
		return alive(seen, seen.revision());
	}

	/** Match a session only as long as it is alive, and nothing came in between. */
	static Bson before(Session renewed) {
		return alive(renewed, renewed.revision() - 1);
	}

	private static Bson alive(Session session, long revision) {
		return Filters.and(Filters.eq(ID, session.id()), Filters.eq(REVISION, revision),
				Filters.eq(TTL_MILLIS, session.ttl().toMillis()), Filters.exists(ENDED_AT, false));
	}

	static Bson renewal(Session renewed) {
		return Updates.combine(Updates.set(REVISION, renewed.revision()), Updates.currentDate(RENEWED_AT));
	}

	static Bson end(Session seen) {
		return Updates.combine(Updates.set(REVISION, seen.expired().revision()), Updates.currentDate(ENDED_AT));
	}

	static Session toSession(StoredDocument stored) throws DamagedDocumentException {
		return stored.read(LIMIT, FIELDS, (document) -> session(document, stored.has(ENDED_AT)));
	}

	private static Session session(BsonDocument document, boolean ended) throws DamagedDocumentException {
		String id = StoredFields.text(document, ID);
		long revision = StoredFields.number(document, REVISION, 0, Session.MAX_NUMBER);
		long ttlMillis = StoredFields.number(document, TTL_MILLIS, 1, LeaseDocument.LONGEST_TTL_MILLIS);
		Session session = Session.of(id, revision, Duration.ofMillis(ttlMillis),
				StoredFields.instant(document, RENEWED_AT), ended);
		if (session == null) {
			throw new DamagedDocumentException(
					"'%s' must be a candidate, '#' and a number but is something else".formatted(ID));
		}
		return session;
	}

}
