package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.protocol.Moment;

/**
 * The store's clock as it was last read. It may be wrong, or become wrong: it is only a
 * hint of when to renew.
 *
 * @param readAt the time it showed
 * @param askedAt a time before it was read, by the clocks of this process
 */
record StoreClock(Instant readAt, Moment askedAt) {

	/**
	 * Return how long before the given time the store's clock showed a multiple of the
	 * period, plus an offset.
	 * @param period the period
	 * @param more the offset
	 * @return the duration, less than the period
	 */
	Duration past(Duration period, Duration more, Moment time) {
		// Overflows in some centuries, which shifts the multiples but keeps them regular.
		long read = this.readAt.getEpochSecond() * 1_000_000_000 + this.readAt.getNano();
		long shown = read + (time.nanos() - this.askedAt.nanos());
		return Duration.ofNanos(Math.floorMod(shown - more.toNanos(), period.toNanos()));
	}

}
