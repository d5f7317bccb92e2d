package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RecordStore} showed.
 *
 * @param records the records by id
 * @param damaged by id, what is wrong with a record that is there and can't be
 * understood, as the end of a sentence and fit for a log
 * @param changedAt by id, when a record was replaced last by the clock of the store, or
 * when it was inserted, if the store knows that; decides nothing
 * @param readAt what that clock showed when they were read, {@code null} if not known
 */
public record RecordReading(Map<String, StoredRecord> records, Map<String, String> damaged,
		Map<String, Instant> changedAt, @Nullable Instant readAt) {

	/**
	 * Take copies.
	 */
	public RecordReading {
		records = Map.copyOf(records);
		damaged = Map.copyOf(damaged);
		changedAt = Map.copyOf(changedAt);
	}

	/**
	 * Create a reading of a store that does not tell when anything was.
	 * @param records the records by id
	 * @param damaged by id, what is wrong with a record that can't be understood
	 */
	public RecordReading(Map<String, StoredRecord> records, Map<String, String> damaged) {
		this(records, damaged, Map.of(), null);
	}

}
