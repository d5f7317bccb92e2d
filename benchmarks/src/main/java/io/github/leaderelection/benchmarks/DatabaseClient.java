package io.github.leaderelection.benchmarks;

import io.github.leaderelection.store.RecordStores;
import net.javacrumbs.shedlock.core.LockProvider;

/**
 * What one process has of a database: a client, and what is kept by it.
 *
 * @param stores where leases are
 * @param shedLock where ShedLock keeps its locks, as durably as leases are
 * @param closing closes the client
 */
record DatabaseClient(RecordStores stores, LockProvider shedLock, Runnable closing) implements AutoCloseable {

	@Override
	public void close() {
		this.closing.run();
	}

}
