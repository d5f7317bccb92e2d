package io.github.leaderelection.autoconfigure;

import java.time.Duration;
import java.util.Collection;

import io.github.leaderelection.store.JobKey;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.RunCover;
import io.github.leaderelection.store.RunEnd;
import io.github.leaderelection.store.RunOpening;
import io.github.leaderelection.store.RunReading;
import io.github.leaderelection.store.RunRecord;
import io.github.leaderelection.store.RunStart;
import io.github.leaderelection.store.RunStore;

/**
 * Stands in where an application has a store of its own for leases, and none for the runs
 * of jobs: no run is started that would have to be recorded.
 */
final class MissingRunStore implements RunStore {

	@Override
	public RunReading open(Collection<RunOpening> openings, Duration timeout) {
		throw missing();
	}

	@Override
	public RunRecord start(RunStart start, Duration timeout) {
		throw missing();
	}

	@Override
	public boolean finish(RunEnd end, Duration timeout) {
		throw missing();
	}

	@Override
	public boolean cover(RunCover cover, Duration timeout) {
		throw missing();
	}

	@Override
	public RunReading find(Collection<JobKey> keys, Duration timeout) {
		throw missing();
	}

	private static LeaseStoreException missing() {
		return new LeaseStoreException("There is no RunStore bean. Declare one beside the LeaseStore", null);
	}

}
