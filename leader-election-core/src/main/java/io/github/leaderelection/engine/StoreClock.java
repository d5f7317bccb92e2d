package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.protocol.Moment;

/**
 * What the clock of the store showed when it was last read. May be wrong, and go wrong: a
 * hint, on which nothing is built.
 *
 * @param readAt what it showed
 * @param askedAt before it was asked
 */
record StoreClock(Instant readAt, Moment askedAt) {

	/**
	 * Return how long before the given time the clock of the store showed a multiple of
	 * the period, and some more.
	 * @param period what to count in
	 * @param more how much more
	 * @return less than the period
	 */
	Duration past(Duration period, Duration more, Moment time) {
		// In centuries it overflows, which makes it another time, and no less regular.
		long read = this.readAt.getEpochSecond() * 1_000_000_000 + this.readAt.getNano();
		long shown = read + (time.nanos() - this.askedAt.nanos());
		return Duration.ofNanos(Math.floorMod(shown - more.toNanos(), period.toNanos()));
	}

}
