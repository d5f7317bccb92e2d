package io.github.leaderelection.mongodb;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredRecord.OtherValue;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/**
 * Converts a {@link StoredRecord} to and from its document.
 */
final class RecordDocument {

	static final String ID = "_id";

	static final String REVISION = "revision";

	static final String CHANGED_AT = "changedAt";

	/** Far more than a record needs, even with some notes that someone has added. */
	static final int MAX_BYTES = 16 * 1024;

	/** The fields of the document that are not fields of the record. */
	static final List<String> OWN_FIELDS = List.of(ID, REVISION, CHANGED_AT);

	private static final double COUNTABLE_BY_DOUBLE = 0x1p53;

	private RecordDocument() {
	}

	/** Read a record from the fields that are present. Anyone may have written them. */
	@SuppressWarnings("NullAway") // It does not see that values of records in other
									// modules may be null
	static StoredRecord toRecord(BsonDocument document) throws DamagedRecordException {
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		document.forEach((name, value) -> fields.put(name, fromBson(value)));
		Object revision = fields.remove(REVISION);
		fields.keySet().removeAll(OWN_FIELDS);
		return StoredRecord.read(document.getString(ID).getValue(), revision, fields);
	}

	private static @Nullable Object fromBson(BsonValue value) {
		Long number = integral(value);
		if (number != null) {
			return number;
		}
		return switch (value.getBsonType()) {
			case NULL -> null;
			case STRING -> value.asString().getValue();
			case BOOLEAN -> value.asBoolean().getValue();
			case DATE_TIME -> Instant.ofEpochMilli(value.asDateTime().getValue());
			case DOUBLE -> new OtherValue(Double.toString(value.asDouble().getValue()));
			default -> new OtherValue("of type " + value.getBsonType());
		};
	}

	/**
	 * Return a whole number, or {@code null}. Accepts a double, since editing a document
	 * in a shell easily turns a long into one. Rejects a double from 2^53 on: adding one
	 * would not change it, and a new revision would look like the last.
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

	/** Return the date, or {@code null} if the field is missing or not a date. */
	static @Nullable Instant instant(BsonDocument document, String field) {
		BsonValue value = document.get(field);
		return (value != null && value.isDateTime()) ? Instant.ofEpochMilli(value.asDateTime().getValue()) : null;
	}

	static BsonDocument whole(StoredRecord record) {
		BsonDocument document = new BsonDocument(ID, new BsonString(record.id()));
		document.putAll(changes(record));
		return document;
	}

	/** Set the fields of the record, and leave the others as they are. */
	static BsonDocument update(StoredRecord record) {
		return new BsonDocument("$set", changes(record)).append("$currentDate",
				new BsonDocument(CHANGED_AT, BsonBoolean.TRUE));
	}

	private static BsonDocument changes(StoredRecord record) {
		BsonDocument changes = new BsonDocument(REVISION, new BsonInt64(record.revision()));
		record.fields().forEach((name, value) -> changes.put(name, toBson(name, value)));
		return changes;
	}

	private static BsonValue toBson(String name, @Nullable Object value) {
		if (value == null) {
			return BsonNull.VALUE;
		}
		if (value instanceof String text) {
			return new BsonString(text);
		}
		if (value instanceof Long number) {
			return new BsonInt64(number);
		}
		if (value instanceof Boolean flag) {
			return BsonBoolean.valueOf(flag);
		}
		if (value instanceof Instant instant) {
			return new BsonDateTime(instant.toEpochMilli());
		}
		throw new IllegalArgumentException("'%s' can't be stored: it is %s".formatted(name, value));
	}

}
