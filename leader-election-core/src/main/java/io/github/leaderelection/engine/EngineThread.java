package io.github.leaderelection.engine;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What a thread of the engine does: it takes turns until it is told to end, and nothing
 * that a turn throws ends it. After a failure it pauses, the longer the more turns have
 * failed in a row.
 */
public final class EngineThread implements Runnable {

	private static final EngineLog log = EngineLog.of(EngineThread.class);

	private static final long SHORTEST_PAUSE = 10_000_000;

	private static final long LONGEST_PAUSE = 1_000_000_000;

	private final BooleanSupplier turn;

	private final BooleanSupplier stopped;

	/**
	 * Create what a thread does.
	 * @param turn returns whether there is another one
	 * @param stopped whether failures are of no interest any more, and pauses are over
	 */
	public EngineThread(BooleanSupplier turn, BooleanSupplier stopped) {
		this.turn = turn;
		this.stopped = stopped;
	}

	/**
	 * Start a thread of the engine, which does not keep the process alive.
	 * @param name the name of the thread
	 * @param task what it does
	 */
	public static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	@Override
	public void run() {
		long pause = SHORTEST_PAUSE;
		boolean on = true;
		while (on) {
			try {
				on = this.turn.getAsBoolean();
				pause = SHORTEST_PAUSE;
			}
			catch (Throwable ex) {
				recover(ex, pause);
				pause = Math.min(2 * pause, LONGEST_PAUSE);
			}
		}
	}

	private void recover(Throwable failure, long pause) {
		if (!this.stopped.getAsBoolean()) {
			log.tell(failure,
					(logger, cause) -> logger.error("Unexpected failure in leader election; it goes on", cause));
			// Else it would not pause.
			boolean unused = Thread.interrupted();
			LockSupport.parkNanos(this, pause);
		}
	}

}
