package io.github.leaderelection.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.github.leaderelection.store.RecordStore.RecordQuery;

/**
 * Removes records that nobody has changed for an hour: whoever asks what became of a
 * process should still find them. Each process does so now and then, whoever made them.
 */
final class Retention {

	static final Duration TIME = Duration.ofHours(1);

	private static final Duration INTERVAL = Duration.ofMinutes(10);

	private final RecordStore store;

	private final RecordQuery query;

	/** Monotonic time. */
	private volatile long next = System.nanoTime();

	/**
	 * Remove records in which the field that they are found by has this value.
	 * @param most how many to remove at a time
	 */
	Retention(RecordStore store, String value, int most) {
		this.store = store;
		this.query = new RecordQuery(value, TIME, most);
	}

	/** Remove them if it is time to. */
	void removeIfDue(TimeLimit limit) {
		long now = System.nanoTime();
		if (now - this.next < 0) {
			return;
		}
		this.next = now + INTERVAL.toNanos();
		try {
			RecordReading found = this.store.find(this.query, limit.left());
			Map<String, StoredRecord> old = new HashMap<>(found.records());
			// Of what was only inserted it may not be known when that was.
			old.keySet().retainAll(found.changedAt().keySet());
			if (!old.isEmpty()) {
				Set<String> unused = this.store.remove(old.values(), limit.left());
			}
		}
		catch (LeaseStoreException ex) {
			// They are in nobody's way: it is tried again.
		}
	}

}
