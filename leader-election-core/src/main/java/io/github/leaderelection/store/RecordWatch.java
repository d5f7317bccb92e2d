package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * An open watch of all records of a {@link RecordStore}. For use by one thread.
 */
public interface RecordWatch extends AutoCloseable {

	/**
	 * Wait for a change, for half a minute at most. A call that takes much longer is
	 * interrupted.
	 * @return the change, or {@code null} if there was none
	 * @throws LeaseStoreException if the watch is broken
	 */
	@Nullable RecordChange next();

	@Override
	void close();

	/**
	 * A change that a {@link RecordWatch} has shown. If it has neither a record nor a
	 * removal, the event does not tell what changed: records should then be read again.
	 *
	 * @param record the record after the change, durable as shown, or {@code null}
	 * @param removed the id of the record that was removed, or {@code null}. There may be
	 * a new record by now.
	 */
	record RecordChange(@Nullable StoredRecord record, @Nullable String removed) {

		/** Something has changed, but the event does not tell what. */
		public static final RecordChange UNCLEAR = new RecordChange(null, null);

		/**
		 * Return the change that led to this record.
		 * @param record the record after the change
		 * @return the change
		 */
		public static RecordChange of(StoredRecord record) {
			return new RecordChange(record, null);
		}

		/**
		 * Return the removal of a record.
		 * @param id the id of the record
		 * @return the change
		 */
		public static RecordChange removal(String id) {
			return new RecordChange(null, id);
		}

	}

}
