package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.util.List;

import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.Updates;
import io.github.leaderelection.store.Lease;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * What is stored of locks beside their leases: the floor of all terms, and drafts.
 */
final class LockDocument {

	/** No lease has it: their ids are strings, and all strings come before it. */
	static final BsonDocument FLOOR = new BsonDocument("floor", new BsonInt32(1));

	static final String DRAFT = "draft";

	private static final String CREATED_AT = "createdAt";

	private static final String DRAFT_ID = "id";

	/**
	 * Half of the numbers. What is above was edited, and would leave few to all others if
	 * the floor were raised to it.
	 */
	private static final long MOST_TERM = Lease.MAX_TERM / 2;

	private static final Bson PROJECTION = Projections.fields(LeaseDocument.PROJECTION, Projections.include(DRAFT));

	private LockDocument() {
	}

	/**
	 * The document of a lease that is still to be confirmed. It has none of the fields
	 * that a taking, a release or a removal names.
	 */
	static BsonDocument draft(Lease lease) {
		return new BsonDocument(LeaseDocument.ID, new BsonString(lease.election())).append(DRAFT,
				new BsonDocument(DRAFT_ID, new BsonObjectId(new ObjectId()))
					.append(LeaseDocument.TERM, new BsonInt64(lease.term()))
					.append(LeaseDocument.TTL_MILLIS, new BsonInt64(lease.ttl().toMillis())));
	}

	/** Return the draft that is stored, {@code null} if it is something else. */
	static @Nullable BsonDocument draft(StoredDocument stored) {
		try {
			BsonDocument document = stored.read(LeaseDocument.LIMIT, List.of(DRAFT), (draft) -> draft);
			return (document.isDocument(DRAFT) && !stored.has(LeaseDocument.TERM)) ? document : null;
		}
		catch (DamagedDocumentException ex) {
			return null;
		}
	}

	/** Match a draft as long as it is that very one. */
	static Bson isStillDraft(String election, BsonDocument draft) {
		return Filters.and(Filters.eq(LeaseDocument.ID, election),
				Filters.eq(DRAFT + "." + DRAFT_ID, draft.getDocument(DRAFT).get(DRAFT_ID)),
				Filters.exists(LeaseDocument.TERM, false));
	}

	/**
	 * Return the lease that comes of a draft.
	 * @param floor what was read after the draft, {@code null} if there is none
	 */
	static Lease confirmed(String election, BsonDocument draft, @Nullable Long floor) throws DamagedDocumentException {
		BsonDocument wanted = draft.getDocument(DRAFT);
		if (!wanted.isObjectId(DRAFT_ID)) {
			throw new DamagedDocumentException("'%s.%s' must be an object id but is %s".formatted(DRAFT, DRAFT_ID,
					StoredFields.describe(wanted.get(DRAFT_ID))));
		}
		long term = StoredFields.number(wanted, LeaseDocument.TERM, 0, Lease.MAX_TERM);
		Duration ttl = LeaseDocument.ttl(wanted);
		return Lease.vacant(election, (floor != null) ? Math.max(term, floor + 1) : term, 0, ttl);
	}

	/** Make a lease of a draft. */
	static Bson confirmation(Lease lease) {
		return Updates.combine(Updates.set(LeaseDocument.HOLDER, null), Updates.set(LeaseDocument.SESSION, 0L),
				Updates.set(LeaseDocument.TERM, lease.term()), Updates.set(LeaseDocument.REVISION, lease.revision()),
				Updates.set(LeaseDocument.TTL_MILLIS, lease.ttl().toMillis()), Updates.currentDate(CREATED_AT),
				Updates.unset(DRAFT));
	}

	/** Return the floor, which must leave at least one term above it. */
	static long floor(StoredDocument stored, long least) throws DamagedDocumentException {
		try {
			return stored.read(LeaseDocument.LIMIT, List.of(LeaseDocument.TERM),
					(document) -> StoredFields.number(document, LeaseDocument.TERM, least, Lease.MAX_TERM - 1));
		}
		catch (DamagedDocumentException ex) {
			throw new DamagedDocumentException("the floor of all terms, in the document %s, can't be relied on: %s"
				.formatted(FLOOR.toJson(), ex.getMessage()));
		}
	}

	static Bson isFloor() {
		return Filters.eq(LeaseDocument.ID, FLOOR);
	}

	/** Match what is a draft, or can be removed unless it is taken meanwhile. */
	static Bson isUnused(Duration unusedFor) {
		BsonDocument used = operator("$max", new BsonString("$" + LeaseDocument.ELECTED_AT),
				new BsonString("$" + CREATED_AT));
		BsonDocument before = operator("$subtract", new BsonString("$$NOW"), new BsonInt64(unusedFor.toMillis()));
		Bson vacant = Filters.and(Filters.type(LeaseDocument.ID, BsonType.STRING),
				Filters.type(LeaseDocument.HOLDER, BsonType.NULL), Filters.gte(LeaseDocument.TERM, 0L),
				Filters.lte(LeaseDocument.TERM, MOST_TERM), Filters.expr(operator("$lt", used, before)));
		Bson draft = Filters.and(Filters.type(LeaseDocument.ID, BsonType.STRING),
				Filters.type(DRAFT, BsonType.DOCUMENT), Filters.exists(LeaseDocument.TERM, false));
		BsonDocument size = new BsonDocument("$bsonSize", new BsonString("$$ROOT"));
		return Filters.and(Filters.or(vacant, draft),
				Filters.expr(operator("$lte", size, new BsonInt32(LeaseDocument.LIMIT.bytes()))));
	}

	/** What {@link #isUnused} has found, as far as it is needed. */
	static Bson fields() {
		return PROJECTION;
	}

	/** Match a vacant lease only as long as it is as it was seen. */
	static Bson isStillVacant(Lease lease) {
		return Filters.and(Filters.eq(LeaseDocument.ID, lease.election()),
				Filters.eq(LeaseDocument.REVISION, lease.revision()), Filters.eq(LeaseDocument.TERM, lease.term()),
				Filters.type(LeaseDocument.HOLDER, BsonType.NULL));
	}

	/** Return the lease, {@code null} if it can't be understood: then it stays. */
	static @Nullable Lease removable(StoredDocument stored) {
		try {
			return LeaseDocument.toLease(stored);
		}
		catch (DamagedDocumentException ex) {
			return null;
		}
	}

	private static BsonDocument operator(String name, BsonValue... operands) {
		return new BsonDocument(name, new BsonArray(List.of(operands)));
	}

}
