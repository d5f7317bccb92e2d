package io.github.leaderelection.engine;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one after another, on a thread that it borrows only while there are tasks.
 * Whatever a task throws is logged, and does not affect the next one. If no thread is
 * available, tasks wait for another call of {@link #retry}.
 */
class SerialExecutor {

	private static final EngineLog log = EngineLog.of(SerialExecutor.class);

	private final Executor threads;

	// Guarded by this

	private final Queue<Runnable> tasks = new ArrayDeque<>(1);

	/** Whether a thread was requested, and has not come yet. */
	private boolean asked;

	private boolean running;

	private boolean closed;

	SerialExecutor(Executor threads) {
		this.threads = threads;
	}

	/**
	 * Run the task when its turn has come, or never if this method throws.
	 */
	void execute(Runnable task) {
		synchronized (this) {
			if (!this.closed) {
				this.tasks.add(task);
			}
		}
		retry();
	}

	/** Request a thread if tasks wait for one and none was requested. */
	void retry() {
		if (!ask()) {
			return;
		}
		try {
			this.threads.execute(this::run);
		}
		catch (Throwable ex) {
			// The caller is in the middle of something else: retry() tries again.
			refused();
			log.tell(ex, (logger, cause) -> logger
				.error("No thread could be started for leader election callbacks; retrying", cause));
		}
	}

	private synchronized boolean ask() {
		if (this.tasks.isEmpty() || this.asked || this.running) {
			return false;
		}
		this.asked = true;
		return true;
	}

	private synchronized void refused() {
		this.asked = false;
	}

	/** Return whether there are tasks, but no thread that runs them. */
	synchronized boolean isWaiting() {
		return !this.tasks.isEmpty() && !this.running;
	}

	/** Drop the tasks that have not started, and accept no more. */
	synchronized void close() {
		this.closed = true;
		this.tasks.clear();
	}

	private void run() {
		if (begin()) {
			for (Runnable task = next(); task != null; task = next()) {
				run(task);
			}
		}
	}

	/**
	 * Begin to run tasks, unless another thread does so already: a thread may come even
	 * though the request for it has failed.
	 */
	private synchronized boolean begin() {
		boolean first = !this.running;
		this.running = true;
		this.asked = false;
		return first;
	}

	private synchronized @Nullable Runnable next() {
		Runnable task = this.tasks.poll();
		this.running = task != null;
		return task;
	}

	/** Run a task, and log whatever it throws. */
	static void run(Runnable task) {
		try {
			// The previous task may have left its interrupt behind.
			boolean unused = Thread.interrupted();
			task.run();
		}
		catch (Throwable ex) {
			log.tell(ex, (logger, cause) -> logger
				.error("A leader election listener or callback failed; elections go on", cause));
		}
	}

}
