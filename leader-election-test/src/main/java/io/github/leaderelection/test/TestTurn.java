package io.github.leaderelection.test;

import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * The turn among the tests that share an application context: each decides who leads, so
 * only one can run at a time.
 */
final class TestTurn {

	private final Semaphore turn = new Semaphore(1, true);

	private volatile @Nullable Thread holder;

	/**
	 * Wait until no other test is running in the context.
	 * @throws IllegalStateException if that test runs in this thread, or the wait is
	 * interrupted
	 */
	void begin() {
		if (this.holder == Thread.currentThread()) {
			throw new IllegalStateException("Another test of the same application context has not ended yet. It waits "
					+ "on this thread, which runs this test meanwhile: tests that control leadership can't be "
					+ "nested. Don't wait for tasks of the pool that runs the tests, or run them in the same thread");
		}
		try {
			this.turn.acquire();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(
					"Interrupted while another test of the same application context was running", ex);
		}
		this.holder = Thread.currentThread();
	}

	/** Let the next test run. Any thread may call this. */
	void end() {
		this.holder = null;
		this.turn.release();
	}

	/** Return whether a test waits for its turn. */
	boolean isAwaited() {
		return this.turn.hasQueuedThreads();
	}

}
