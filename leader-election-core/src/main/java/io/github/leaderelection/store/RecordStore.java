package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Small records, changed by compare-and-set only. All that a store must be able to do.
 * <p>
 * A record has an id and a revision, and can be changed in three ways: it is inserted if
 * its id is not there, replaced if it has the revision that is expected, which raises
 * that by one, or removed if it has it. So of two changes that are made to what is known
 * of one revision at most one comes about, whichever order they arrive in, and one that
 * arrives late, or twice, finds nothing to change.
 * <p>
 * What was answered survives the loss of a minority of servers, and every later read
 * shows it, or what came after it. Each call is one round trip, or a fixed number of
 * them, however many records it names, and blocks for at most its timeout.
 * {@link LeaseStoreException} means that the outcome is <em>unknown</em>: each of the
 * changes may have been made, may still be made later, or never. Each call names a record
 * at most once; one that names none has no effect. Implementations are safe for use by
 * several threads.
 */
public interface RecordStore {

	/**
	 * Return records as they are. One that can't be understood, that is far too large, or
	 * whose id the store can't express, is reported in its own place and costs no other.
	 * @param ids the ids
	 * @param timeout how long the call may take, positive
	 * @return what was found; an id that is not there is in neither map
	 * @throws LeaseStoreException if there was no answer
	 */
	RecordReading read(Collection<String> ids, Duration timeout);

	/**
	 * Find some records, in no order. For cleaning up, and for people: nothing that was
	 * not found is known to be missing.
	 * @param query which
	 * @param timeout how long the call may take, positive
	 * @return what was found, and can be understood
	 * @throws LeaseStoreException if there was no answer
	 */
	default RecordReading find(RecordQuery query, Duration timeout) {
		throw new UnsupportedOperationException("Records of this kind can't be found but by their ids");
	}

	/**
	 * Add up records by what the {@linkplain RecordKind#queried() field} has that records
	 * are found by. The answer names no record, and so is small, however many there are.
	 * @param values what the field has
	 * @param timeout how long the call may take, positive
	 * @return the sums by value; one of which there is no record is missing, and so may
	 * be one that can't be told
	 * @throws LeaseStoreException if there was no answer
	 */
	default Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		throw new UnsupportedOperationException("Records of this kind can't be added up");
	}

	/**
	 * Insert records whose ids are not there. What is there stays as it is.
	 * @param records the records, at whatever revision
	 * @param timeout how long the call may take, positive
	 * @return the ids of those that were inserted by this call
	 * @throws RecordRefusedException if the store answers that it takes none of them. One
	 * that it does not take beside others is not among the ids that are returned.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> insert(Collection<StoredRecord> records, Duration timeout);

	/**
	 * Replace records whose stored revision is one below. Fields that are named are set,
	 * others that are stored stay as they are.
	 * @param changed the records as they shall be
	 * @param timeout how long the call may take, positive
	 * @return ids of those that were replaced by this call: of a single record, or if all
	 * of them were, exactly these; else none but such ones, and perhaps not all: whoever
	 * misses one reads it. A single record is among them only if others can read it as it
	 * is then.
	 * @throws RecordRefusedException if the store answers that it takes none of them. One
	 * that it does not take beside others is not among the ids that are returned.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> replace(Collection<StoredRecord> changed, Duration timeout);

	/**
	 * Remove records that have still the revision at which they were seen.
	 * @param seen the records
	 * @param timeout how long the call may take, positive
	 * @return ids of those that were removed by this call, with the same provisos as of
	 * {@link #replace}
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> remove(Collection<StoredRecord> seen, Duration timeout);

	/**
	 * Start to watch all records. What it shows is a hint: changes may arrive late, more
	 * than once, or not at all.
	 * @return the watch, to be closed after use
	 * @throws LeaseStoreException if changes can't be watched now
	 * @throws UnsupportedOperationException if this store can't tell of changes at all;
	 * the message says why
	 */
	default RecordWatch watch() {
		throw new UnsupportedOperationException("the store does not tell of changes");
	}

	/**
	 * Return the present time by the clock of the store, so that those who share it have
	 * one to compare theirs with.
	 * @param timeout how long the call may take, positive
	 * @return the time, in milliseconds
	 * @throws LeaseStoreException if there was no answer
	 */
	Instant now(Duration timeout);

	/**
	 * Which records to find.
	 *
	 * @param value what the {@linkplain RecordKind#queried() field} has that records are
	 * found by; {@code null} finds those where it is null or missing
	 * @param unchangedFor for how long none of them has been changed, by the clock of the
	 * store; where it is not known when that was, it is long ago
	 * @param most how many to find at most, positive
	 */
	record RecordQuery(@Nullable String value, Duration unchangedFor, int most) {

	}

	/**
	 * What some records come to. As each change raises a revision, it tells whether any
	 * of them has been changed, added or removed.
	 *
	 * @param count how many there are
	 * @param revisions the sum of their revisions
	 */
	record RecordSum(long count, long revisions) {

		/**
		 * Of no records at all.
		 */
		public static final RecordSum NONE = new RecordSum(0, 0);

		/**
		 * Return the sum with one more record.
		 * @param revision the revision of that record
		 * @return the sum
		 */
		public RecordSum plus(long revision) {
			return new RecordSum(this.count + 1, this.revisions + revision);
		}

	}

}
