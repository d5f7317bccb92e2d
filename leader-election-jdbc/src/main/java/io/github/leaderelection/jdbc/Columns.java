package io.github.leaderelection.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.leaderelection.store.DamagedRecordException;
import io.github.leaderelection.store.RecordKind;
import io.github.leaderelection.store.RecordKind.FieldType;
import io.github.leaderelection.store.StoredRecord;
import io.github.leaderelection.store.StoredRecord.OtherValue;
import org.jspecify.annotations.Nullable;

/**
 * The columns for a kind of record: {@code id}, {@code revision}, {@code touched_at}, and
 * one for each field, named in snake case: {@code ttl_millis} for {@code ttlMillis}.
 * Dates in fields are stored as text, such as {@code 2026-03-01T12:00:00.123Z}, which
 * means the same in every time zone.
 */
final class Columns {

	private final Map<String, FieldType> types;

	/** The fields, in the order in which they are selected. */
	private final List<String> fields;

	Columns(RecordKind kind) {
		this.types = kind.fields();
		this.fields = List.copyOf(this.types.keySet());
	}

	/** Return the name of the column of a field. */
	static String name(String field) {
		return field.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
	}

	/** Return the columns to select for {@link #read}. */
	String selected() {
		return "id, revision, touched_at"
				+ this.fields.stream().map((field) -> ", " + name(field)).collect(Collectors.joining());
	}

	/** Set the parameters from the index on to the values of the named fields. */
	void set(PreparedStatement statement, int index, StoredRecord record, List<String> named) throws SQLException {
		for (int i = 0; i < named.size(); i++) {
			String field = named.get(i);
			Object value = record.fields().get(field);
			statement.setObject(index + i, (value instanceof Instant) ? value.toString() : value, sqlType(field));
		}
	}

	private int sqlType(String field) {
		return switch (this.types.getOrDefault(field, FieldType.TEXT)) {
			case TEXT, DATE -> Types.VARCHAR;
			case NUMBER -> Types.BIGINT;
			case FLAG -> Types.BOOLEAN;
		};
	}

	/** Read the record of a row, which someone may have edited and damaged. */
	StoredRecord read(ResultSet row) throws SQLException, DamagedRecordException {
		Map<String, Object> values = new LinkedHashMap<>();
		for (String field : this.fields) {
			Object value = value(row, field);
			if (value != null) {
				values.put(field, value);
			}
		}
		return StoredRecord.read(row.getString("id"), row.getLong("revision"), values);
	}

	private @Nullable Object value(ResultSet row, String field) throws SQLException {
		String column = name(field);
		Object value = switch (this.types.getOrDefault(field, FieldType.TEXT)) {
			case TEXT -> row.getString(column);
			case NUMBER -> row.getLong(column);
			case FLAG -> row.getBoolean(column);
			case DATE -> date(row.getString(column));
		};
		return row.wasNull() ? null : value;
	}

	/** Return the date; code that needs it reports what is wrong with the text. */
	private static @Nullable Object date(@Nullable String text) {
		try {
			return (text != null) ? Instant.parse(text) : null;
		}
		catch (DateTimeException ex) {
			return new OtherValue("not a date such as 2026-03-01T12:00:00Z");
		}
	}

}
