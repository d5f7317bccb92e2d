package io.github.leaderelection.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Runs nothing until a test says so, and then in the thread of the test.
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

	/** Run nothing from now on, or go on. */
	void holdUp(boolean held) {
		this.heldUp = held;
	}

	/** Return how many threads would be busy. */
	int waiting() {
		return this.tasks.size();
	}

	/** Run what there is, and what that brings. */
	void pump() {
		Runnable task = this.heldUp ? null : this.tasks.poll();
		while (task != null) {
			task.run();
			task = this.tasks.poll();
		}
	}

}
