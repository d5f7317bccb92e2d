package io.github.leaderelection.lock;

import java.util.concurrent.locks.LockSupport;

import io.github.leaderelection.engine.InterceptedLeaseStore;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;

/**
 * The way of one process to a store, which fails or is slow when a test says so. A
 * process that never reaches the store again is as good as one that has crashed.
 */
final class UnreliableLockStore {

	private final LeaseStore store;

	private volatile boolean down;

	private volatile long slownessNanos;

	UnreliableLockStore(LeaseStore store) {
		this.store = store;
	}

	/** Return the store, as the process sees it. */
	LeaseStore seen() {
		return new InterceptedLeaseStore(this.store, (method, what, timeout) -> {
			if (this.down) {
				throw new LeaseStoreException("no answer, as the test wants", null);
			}
			LockSupport.parkNanos(this.slownessNanos);
		});
	}

	/** Let no call reach the store any more, or let them again. */
	void down(boolean newDown) {
		this.down = newDown;
	}

	/** Let each call take so long. */
	void slow(long nanos) {
		this.slownessNanos = nanos;
	}

}
