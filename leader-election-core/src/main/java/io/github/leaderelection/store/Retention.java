package io.github.leaderelection.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.RecordStore.RecordQuery;

/**
 * Removes records that nobody has changed for an hour: until then people can find out
 * what became of a process. Each process does so now and then, for the records of all.
 */
final class Retention {

	static final Duration TIME = Duration.ofHours(1);

	private static final Duration INTERVAL = Duration.ofMinutes(10);

	private final RecordStore store;

	private final RecordQuery query;

	/** When to remove records next; monotonic time. */
	private volatile long next = System.nanoTime();

	/**
	 * Remove records whose queried field has this value.
	 * @param most how many to remove at a time
	 */
	Retention(RecordStore store, String value, int most) {
		this.store = store;
		this.query = new RecordQuery(value, TIME, most);
	}

	/** Remove old records if it is time to. */
	void removeIfDue(TimeLimit limit) {
		long now = System.nanoTime();
		if (now - this.next < 0) {
			return;
		}
		this.next = now + INTERVAL.toNanos();
		try {
			RecordReading found = this.store.find(this.query, limit.left());
			Map<String, StoredRecord> old = new HashMap<>(found.records());
			// The time of an insert may be unknown.
			old.keySet().retainAll(found.changedAt().keySet());
			if (!old.isEmpty()) {
				Set<String> unused = this.store.remove(old.values(), limit.left());
			}
		}
		catch (LeaseStoreException ex) {
			// The records do no harm; the next attempt removes them.
		}
	}

}
