package io.github.leaderelection.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A small record as a {@link RecordStore} keeps it. Only the users of the store know what
 * its fields mean.
 *
 * @param id tells records apart; not empty
 * @param revision raised by one with each change of the record; from 0 to
 * {@value #MAX_REVISION}
 * @param fields the fields by name, as their {@link RecordKind} has them: each a
 * {@link String}, a {@link Long}, a {@link Boolean}, an {@link Instant} in whole
 * milliseconds, or {@code null} where there is nothing. A record that was read may also
 * have an {@link OtherValue}, and need not tell null from missing.
 */
public record StoredRecord(String id, long revision, Map<String, @Nullable Object> fields) {

	/**
	 * The greatest revision that a double represents exactly, since people edit records
	 * in shells.
	 */
	public static final long MAX_REVISION = (1L << 53) - 1;

	/**
	 * Check the values, and take a copy of the fields.
	 * @throws IllegalArgumentException if one is not valid
	 */
	public StoredRecord {
		if (id.isEmpty()) {
			throw new IllegalArgumentException("id must not be empty");
		}
		if (revision < 0 || revision > MAX_REVISION) {
			throw new IllegalArgumentException(
					"revision must be from 0 to %d but is %d".formatted(MAX_REVISION, revision));
		}
		Map<String, @Nullable Object> copy = new LinkedHashMap<>();
		fields.forEach((name, value) -> copy.put(name, checked(name, value)));
		fields = Collections.unmodifiableMap(copy);
	}

	private static @Nullable Object checked(String name, @Nullable Object value) {
		if (value instanceof Instant instant) {
			return instant.truncatedTo(ChronoUnit.MILLIS);
		}
		if (value == null || value instanceof String || value instanceof Long || value instanceof Boolean
				|| value instanceof OtherValue) {
			return value;
		}
		throw new IllegalArgumentException("'%s' can't be of type %s".formatted(name, value.getClass().getName()));
	}

	/**
	 * Return the record that may follow this one.
	 * @param changed the fields to set; others stay as they are stored
	 * @return the record, with the next revision
	 */
	public StoredRecord next(Map<String, @Nullable Object> changed) {
		return new StoredRecord(this.id, this.revision + 1, changed);
	}

	/**
	 * Return a record as it is stored, whoever has edited it.
	 * @param id the id
	 * @param revision the stored revision: any value that a field may have
	 * @param fields the fields
	 * @return the record
	 * @throws DamagedRecordException if no record can have this id, or this revision
	 */
	public static StoredRecord read(String id, @Nullable Object revision, Map<String, @Nullable Object> fields)
			throws DamagedRecordException {
		if (id.isEmpty()) {
			throw new DamagedRecordException("'id' must not be empty");
		}
		if (!(revision instanceof Long number) || number < 0 || number > MAX_REVISION) {
			throw new DamagedRecordException("'revision' must be a whole number between 0 and %d but is %s"
				.formatted(MAX_REVISION, (revision != null) ? describe(revision) : "null or missing"));
		}
		return new StoredRecord(id, number, fields);
	}

	// What was read, and may have been edited by anybody. Messages never quote a text.

	/**
	 * Return whether a field is missing or null.
	 * @param field the field
	 * @return whether there is nothing
	 */
	public boolean isAbsent(String field) {
		return this.fields.get(field) == null;
	}

	/**
	 * Return a number.
	 * @param field the field
	 * @param least the least that it may be
	 * @param most the most that it may be
	 * @return the number
	 * @throws DamagedRecordException if there is no such number
	 */
	public long number(String field, long least, long most) throws DamagedRecordException {
		if (!(this.fields.get(field) instanceof Long number) || number < least || number > most) {
			throw damage(field, "be a whole number between %d and %d".formatted(least, most));
		}
		return number;
	}

	/**
	 * Return a text.
	 * @param field the field
	 * @return the text, which may be empty
	 * @throws DamagedRecordException if there is none
	 */
	public String text(String field) throws DamagedRecordException {
		if (!(this.fields.get(field) instanceof String text)) {
			throw damage(field, "be a string");
		}
		return text;
	}

	/**
	 * Return a text of limited size, as anybody may have written it: it must not fill the
	 * heap.
	 * @param mostBytes how many bytes it may have
	 */
	String text(String field, int mostBytes) throws DamagedRecordException {
		if (!(this.fields.get(field) instanceof String text) || text.isEmpty()) {
			throw damage(field, "be a string that is not empty");
		}
		int bytes = text.getBytes(StandardCharsets.UTF_8).length;
		if (bytes > mostBytes) {
			throw new DamagedRecordException(
					"'%s' must have at most %d bytes but has %d".formatted(field, mostBytes, bytes));
		}
		return text;
	}

	/** Return the text, {@code null} if there is none, or another value. */
	@Nullable String textIfAny(String field) {
		return (this.fields.get(field) instanceof String text) ? text : null;
	}

	/**
	 * Return the enum constant that a field names.
	 * @param <E> the type
	 * @param field the field
	 * @param type the type
	 * @return the constant
	 * @throws DamagedRecordException if it names none
	 */
	public <E extends Enum<E>> E oneOf(String field, Class<E> type) throws DamagedRecordException {
		for (E each : type.getEnumConstants()) {
			if (each.name().equals(this.fields.get(field))) {
				return each;
			}
		}
		throw damage(field, "be one of " + List.of(type.getEnumConstants()));
	}

	/**
	 * Return a plausible date: a later one was edited, or comes from a clock that was far
	 * ahead.
	 * @param field the field
	 * @param latest the latest that it may be
	 * @return the date
	 * @throws DamagedRecordException if there is no such date
	 */
	public Instant date(String field, Instant latest) throws DamagedRecordException {
		if (!(this.fields.get(field) instanceof Instant date) || date.isBefore(Instant.EPOCH) || date.isAfter(latest)) {
			throw damage(field, "be a date between %s and %s".formatted(Instant.EPOCH, latest));
		}
		return date;
	}

	/**
	 * Return a date that only informs.
	 * @param field the field
	 * @return the date, {@code null} if there is none, or another value
	 */
	public @Nullable Instant dateIfAny(String field) {
		return (this.fields.get(field) instanceof Instant date) ? date : null;
	}

	/** Return whether the field is true, and nothing else. */
	boolean isTrue(String field) {
		return Boolean.TRUE.equals(this.fields.get(field));
	}

	/**
	 * Return the exception to throw when a field is not what it must be.
	 * @param field the field
	 * @param expected what it must do, such as "be a string"
	 * @return the exception
	 */
	public DamagedRecordException damage(String field, String expected) {
		return new DamagedRecordException("'%s' must %s but is %s".formatted(field, expected, describe(field)));
	}

	private String describe(String field) {
		Object value = this.fields.get(field);
		return (value != null) ? describe(value) : this.fields.containsKey(field) ? "null" : "missing";
	}

	private static String describe(Object value) {
		if (value instanceof String text) {
			return text.isEmpty() ? "an empty string" : "a string";
		}
		return value.toString();
	}

	/**
	 * Return what a message may quote: no fields, since anybody may have written them.
	 */
	@Override
	public String toString() {
		return "StoredRecord[id=%s, revision=%d]".formatted(StoredText.printable(this.id), this.revision);
	}

	/**
	 * A value of a type that no record has, so another program must have written it. It
	 * can't be stored.
	 *
	 * @param description what it is, as the end of a sentence and fit for a log, such as
	 * "of type ARRAY"
	 */
	public record OtherValue(String description) {

		/**
		 * Check that there is a description.
		 */
		public OtherValue {
			Objects.requireNonNull(description, "description must not be null");
		}

		@Override
		public String toString() {
			return this.description;
		}

	}

}
