package io.github.leaderelection.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The fields of a record that was read, whoever may have edited it. What is said of them
 * never quotes a text.
 *
 * @param values the fields by name
 */
public record RecordFields(Map<String, @Nullable Object> values) {

	/**
	 * Return whether a field is missing or null.
	 * @param field the field
	 * @return whether there is nothing
	 */
	public boolean isAbsent(String field) {
		return this.values.get(field) == null;
	}

	/**
	 * Return a number.
	 * @param field the field
	 * @param least the least that it may be
	 * @param most the most that it may be
	 * @return the number
	 * @throws DamagedRecordException if there is none, or another
	 */
	public long number(String field, long least, long most) throws DamagedRecordException {
		if (!(this.values.get(field) instanceof Long number) || number < least || number > most) {
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
		if (!(this.values.get(field) instanceof String text)) {
			throw damage(field, "be a string");
		}
		return text;
	}

	/**
	 * Return a text of limited size: nobody's heap is for what others write.
	 * @param mostBytes how many bytes it may have
	 */
	String text(String field, int mostBytes) throws DamagedRecordException {
		if (!(this.values.get(field) instanceof String text) || text.isEmpty()) {
			throw damage(field, "be a string that is not empty");
		}
		int bytes = text.getBytes(StandardCharsets.UTF_8).length;
		if (bytes > mostBytes) {
			throw new DamagedRecordException(
					"'%s' must have %d bytes at most but has %d".formatted(field, mostBytes, bytes));
		}
		return text;
	}

	/** Return the text, {@code null} if there is none, or something else. */
	@Nullable String textIfAny(String field) {
		return (this.values.get(field) instanceof String text) ? text : null;
	}

	/**
	 * Return the constant of which a field has the name.
	 * @param <E> the type
	 * @param field the field
	 * @param type the type
	 * @return the constant
	 * @throws DamagedRecordException if there is none
	 */
	public <E extends Enum<E>> E oneOf(String field, Class<E> type) throws DamagedRecordException {
		for (E each : type.getEnumConstants()) {
			if (each.name().equals(this.values.get(field))) {
				return each;
			}
		}
		throw damage(field, "be one of " + List.of(type.getEnumConstants()));
	}

	/**
	 * Return a date that is sensible: a later one was edited, or comes from a clock that
	 * was far ahead.
	 * @param field the field
	 * @param latest the latest that it may be
	 * @return the date
	 * @throws DamagedRecordException if there is none, or another
	 */
	public Instant date(String field, Instant latest) throws DamagedRecordException {
		if (!(this.values.get(field) instanceof Instant date) || date.isBefore(Instant.EPOCH) || date.isAfter(latest)) {
			throw damage(field, "be a date between %s and %s".formatted(Instant.EPOCH, latest));
		}
		return date;
	}

	/**
	 * Return a date that only informs.
	 * @param field the field
	 * @return the date, {@code null} if there is none, or something else
	 */
	public @Nullable Instant dateIfAny(String field) {
		return (this.values.get(field) instanceof Instant date) ? date : null;
	}

	/** Return whether the field is true, and nothing else. */
	boolean isTrue(String field) {
		return Boolean.TRUE.equals(this.values.get(field));
	}

	/**
	 * Return what to throw where a field is not what it must be.
	 * @param field the field
	 * @param expected what it must do, such as "be a string"
	 * @return the exception
	 */
	public DamagedRecordException damage(String field, String expected) {
		return new DamagedRecordException("'%s' must %s but is %s".formatted(field, expected, describe(field)));
	}

	private String describe(String field) {
		Object value = this.values.get(field);
		if (value == null) {
			return this.values.containsKey(field) ? "null" : "missing";
		}
		if (value instanceof String text) {
			return text.isEmpty() ? "an empty string" : "a string";
		}
		return String.valueOf(value);
	}

}
