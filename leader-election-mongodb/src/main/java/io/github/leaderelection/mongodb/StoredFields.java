package io.github.leaderelection.mongodb;

import java.time.Instant;

import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Reads fields of documents that anybody may have edited. What is said of them never
 * quotes a text.
 */
final class StoredFields {

	private static final double COUNTABLE_BY_DOUBLE = 0x1p53;

	private StoredFields() {
	}

	static long number(BsonDocument document, String field, long least, long most) throws DamagedDocumentException {
		BsonValue value = document.get(field);
		Long number = integral(value);
		if (number == null || number < least || number > most) {
			throw new DamagedDocumentException("'%s' must be a whole number between %d and %d but is %s"
				.formatted(field, least, most, describe(value)));
		}
		return number;
	}

	/**
	 * Whoever edits a document in a shell easily turns a long into a double. One beyond
	 * what a double can count is no number here: it would stay as it is when raised by
	 * one, and a new revision would look like the last.
	 */
	static @Nullable Long integral(@Nullable BsonValue value) {
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

	static String text(BsonDocument document, String field) throws DamagedDocumentException {
		BsonValue value = document.get(field);
		if (value == null || !value.isString()) {
			throw new DamagedDocumentException("'%s' must be a string but is %s".formatted(field, describe(value)));
		}
		return value.asString().getValue();
	}

	/** Return the date, {@code null} if there is none, or something else. */
	static @Nullable Instant instant(BsonDocument document, String field) {
		BsonValue value = document.get(field);
		return (value != null && value.isDateTime()) ? Instant.ofEpochMilli(value.asDateTime().getValue()) : null;
	}

	static String describe(@Nullable BsonValue value) {
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
