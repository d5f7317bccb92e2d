package io.github.leaderelection.store;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A watch of an {@link InMemoryLeaseStore}. Changes that nobody fetches are lost once
 * there are many of them, which a watch is free to do.
 */
final class InMemoryLeaseWatch implements LeaseWatch {

	private static final int CAPACITY = 1024;

	private final BlockingQueue<LeaseChange> changes = new ArrayBlockingQueue<>(CAPACITY);

	private final Consumer<InMemoryLeaseWatch> onClose;

	private volatile boolean closed;

	InMemoryLeaseWatch(Consumer<InMemoryLeaseWatch> onClose) {
		this.onClose = onClose;
	}

	void tell(LeaseChange change) {
		boolean kept = this.changes.offer(change);
		if (!kept) {
			this.changes.clear();
			// What is lost can be read instead.
			this.changes.add(new LeaseChange(null));
		}
	}

	@Override
	public @Nullable LeaseChange next() {
		if (this.closed) {
			throw new LeaseStoreException("The watch is closed", null);
		}
		try {
			return this.changes.poll(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LeaseStoreException("Interrupted while waiting for a change", ex);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.onClose.accept(this);
	}

}
