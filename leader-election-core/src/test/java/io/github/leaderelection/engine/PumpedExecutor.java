package io.github.leaderelection.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Runs nothing until a test says so, and then in the thread of the test.
 */
final class PumpedExecutor implements Executor {

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	@Override
	public void execute(Runnable task) {
		this.tasks.add(task);
	}

	boolean isIdle() {
		return this.tasks.isEmpty();
	}

	/** Return how many threads would be busy. */
	int waiting() {
		return this.tasks.size();
	}

	/** Run what there is, and what that brings. */
	void pump() {
		Runnable task = this.tasks.poll();
		while (task != null) {
			task.run();
			task = this.tasks.poll();
		}
	}

}
