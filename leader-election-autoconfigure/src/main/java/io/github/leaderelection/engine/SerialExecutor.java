package io.github.leaderelection.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after another, on a thread that it borrows only while there are any.
 */
final class SerialExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(SerialExecutor.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final Deque<Runnable> tasks = new ArrayDeque<>();

	private final Executor threads;

	private boolean active;

	private boolean closed;

	SerialExecutor(Executor threads) {
		this.threads = threads;
	}

	@Override
	public void execute(Runnable task) {
		this.lock.lock();
		try {
			if (this.closed) {
				return;
			}
			this.tasks.add(task);
			if (this.active) {
				return;
			}
			this.active = true;
		}
		finally {
			this.lock.unlock();
		}
		borrowThread();
	}

	private void borrowThread() {
		try {
			this.threads.execute(this::runAll);
		}
		catch (Throwable ex) {
			// Whoever asks is in the middle of something: retry() tries again.
			logger.error("There is no thread for leader election callbacks; they wait for one", ex);
			this.lock.lock();
			try {
				this.active = false;
			}
			finally {
				this.lock.unlock();
			}
		}
	}

	/** Try to borrow a thread again if there was none for the tasks that wait. */
	void retry() {
		this.lock.lock();
		try {
			if (this.active || this.tasks.isEmpty()) {
				return;
			}
			this.active = true;
		}
		finally {
			this.lock.unlock();
		}
		borrowThread();
	}

	/**
	 * Drop what has not been started, and accept nothing more.
	 * @return how many tasks were dropped
	 */
	int close() {
		this.lock.lock();
		try {
			this.closed = true;
			int dropped = this.tasks.size();
			this.tasks.clear();
			return dropped;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void runAll() {
		Runnable task = next();
		while (task != null) {
			try {
				// Left by the task before.
				Thread.interrupted();
				task.run();
			}
			catch (Throwable ex) {
				logger.error("A leader election callback failed; it changes nothing", ex);
			}
			task = next();
		}
	}

	private @Nullable Runnable next() {
		this.lock.lock();
		try {
			Runnable task = this.tasks.poll();
			this.active = task != null;
			return task;
		}
		finally {
			this.lock.unlock();
		}
	}

}
