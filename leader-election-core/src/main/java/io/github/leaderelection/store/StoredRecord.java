package io.github.leaderelection.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A small record as a {@link RecordStore} keeps it. What its fields mean is for those to
 * know who use the store.
 *
 * @param id tells records apart; not empty
 * @param revision how often the record was changed, counted from that of its insertion;
 * from 0 to {@value #MAX_REVISION}
 * @param fields the fields by {@linkplain #isFieldName name}: each a {@link String}, a
 * {@link Long}, a {@link Boolean}, an {@link Instant} in whole milliseconds, or
 * {@code null} where there is nothing. A record that was read may have an
 * {@link OtherValue} too, and need not tell what is null from what is missing.
 */
public record StoredRecord(String id, long revision, Map<String, @Nullable Object> fields) {

	/**
	 * The greatest revision: what a double can count, since people edit records in
	 * shells.
	 */
	public static final long MAX_REVISION = (1L << 53) - 1;

	private static final Pattern FIELD_NAME = Pattern.compile("[a-zA-Z][a-zA-Z0-9]{0,63}");

	/** What stores may keep beside the fields. */
	private static final Set<String> RESERVED = Set.of("id", "revision", "changedAt");

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
		if (!isFieldName(name)) {
			throw new IllegalArgumentException("'%s' is no name of a field".formatted(StoredText.printable(name)));
		}
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
	 * Return whether a field can have the name: up to 64 letters and digits of ASCII, a
	 * letter first, and none of {@code id}, {@code revision} and {@code changedAt}.
	 * @param name the name
	 * @return whether it is valid
	 */
	public static boolean isFieldName(String name) {
		return FIELD_NAME.matcher(name).matches() && !RESERVED.contains(name);
	}

	/**
	 * Return the record that may follow this one.
	 * @param changed the fields that it shall have; those that are not named stay as they
	 * are stored
	 * @return the record, of the next revision
	 */
	public StoredRecord next(Map<String, @Nullable Object> changed) {
		return new StoredRecord(this.id, this.revision + 1, changed);
	}

	/**
	 * Return what a message may quote: no field, since anybody may have written it.
	 */
	@Override
	public String toString() {
		return "StoredRecord[id=%s, revision=%d]".formatted(StoredText.printable(this.id), this.revision);
	}

	/**
	 * A value of a type that no record has, so that somebody else must have written it.
	 * It can't be stored.
	 *
	 * @param description what it is, as the end of a sentence and fit for a log: "of type
	 * ARRAY", say
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
