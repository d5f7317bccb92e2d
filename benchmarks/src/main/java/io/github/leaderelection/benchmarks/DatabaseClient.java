package io.github.leaderelection.benchmarks;

import io.github.leaderelection.store.RecordStores;
import net.javacrumbs.shedlock.core.LockProvider;

/**
 * The access of one process to a database.
 *
 * @param stores the stores of leases
 * @param shedLock the locks of ShedLock, written as durably as leases
 * @param closing closes the client
 */
record DatabaseClient(RecordStores stores, LockProvider shedLock, Runnable closing) implements AutoCloseable {

	@Override
	public void close() {
		this.closing.run();
	}

}
