package io.github.leaderelection.store;

import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The record that keeps the greatest term of all removed leases of locks. */
final class TermFloor {

	/** How often to try a change: other processes change a record only now and then. */
	static final int ATTEMPTS = 5;

	/** The id of the record: it has a control character, which no name has. */
	static final String ID = "floor\t";

	/**
	 * Half of all terms. A lease above it was edited: to raise the floor to it would
	 * leave few terms to all other locks.
	 */
	static final long MOST = Lease.MAX_TERM / 2;

	private final RecordStore leases;

	TermFloor(RecordStore leases) {
		this.leases = leases;
	}

	/** Return the greatest term, 0 if none was removed. */
	long read(TimeLimit limit) {
		return term(stored(limit));
	}

	void raise(long term, TimeLimit limit) {
		for (int i = 0; i < ATTEMPTS; i++) {
			StoredRecord stored = stored(limit);
			if (term(stored) >= term) {
				return;
			}
			Map<String, @Nullable Object> fields = Map.of(LeaseRecords.TERM, term);
			Set<String> raised = (stored != null) ? this.leases.replace(List.of(stored.next(fields)), limit.left())
					: this.leases.insert(List.of(new StoredRecord(ID, 1, fields)), limit.left());
			if (!raised.isEmpty()) {
				return;
			}
		}
		throw new LeaseStoreException("The floor of terms could not be raised: its record keeps changing", null);
	}

	private @Nullable StoredRecord stored(TimeLimit limit) {
		RecordReading reading = this.leases.read(List.of(ID), limit.left());
		String damage = reading.damaged().get(ID);
		if (damage != null) {
			throw damaged(damage, null);
		}
		return reading.records().get(ID);
	}

	private static long term(@Nullable StoredRecord stored) {
		try {
			return (stored != null) ? stored.number(LeaseRecords.TERM, 0, Lease.MAX_TERM - 1) : 0;
		}
		catch (DamagedRecordException ex) {
			throw damaged(ex.getMessage(), ex);
		}
	}

	private static LeaseStoreException damaged(@Nullable String damage, @Nullable Throwable cause) {
		return new LeaseStoreException("The record of the floor of terms is damaged: " + damage
				+ ". Set it to a number above the terms of all locks", cause);
	}

}
