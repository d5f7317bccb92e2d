package io.github.leaderelection.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.lock.HeldLock;

/**
 * Measures handovers of a lock that many wait for.
 */
final class LockHandovers {

	private static final String NAME = "contended";

	private static final Duration WAIT = Duration.ofMinutes(5);

	private static final int ROUNDS = 200;

	private static final int WARM_UP = 20;

	private LockHandovers() {
	}

	/**
	 * A waiter that has closed the lock queues again once the next one has acquired it.
	 */
	static List<Double> millis(String uri, String database, int processes, int each) throws InterruptedException {
		CountedCommands commands = new CountedCommands();
		BlockingQueue<Turn> turns = new ArrayBlockingQueue<>(processes * each);
		List<LockInstance> instances = new ArrayList<>();
		List<Double> millis = new ArrayList<>();
		Random random = new Random(1);
		try {
			for (int i = 0; i < processes; i++) {
				LockInstance instance = new LockInstance(commands.open(uri, database));
				instances.add(instance);
				for (int j = 0; j < each; j++) {
					join(instance, turns);
				}
			}
			Turn turn = next(turns);
			for (int i = 0; i < WARM_UP + Rounds.of(ROUNDS); i++) {
				Thread.sleep(50 + random.nextLong(100));
				long closed = System.nanoTime();
				turn.lock().close();
				Turn next = next(turns);
				if (i >= WARM_UP) {
					millis.add((next.acquired() - closed) / 1e6);
				}
				join(turn.instance(), turns);
				turn = next;
			}
			// Otherwise waiters would get it during the close, which waits for them.
			for (int others = processes * each - 1; others > 0; others--) {
				turn.lock().close();
				turn = next(turns);
			}
			turn.lock().close();
		}
		finally {
			instances.parallelStream().forEach(LockInstance::close);
		}
		return millis;
	}

	private static void join(LockInstance instance, BlockingQueue<Turn> turns) {
		Thread thread = new Thread(() -> {
			try {
				HeldLock lock = instance.locks().acquire(NAME, WAIT);
				turns.add(new Turn(instance, lock, System.nanoTime()));
			}
			catch (InterruptedException | IllegalStateException ex) {
				// The measurement is over.
			}
		}, "waiter");
		thread.setDaemon(true);
		thread.start();
	}

	private static Turn next(BlockingQueue<Turn> turns) throws InterruptedException {
		Turn turn = turns.poll(WAIT.toSeconds(), TimeUnit.SECONDS);
		if (turn == null) {
			throw new IllegalStateException("Nobody has acquired the lock");
		}
		return turn;
	}

	/**
	 * A waiter that has acquired the lock.
	 *
	 * @param acquired when, by {@link System#nanoTime()}
	 */
	private record Turn(LockInstance instance, HeldLock lock, long acquired) {

	}

}
