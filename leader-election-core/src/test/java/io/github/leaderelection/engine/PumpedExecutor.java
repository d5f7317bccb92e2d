package io.github.leaderelection.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Runs tasks only when a test says so, in the thread of the test.
 */
final class PumpedExecutor implements Executor {

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private boolean heldUp;

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
	}

	boolean isIdle() {
		return this.heldUp || this.tasks.isEmpty();
	}

	/** Run nothing from now on, or go on running tasks. */
	void holdUp(boolean held) {
		this.heldUp = held;
	}

	/** Return how many tasks wait, each of which would occupy a thread. */
	int waiting() {
		return this.tasks.size();
	}

	/** Run all waiting tasks, and those that they add. */
	void pump() {
		Runnable task = this.heldUp ? null : this.tasks.poll();
		while (task != null) {
			task.run();
			task = this.tasks.poll();
		}
	}

}
