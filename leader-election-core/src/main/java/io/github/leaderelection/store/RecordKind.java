package io.github.leaderelection.store;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RecordStore} has to know of the records that it keeps.
 *
 * @param name what collections, tables or files are named after, such as {@code leases}:
 * lower-case letters
 * @param fields the fields that are read, if they are there
 * @param queried the one field that records can be found and added up by, which may be
 * worth an index; {@code null} if there is none
 */
public record RecordKind(String name, List<String> fields, @Nullable String queried) {

	public RecordKind {
		fields = List.copyOf(fields);
	}

}
