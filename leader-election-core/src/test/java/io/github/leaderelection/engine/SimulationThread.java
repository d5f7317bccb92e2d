package io.github.leaderelection.engine;

import java.util.function.Supplier;

import io.github.leaderelection.engine.Surroundings.Source;

/**
 * The one thread of a simulation. To interrupt it can fail, before or after it was
 * interrupted, and so can what it writes to the log.
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

	/** Return what the task returns, in a thread of its own. */
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

	/** Let the current thread be in these surroundings from now on. */
	static void enter(Surroundings surroundings) {
		if (Thread.currentThread() instanceof SimulationThread<?> thread) {
			thread.surroundings = surroundings;
		}
	}

	/** The current thread does what may fail. */
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
