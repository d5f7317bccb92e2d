package io.github.leaderelection.store;

import java.time.Instant;
import java.util.Map;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RecordStore} showed.
 *
 * @param records the records by id
 * @param damaged by id, what is wrong with a record that is there but can't be
 * understood, as the end of a sentence and fit for a log
 * @param changedAt by id, when a record was last replaced, by the clock of the store, or
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
	 * Create a reading of a store that does not date records.
	 * @param records the records by id
	 * @param damaged by id, what is wrong with a record that can't be understood
	 */
	public RecordReading(Map<String, StoredRecord> records, Map<String, String> damaged) {
		this(records, damaged, Map.of(), null);
	}

	/**
	 * Decode the records. A damaged one does not affect the others.
	 * @param <T> what records are decoded to
	 * @param decoder decodes one record
	 * @param found is told what each record means
	 * @param broken is told, by its id, what is wrong with each damaged record, as the
	 * end of a sentence
	 */
	public <T> void decode(Decoder<T> decoder, BiConsumer<StoredRecord, T> found, BiConsumer<String, String> broken) {
		this.damaged.forEach(broken);
		this.records.forEach((id, record) -> {
			T decoded;
			try {
				decoded = decoder.decode(record);
			}
			catch (DamagedRecordException | RuntimeException ex) {
				broken.accept(id, StoredText.printable(String.valueOf(ex.getMessage())));
				return;
			}
			found.accept(record, decoded);
		});
	}

	/**
	 * Decodes a record.
	 *
	 * @param <T> what it is decoded to
	 */
	@FunctionalInterface
	public interface Decoder<T> {

		/**
		 * Decode a record.
		 * @param record the record
		 * @return what it means
		 * @throws DamagedRecordException if it can't be understood
		 */
		T decode(StoredRecord record) throws DamagedRecordException;

	}

}
