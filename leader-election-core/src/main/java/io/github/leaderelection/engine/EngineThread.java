package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A thread of the engine: it takes turns, and sleeps between them, until it is told to
 * end, and nothing that a turn throws ends it. After a failure it pauses, the longer the
 * more turns have failed in a row. It does not keep the process alive.
 */
public final class EngineThread {

	private static final EngineLog log = EngineLog.of(EngineThread.class);

	private static final long SHORTEST_PAUSE = 10_000_000;

	private static final long LONGEST_PAUSE = 1_000_000_000;

	private final String name;

	private final LongSupplier turn;

	private final Semaphore woken = new Semaphore(0);

	private final CompletableFuture<Void> end = new CompletableFuture<>();

	private volatile boolean stopped;

	/**
	 * Create a thread, which is still to be started.
	 * @param name the name of the thread
	 * @param turn returns for how many nanoseconds to sleep unless woken; none, or less,
	 * is fine too
	 */
	public EngineThread(String name, LongSupplier turn) {
		this.name = name;
		this.turn = turn;
	}

	/**
	 * Start the thread. To be called once.
	 */
	public void start() {
		start(this.name, this::run);
	}

	static void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Have the next turn come at once, after the present one if there is one. To do so
	 * many times is to do so once.
	 */
	public void wake() {
		this.woken.release();
	}

	/**
	 * Take no further turn. What the present one throws is of no interest any more.
	 */
	public void stop() {
		this.stopped = true;
		wake();
	}

	boolean isStopped() {
		return this.stopped;
	}

	/** Return when the last turn is over. */
	CompletableFuture<?> end() {
		return this.end;
	}

	/**
	 * Wait, also when interrupted: work that closes an engine from inside is, and what
	 * others have begun must not suffer from that.
	 * @param end what to wait for
	 * @param limit for how long
	 * @return whether it has come, and has not failed
	 */
	public static boolean await(CompletableFuture<?> end, Duration limit) {
		return end.handle((result, failure) -> failure == null)
			.completeOnTimeout(false, limit.toNanos(), TimeUnit.NANOSECONDS)
			.join();
	}

	private void run() {
		long pause = SHORTEST_PAUSE;
		try {
			while (!this.stopped) {
				try {
					sleep(this.turn.getAsLong());
					pause = SHORTEST_PAUSE;
				}
				catch (Throwable ex) {
					recover(ex, pause);
					pause = Math.min(2 * pause, LONGEST_PAUSE);
				}
			}
		}
		finally {
			this.end.complete(null);
		}
	}

	private void sleep(long nanos) {
		try {
			boolean unused = this.woken.tryAcquire(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// Whoever interrupts wants it to look.
		}
		// Who wakes it from now on is not seen by the look that follows: it wakes again.
		this.woken.drainPermits();
	}

	private void recover(Throwable failure, long pause) {
		if (!this.stopped) {
			log.tell(failure,
					(logger, cause) -> logger.error("Unexpected failure in leader election; it goes on", cause));
			// Else it would not pause.
			boolean unused = Thread.interrupted();
			LockSupport.parkNanos(this, pause);
		}
	}

}
