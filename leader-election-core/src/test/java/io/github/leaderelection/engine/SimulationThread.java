package io.github.leaderelection.engine;

import java.util.function.Supplier;

import io.github.leaderelection.engine.Surroundings.Source;

/**
 * The only thread of a simulation. Interrupting it may throw, before or after it is
 * interrupted, and so may writing to the log.
 */
final class SimulationThread<T> extends Thread {

	private final Supplier<T> task;

	private volatile Surroundings surroundings;

	private T result;

	private Throwable failure;

	private SimulationThread(Supplier<T> task) {
		super("simulation");
		this.task = task;
	}

	/** Run the task in its own thread, and return its result. */
	static <T> T call(Supplier<T> task) {
		SimulationThread<T> thread = new SimulationThread<>(task);
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		if (thread.failure != null) {
			throw new IllegalStateException(thread.failure);
		}
		return thread.result;
	}

	/** Set the surroundings of the current thread. */
	static void enter(Surroundings surroundings) {
		if (Thread.currentThread() instanceof SimulationThread<?> thread) {
			thread.surroundings = surroundings;
		}
	}

	/** Do something in the current thread that may throw. */
	static void pass(Source source) {
		if (Thread.currentThread() instanceof SimulationThread<?> thread && thread.surroundings != null) {
			thread.surroundings.pass(source);
		}
	}

	@Override
	public void run() {
		try {
			this.result = this.task.get();
		}
		catch (Throwable ex) {
			this.failure = ex;
		}
	}

	@Override
	public void interrupt() {
		pass(Source.INTERRUPT);
		super.interrupt();
		pass(Source.INTERRUPT);
	}

}
