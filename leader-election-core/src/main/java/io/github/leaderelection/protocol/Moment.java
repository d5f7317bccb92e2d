package io.github.leaderelection.protocol;

import java.time.Duration;

/**
 * A point in time on both clocks of a process.
 *
 * @param nanos the monotonic time: nanoseconds since an arbitrary origin; may be
 * negative, and is only meaningful as a difference
 * @param millis the wall-clock time: milliseconds since the epoch
 */
public record Moment(long nanos, long millis) {

	/** Return the moment that is later by this much on both clocks. */
	public Moment plus(Duration duration) {
		return new Moment(this.nanos + duration.toNanos(), this.millis + duration.toMillis());
	}

	/** Return how long ago the other moment was, by the monotonic clock. */
	public Duration since(Moment past) {
		return Duration.ofNanos(this.nanos - past.nanos);
	}

	/** Return whether the given monotonic time has come. */
	public boolean isDue(long time) {
		return this.nanos - time >= 0;
	}

	/**
	 * Return whether this deadline has passed on either clock. The monotonic clock stops
	 * while a machine is suspended; the wall clock does not. A wall clock that was set
	 * forward ends a term early, which is safe (S2).
	 */
	public boolean hasComeAt(long nowNanos, long nowMillis) {
		return nowNanos - this.nanos >= 0 || nowMillis >= this.millis;
	}

	/** Return whether this deadline has passed on either clock. */
	public boolean hasComeAt(Moment now) {
		return hasComeAt(now.nanos, now.millis);
	}

	/** Return how long it is until this deadline, zero if it has passed. */
	public Duration remainingAt(Moment now) {
		Duration monotonic = Duration.ofNanos(Math.max(0, this.nanos - now.nanos));
		Duration wall = Duration.ofMillis(Math.max(0, this.millis - now.millis));
		return Timing.shorter(monotonic, wall);
	}

	/**
	 * Return the monotonic time at which this deadline passes on either clock.
	 * @param latest how far off that is at most: a wall clock may be set back by
	 * centuries
	 */
	public long dueAt(Moment now, Duration latest) {
		long wall = Math.max(0, Math.min(this.millis - now.millis, latest.toMillis()));
		return earlier(this.nanos, now.plus(Duration.ofMillis(wall)).nanos);
	}

	/** Return the earlier of two monotonic times. */
	public static long earlier(long one, long other) {
		return (one - other < 0) ? one : other;
	}

	/** Return the later of two monotonic times. */
	public static long later(long one, long other) {
		return (one - other > 0) ? one : other;
	}

}
