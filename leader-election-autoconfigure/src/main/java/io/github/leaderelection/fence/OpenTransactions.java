package io.github.leaderelection.fence;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The fenced transactions of a subscription that are in progress. Safe for use by any
 * thread.
 */
final class OpenTransactions {

	private final Object lock = new Object();

	// Guarded by the lock.

	private int count;

	private List<Runnable> waiting = new ArrayList<>();

	/**
	 * Note that a transaction is about to begin.
	 * @return to be closed when it has ended
	 */
	Opened open() {
		synchronized (this.lock) {
			this.count++;
		}
		return new Opened();
	}

	/**
	 * Run an action once no transaction is in progress: at once, or in the thread that
	 * ends the last one.
	 * @param action the action
	 */
	void whenNone(Runnable action) {
		synchronized (this.lock) {
			if (this.count > 0) {
				this.waiting.add(action);
				return;
			}
		}
		action.run();
	}

	private void ended() {
		List<Runnable> actions;
		synchronized (this.lock) {
			if (--this.count > 0) {
				return;
			}
			actions = this.waiting;
			this.waiting = new ArrayList<>();
		}
		actions.forEach(Runnable::run);
	}

	/** A transaction in progress. */
	final class Opened implements AutoCloseable {

		private final AtomicBoolean closed = new AtomicBoolean();

		private Opened() {
		}

		/** Note that it has ended. Has no effect the second time. */
		@Override
		public void close() {
			if (this.closed.compareAndSet(false, true)) {
				ended();
			}
		}

	}

}
