package io.github.leaderelection.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The fields of a record that was read, whoever may have edited it. What is said of them
 * never quotes a text.
 *
 * @param values the fields by name
 */
record RecordFields(Map<String, @Nullable Object> values) {

	/** Return whether the field is missing or null. */
	boolean isAbsent(String field) {
		return this.values.get(field) == null;
	}

	long number(String field, long least, long most) throws DamagedRecordException {
		if (!(this.values.get(field) instanceof Long number) || number < least || number > most) {
			throw damage(field, "be a whole number between %d and %d".formatted(least, most));
		}
		return number;
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

	/** Return the date, {@code null} if there is none, or something else. */
	@Nullable Instant dateIfAny(String field) {
		return (this.values.get(field) instanceof Instant date) ? date : null;
	}

	/** Return whether the field is true, and nothing else. */
	boolean isTrue(String field) {
		return Boolean.TRUE.equals(this.values.get(field));
	}

	DamagedRecordException damage(String field, String expected) {
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
