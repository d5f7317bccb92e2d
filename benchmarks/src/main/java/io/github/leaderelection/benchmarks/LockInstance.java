package io.github.leaderelection.benchmarks;

import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.LeaseStore;

/**
 * Locks with an engine and a client of their own, as if they were those of a process.
 */
final class LockInstance implements AutoCloseable {

	private final DatabaseClient client;

	private final LockService locks;

	/**
	 * Create locks of the default settings. Nothing is started before one is acquired.
	 * @param client closed with this
	 */
	LockInstance(DatabaseClient client) {
		this.client = client;
		this.locks = new LockService(LeaseStore.forLocks(client.stores(), ""));
	}

	LockService locks() {
		return this.locks;
	}

	@Override
	public void close() {
		this.locks.close();
		this.client.close();
	}

}
