package io.github.leaderelection.benchmarks;

import com.mongodb.client.MongoClient;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.MongoRecordStores;
import io.github.leaderelection.store.LeaseStore;

/**
 * Locks with an engine and a client of their own, as if they were those of a process.
 */
final class LockInstance implements AutoCloseable {

	private final MongoClient client;

	private final LockService locks;

	/**
	 * Create locks of the default settings. Nothing is started before one is acquired.
	 * @param client closed with this
	 * @param database the name of the database
	 */
	LockInstance(MongoClient client, String database) {
		this.client = client;
		this.locks = LockService.builder(LeaseStore.forLocks(new MongoRecordStores(client.getDatabase(database)), ""))
			.build();
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
