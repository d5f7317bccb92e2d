package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Set;

import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RecordReading;
import io.github.leaderelection.store.RecordStore;
import io.github.leaderelection.store.StoredRecord;

/**
 * Stands in where an application has a store of its own for leases, and none for the runs
 * of jobs: no run is started that would have to be recorded.
 */
final class MissingRecordStore implements RecordStore {

	@Override
	public RecordReading read(Collection<String> ids, Duration timeout) {
		throw missing();
	}

	@Override
	public Set<String> insert(Collection<StoredRecord> records, Duration timeout) {
		throw missing();
	}

	@Override
	public Set<String> replace(Collection<StoredRecord> changed, Duration timeout) {
		throw missing();
	}

	@Override
	public Set<String> remove(Collection<StoredRecord> seen, Duration timeout) {
		throw missing();
	}

	@Override
	public Instant now(Duration timeout) {
		throw missing();
	}

	private static LeaseStoreException missing() {
		return new LeaseStoreException("There is no RecordStore bean. Declare one beside the LeaseStore", null);
	}

}
