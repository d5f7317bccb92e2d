package io.github.leaderelection.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Small records that are changed by compare-and-set only: all that a store must be able
 * to do.
 * <p>
 * A record has an id and a revision, and can be changed in three ways: it is inserted if
 * its id is not there, replaced if it has the expected revision, which raises that by
 * one, or removed if it has the expected revision. So of two changes that expect the same
 * revision at most one succeeds, in whichever order they arrive, and a change that
 * arrives late, or twice, finds nothing to change.
 * <p>
 * What was answered survives the loss of a minority of servers, and every later read
 * shows it, or what came after it. Each call is one round trip, or a fixed number of
 * them, however many records it names, and blocks for at most its timeout.
 * {@link LeaseStoreException} means that the outcome is <em>unknown</em>: each of the
 * changes may have been made, may still be made later, or may never be made. Each call
 * names a record at most once; one that names none has no effect. Implementations are
 * safe for use by several threads.
 */
public interface RecordStore {

	/**
	 * Read records. One that can't be understood, that is far too large, or whose id the
	 * store can't express, is reported as damaged, and does not affect the others.
	 * @param ids the ids
	 * @param timeout how long the call may take, positive
	 * @return what was found; an id that is not there is in neither map
	 * @throws LeaseStoreException if there was no answer
	 */
	RecordReading read(Collection<String> ids, Duration timeout);

	/**
	 * Find some records, in no particular order. For cleaning up, and for people: a
	 * record that was not found may be there all the same.
	 * @param query which records to find
	 * @param timeout how long the call may take, positive
	 * @return the records that were found and can be understood
	 * @throws LeaseStoreException if there was no answer
	 */
	default RecordReading find(RecordQuery query, Duration timeout) {
		throw new UnsupportedOperationException("Records of this kind can only be found by id");
	}

	/**
	 * Add up records by the value of their {@linkplain RecordKind#queried() queried
	 * field}. The answer names no record, and so is small, however many there are.
	 * @param values the values of the field
	 * @param timeout how long the call may take, positive
	 * @return the sums by value. A value that no record has is missing, and so may be one
	 * whose revisions can't be added up.
	 * @throws LeaseStoreException if there was no answer
	 */
	default Map<String, RecordSum> sum(Collection<String> values, Duration timeout) {
		throw new UnsupportedOperationException("Records of this kind can't be counted");
	}

	/**
	 * Insert records whose ids are not there. Existing records stay as they are.
	 * @param records the records, at whatever revision
	 * @param timeout how long the call may take, positive
	 * @return the ids of those that were inserted by this call
	 * @throws RecordRefusedException if the store answers that it takes none of them. If
	 * it refuses only some, their ids are not returned.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> insert(Collection<StoredRecord> records, Duration timeout);

	/**
	 * Replace records whose stored revision is one below. The given fields are set; other
	 * stored fields stay as they are.
	 * @param changed the records as they are to be
	 * @param timeout how long the call may take, positive
	 * @return ids of records that were replaced by this call: exactly those if it names a
	 * single record, or if all of them were replaced; otherwise perhaps not all of those,
	 * so the caller must read a record that it misses. A single record is among them only
	 * if others can read it in its new state.
	 * @throws RecordRefusedException if the store answers that it takes none of them. If
	 * it refuses only some, their ids are not returned.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> replace(Collection<StoredRecord> changed, Duration timeout);

	/**
	 * Remove records that still have the revision at which they were seen.
	 * @param seen the records
	 * @param timeout how long the call may take, positive
	 * @return ids of those that were removed by this call, with the same provisos as for
	 * {@link #replace}
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> remove(Collection<StoredRecord> seen, Duration timeout);

	/**
	 * Start to watch all records. A watch gives hints: changes may arrive late, more than
	 * once, or not at all.
	 * @return the watch, to be closed after use
	 * @throws LeaseStoreException if changes can't be watched now
	 * @throws UnsupportedOperationException if this store can't push changes at all; the
	 * message says why
	 */
	default RecordWatch watch() {
		throw new UnsupportedOperationException("the store does not push changes");
	}

	/**
	 * Return the current time by the clock of the store, to which the processes that
	 * share it can compare theirs.
	 * @param timeout how long the call may take, positive
	 * @return the time, in milliseconds
	 * @throws LeaseStoreException if there was no answer
	 */
	Instant now(Duration timeout);

	/**
	 * Which records to find.
	 *
	 * @param value the value of the {@linkplain RecordKind#queried() queried field};
	 * {@code null} finds records where it is null or missing
	 * @param unchangedFor for how long none of them has been changed, by the clock of the
	 * store; a change at an unknown time counts as long ago
	 * @param most how many to find at most, positive
	 */
	record RecordQuery(@Nullable String value, Duration unchangedFor, int most) {

	}

	/**
	 * The number of some records, and the sum of their revisions. As each change raises a
	 * revision, the sum shows whether any of them has been changed, added or removed.
	 *
	 * @param count how many there are
	 * @param revisions the sum of their revisions
	 */
	record RecordSum(long count, long revisions) {

		/** The sum of no records. */
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
