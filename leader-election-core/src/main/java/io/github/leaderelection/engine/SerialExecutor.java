package io.github.leaderelection.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one after another, on a thread that it borrows only while there are any.
 * What a task throws is its own affair. If there is no thread, or one that was promised
 * does not come, tasks wait until somebody {@linkplain #retry tries again}.
 */
final class SerialExecutor implements Executor {

	private static final EngineLog log = EngineLog.of(SerialExecutor.class);

	/**
	 * After so long a thread that was promised is taken for lost, and another asked for.
	 */
	private static final long PATIENCE_NANOS = 10_000_000_000L;

	private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

	private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

	private final Runnable runner = this::run;

	private final Executor threads;

	private volatile boolean closed;

	/** Since when a thread is known to be waited for. */
	private volatile @Nullable Moment awaitedSince;

	SerialExecutor(Executor threads) {
		this.threads = threads;
	}

	/**
	 * Run the task when its turn has come. If this method throws it never will be.
	 */
	@Override
	public void execute(Runnable task) {
		if (!this.closed) {
			this.tasks.add(task);
			borrowThread();
		}
	}

	private void borrowThread() {
		if (!this.tasks.isEmpty() && this.state.compareAndSet(State.IDLE, State.AWAITING)) {
			this.awaitedSince = null;
			askForThread();
		}
	}

	private void askForThread() {
		try {
			this.threads.execute(this.runner);
		}
		catch (Throwable ex) {
			// Whoever asks is in the middle of something: retry() tries again.
			this.state.compareAndSet(State.AWAITING, State.IDLE);
			log.tell(ex, (logger, cause) -> logger
				.error("There is no thread for leader election callbacks; they wait for one", cause));
		}
	}

	/** Try to borrow a thread again if there was none for the tasks that wait. */
	void retry(Moment now) {
		borrowThread();
		if (this.state.get() != State.AWAITING) {
			return;
		}
		Moment since = this.awaitedSince;
		if (since == null) {
			this.awaitedSince = now;
		}
		else if (now.nanos() - since.nanos() >= PATIENCE_NANOS) {
			// It may have died before it came here.
			this.awaitedSince = now;
			askForThread();
		}
	}

	/** Return whether there are tasks, but no thread that runs them. */
	boolean isWaiting() {
		return !this.tasks.isEmpty() && this.state.get() != State.RUNNING;
	}

	/**
	 * Drop what has not been started, and accept nothing more.
	 * @return how many tasks were dropped
	 */
	int close() {
		this.closed = true;
		int dropped = 0;
		while (this.tasks.poll() != null) {
			dropped++;
		}
		return dropped;
	}

	private void run() {
		// A thread that comes late finds another one at work, or nothing to do.
		while (this.state.compareAndSet(State.AWAITING, State.RUNNING)) {
			try {
				runAll();
			}
			finally {
				this.state.set(State.IDLE);
			}
			if (!this.closed && !this.tasks.isEmpty()) {
				this.state.compareAndSet(State.IDLE, State.AWAITING);
			}
		}
	}

	private void runAll() {
		Runnable task = this.tasks.poll();
		while (task != null && !this.closed) {
			run(task);
			task = this.tasks.poll();
		}
	}

	private static void run(Runnable task) {
		try {
			// Left by the task before.
			boolean unused = Thread.interrupted();
			task.run();
		}
		catch (Throwable ex) {
			log.tell(ex,
					(logger, cause) -> logger.error("A leader election callback failed; it changes nothing", cause));
		}
	}

	private enum State {

		/** Nothing is run, and no thread asked for. */
		IDLE,

		/** A thread was asked for, and has not come yet. */
		AWAITING,

		/** A thread runs tasks. */
		RUNNING

	}

}
