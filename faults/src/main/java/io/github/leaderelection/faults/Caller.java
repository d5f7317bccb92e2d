package io.github.leaderelection.faults;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * A thread that keeps calling a gated method, whether this process leads or not.
 */
final class Caller {

	private static final long PAUSE_NANOS = 4_000_000;

	private final String election;

	private final LongConsumer method;

	private final HistoryWriter history;

	Caller(String election, LongConsumer method, HistoryWriter history) {
		this.election = election;
		this.method = method;
		this.history = history;
	}

	void start() {
		Thread thread = new Thread(this::run, "caller-" + this.election);
		thread.setDaemon(true);
		thread.start();
	}

	private void run() {
		while (true) {
			try {
				this.method.accept(System.nanoTime());
			}
			catch (RuntimeException ex) {
				this.history.write("failed", this.election, ex);
			}
			LockSupport.parkNanos(PAUSE_NANOS);
		}
	}

}
