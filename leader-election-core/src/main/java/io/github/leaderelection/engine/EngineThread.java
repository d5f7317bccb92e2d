package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A thread of the engine. It takes turns, and sleeps between them, until it is stopped. A
 * failure does not end it: it pauses, and longer with each turn in a row that fails. As a
 * daemon it does not keep the process alive.
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
	 * @param turn takes a turn, and returns for how many nanoseconds to sleep unless
	 * woken, which can be zero or negative
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
	 * Take the next turn at once, or right after the present one. Several calls can have
	 * the effect of one.
	 */
	public void wake() {
		this.woken.release();
	}

	/**
	 * Take no further turn. A failure of the present one is ignored.
	 */
	public void stop() {
		this.stopped = true;
		wake();
	}

	boolean isStopped() {
		return this.stopped;
	}

	/** Return a future that completes when the last turn is over. */
	CompletableFuture<?> end() {
		return this.end;
	}

	/**
	 * Wait, even if the calling thread is interrupted: a gated call that closes its
	 * engine is interrupted, and work that others have begun must not suffer from that.
	 * @param end what to wait for
	 * @param limit for how long
	 * @return whether it has completed, and has not failed
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
			// An interrupt also wakes the thread.
		}
		// A later wake-up causes another turn, since the coming one may miss its reason.
		this.woken.drainPermits();
	}

	private void recover(Throwable failure, long pause) {
		if (!this.stopped) {
			log.tell(failure,
					(logger, cause) -> logger.error("Unexpected failure in leader election; continuing", cause));
			// Otherwise the pause would end at once.
			boolean unused = Thread.interrupted();
			LockSupport.parkNanos(this, pause);
		}
	}

}
