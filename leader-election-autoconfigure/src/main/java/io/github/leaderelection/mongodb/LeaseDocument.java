package io.github.leaderelection.mongodb;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import com.mongodb.client.model.Projections;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseClaim;
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

	static final String TERM = "term";

	static final String REVISION = "revision";

	static final String TTL_MILLIS = "ttlMillis";

	static final String ELECTED_AT = "electedAt";

	static final String RENEWED_AT = "renewedAt";

	static final String SUCCESSOR = "successor";

	/** Just what this class reads. */
	static final List<String> FIELDS = List.of(ID, HOLDER, TERM, REVISION, TTL_MILLIS, ELECTED_AT, RENEWED_AT,
			SUCCESSOR);

	static final Bson PROJECTION = Projections.include(FIELDS);

	/** Beyond what anyone would configure, and far from what overflows in nanoseconds. */
	private static final long LONGEST_TTL_MILLIS = Duration.ofDays(366).toMillis();

	private static final double COUNTABLE_BY_DOUBLE = 0x1p53;

	private LeaseDocument() {
	}

	/**
	 * The document of a lease that nobody has held yet.
	 */
	static BsonDocument vacant(Lease lease) {
		return new BsonDocument(ID, new BsonString(lease.election())).append(HOLDER, BsonNull.VALUE)
			.append(TERM, new BsonInt64(lease.term()))
			.append(REVISION, new BsonInt64(0))
			.append(TTL_MILLIS, new BsonInt64(lease.ttl().toMillis()));
	}

	static Lease toLease(BsonDocument document) throws DamagedLeaseException {
		BsonValue id = document.get(ID);
		if (id == null || !id.isString()) {
			throw new DamagedLeaseException("'%s' must be a string but is %s".formatted(ID, describe(id)));
		}
		// One below the greatest number, because both are yet to be raised by one.
		long term = number(document, TERM, 0, Long.MAX_VALUE - 1);
		long revision = number(document, REVISION, 0, Long.MAX_VALUE - 1);
		long ttlMillis = number(document, TTL_MILLIS, 1, LONGEST_TTL_MILLIS);
		return new Lease(id.asString().getValue(), holder(document), term, revision, Duration.ofMillis(ttlMillis),
				instant(document, ELECTED_AT), instant(document, RENEWED_AT), successor(document));
	}

	/**
	 * Whether the document shows the claim's holder and term, be it damaged or not.
	 */
	static boolean shows(@Nullable BsonDocument document, LeaseClaim claim) {
		if (document == null) {
			return false;
		}
		BsonValue holder = document.get(HOLDER);
		Long term = integral(document.get(TERM));
		return holder != null && holder.equals(new BsonString(claim.holder())) && term != null && term == claim.term();
	}

	private static @Nullable String holder(BsonDocument document) throws DamagedLeaseException {
		BsonValue holder = document.get(HOLDER);
		if (holder != null && holder.isNull()) {
			return null;
		}
		if (holder == null || !holder.isString() || holder.asString().getValue().isEmpty()) {
			throw new DamagedLeaseException(
					"'%s' must be null or a string that is not empty but is %s".formatted(HOLDER, describe(holder)));
		}
		return holder.asString().getValue();
	}

	/** A wish, not a claim: whatever can't be understood is no wish. */
	private static @Nullable String successor(BsonDocument document) {
		BsonValue successor = document.get(SUCCESSOR);
		return (successor != null && successor.isString()) ? successor.asString().getValue() : null;
	}

	private static long number(BsonDocument document, String field, long least, long most)
			throws DamagedLeaseException {
		BsonValue value = document.get(field);
		Long number = integral(value);
		if (number == null || number < least || number > most) {
			throw new DamagedLeaseException("'%s' must be a whole number between %d and %d but is %s".formatted(field,
					least, most, describe(value)));
		}
		return number;
	}

	/**
	 * Whoever edits a document in a shell easily turns a long into a double. One beyond
	 * what a double can count is no number here: it would stay as it is when raised by
	 * one, and a renewal would show as none.
	 */
	private static @Nullable Long integral(@Nullable BsonValue value) {
		if (value == null || !(value.isInt32() || value.isInt64() || value.isDouble())) {
			return null;
		}
		if (value.isDouble() && !isWhole(value.asDouble().getValue())) {
			return null;
		}
		return value.asNumber().longValue();
	}

	private static boolean isWhole(double value) {
		return Math.rint(value) == value && Math.abs(value) < COUNTABLE_BY_DOUBLE;
	}

	static @Nullable Instant instant(BsonDocument document, String field) {
		BsonValue value = document.get(field);
		return (value != null && value.isDateTime()) ? Instant.ofEpochMilli(value.asDateTime().getValue()) : null;
	}

	private static String describe(@Nullable BsonValue value) {
		if (value == null) {
			return "missing";
		}
		return switch (value.getBsonType()) {
			case NULL -> "null";
			case INT32, INT64 -> Long.toString(value.asNumber().longValue());
			case DOUBLE -> Double.toString(value.asDouble().getValue());
			case STRING -> value.asString().getValue().isEmpty() ? "an empty string" : "a string";
			default -> "of type " + value.getBsonType();
		};
	}

}
