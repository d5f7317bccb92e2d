package io.github.leaderelection.store;

import java.util.Map;

/**
 * What a {@link RecordStore} showed.
 *
 * @param records the records by id
 * @param damaged by id, what is wrong with a record that is there and can't be
 * understood, as the end of a sentence and fit for a log
 */
public record RecordReading(Map<String, StoredRecord> records, Map<String, String> damaged) {

	/**
	 * Take copies.
	 */
	public RecordReading {
		records = Map.copyOf(records);
		damaged = Map.copyOf(damaged);
	}

}
