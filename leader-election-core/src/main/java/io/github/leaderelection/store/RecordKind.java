package io.github.leaderelection.store;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a {@link RecordStore} has to know about the records that it keeps.
 *
 * @param name what collections, tables or files are named after, such as {@code leases}:
 * lower-case letters
 * @param fields the fields that are read, if they are there, and their types. Their names
 * are letters and digits of ASCII, a letter first, and none of {@code id},
 * {@code revision} and {@code changedAt}.
 * @param queried the one field, a text, that records can be found and added up by, and
 * which may be worth an index; records of jobs are found by their ids only
 */
public record RecordKind(String name, Map<String, FieldType> fields, String queried) {

	/**
	 * Take a copy of the fields, in their order.
	 */
	public RecordKind {
		fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
	}

	/**
	 * The type of a field, where it is not null. A store that keeps types with the values
	 * can ignore it.
	 */
	public enum FieldType {

		/** A {@link String}. */
		TEXT,

		/** A {@link Long}. */
		NUMBER,

		/** A {@link Boolean}. */
		FLAG,

		/** An {@link java.time.Instant}. */
		DATE

	}

}
