package io.github.leaderelection.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits for a condition that must soon be true.
 */
final class Patience {

	/** Long: only reached if something is wrong. */
	static final Duration LIMIT = Duration.ofSeconds(30);

	private static final long PAUSE_NANOS = 1_000_000L;

	private Patience() {
	}

	/** Return whether the condition became true in time. */
	static boolean until(BooleanSupplier condition) {
		return until(condition, LIMIT);
	}

	/**
	 * Return whether the condition became true in time. An interrupt does not end the
	 * wait, since this thread may run the very call that is interrupted. The interrupt
	 * status is set again at the end.
	 */
	static boolean until(BooleanSupplier condition, Duration limit) {
		boolean interrupted = false;
		long begin = System.nanoTime();
		try {
			while (!condition.getAsBoolean()) {
				if (System.nanoTime() - begin >= limit.toNanos()) {
					return false;
				}
				LockSupport.parkNanos(PAUSE_NANOS);
				interrupted |= Thread.interrupted();
			}
			return true;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
