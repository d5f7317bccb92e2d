package io.github.leaderelection.engine;

import java.time.Duration;

/**
 * A point in time on both clocks of a process.
 *
 * @param nanos the monotonic time, see {@link EngineClock#nanos()}
 * @param millis the wall-clock time, see {@link EngineClock#millis()}
 */
public record Moment(long nanos, long millis) {

	Moment plus(Duration duration) {
		return new Moment(this.nanos + duration.toNanos(), this.millis + duration.toMillis());
	}

	/** Return how long ago the other was, by the monotonic clock. */
	Duration since(Moment past) {
		return Duration.ofNanos(this.nanos - past.nanos);
	}

	/**
	 * Return whether this moment, as a deadline, has come: as soon as either clock says
	 * so. The monotonic clock stops while a machine is suspended; the wall clock does
	 * not. A wall clock that was set forward ends a term early, which is safe.
	 */
	boolean hasComeAt(long nowNanos, long nowMillis) {
		return nowNanos - this.nanos >= 0 || nowMillis >= this.millis;
	}

	boolean hasComeAt(Moment now) {
		return hasComeAt(now.nanos, now.millis);
	}

	/** Return how long it is until this deadline comes, zero if it has. */
	Duration remainingAt(Moment now) {
		Duration monotonic = Duration.ofNanos(Math.max(0, this.nanos - now.nanos));
		Duration wall = Duration.ofMillis(Math.max(0, this.millis - now.millis));
		return Rhythm.shorter(monotonic, wall);
	}

}
