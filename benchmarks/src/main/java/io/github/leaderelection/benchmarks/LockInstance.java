package io.github.leaderelection.benchmarks;

import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.store.LeaseStore;

/**
 * Locks with their own engine and client, like those of a process.
 */
final class LockInstance implements AutoCloseable {

	private final DatabaseClient client;

	private final LockService locks;

	/**
	 * Create locks with the default settings. Nothing starts before a lock is acquired.
	 * @param client the client, which is closed with this instance
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
