package io.github.leaderelection.launcher;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for a condition by polling it.
 */
final class Polling {

	private static final long PAUSE_MILLIS = 20;

	private Polling() {
	}

	/**
	 * Wait until the condition is true.
	 * @param atMost the longest wait
	 * @param condition the condition, which may throw to end the wait
	 * @param expected describes the condition in the message of the exception
	 * @throws IllegalStateException when the time is over or the thread is interrupted
	 */
	static void await(Duration atMost, BooleanSupplier condition, Supplier<String> expected) {
		if (!comesTrue(atMost, condition)) {
			throw new IllegalStateException("Not within " + atMost.toMillis() + " ms: " + expected.get());
		}
	}

	/**
	 * Wait until the condition is true or the time is over.
	 * @param atMost the longest wait
	 * @param condition the condition, which may throw to end the wait
	 * @return whether it came true in time
	 * @throws IllegalStateException when the thread is interrupted
	 */
	static boolean comesTrue(Duration atMost, BooleanSupplier condition) {
		long start = System.nanoTime();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - start > atMost.toNanos()) {
				return false;
			}
			try {
				Thread.sleep(PAUSE_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new IllegalStateException("Interrupted while waiting for a MongoDB server", ex);
			}
		}
		return true;
	}

}
