package io.github.leaderelection.engine;

import java.util.function.LongSupplier;

/**
 * Clocks that show what a test supplies.
 *
 * @param monotonic the monotonic time in nanoseconds
 * @param wall the wall-clock time in milliseconds
 */
public record SuppliedClock(LongSupplier monotonic, LongSupplier wall) implements EngineClock {

	@Override
	public long nanos() {
		return this.monotonic.getAsLong();
	}

	@Override
	public long millis() {
		return this.wall.getAsLong();
	}

}
