package io.github.leaderelection.engine;

import java.time.Duration;

/**
 * The clocks of a simulated process. Both run at their own rate. The monotonic clock
 * stops while the machine is suspended, and the wall clock can be set.
 */
final class SimulatedClock implements EngineClock {

	private static final long MILLION = 1_000_000;

	private final Timeline timeline;

	private final long error;

	private final long origin;

	private long wallMillis;

	private long suspendedNanos;

	/**
	 * Create clocks with any initial readings.
	 * @param error by how many millionths they are fast
	 * @param origin the first reading of the monotonic clock
	 * @param wallMillis the first reading of the wall clock
	 */
	SimulatedClock(Timeline timeline, long error, long origin, long wallMillis) {
		this.timeline = timeline;
		this.error = error;
		this.origin = origin - shown(timeline.now());
		this.wallMillis = wallMillis - shown(timeline.now()) / MILLION;
	}

	@Override
	public long nanos() {
		return this.origin + shown(this.timeline.now() - this.suspendedNanos);
	}

	@Override
	public long millis() {
		return this.wallMillis + shown(this.timeline.now()) / MILLION;
	}

	/** Return how much true time passes while the monotonic clock shows this much. */
	long trueNanos(long nanos) {
		return nanos - nanos * this.error / (MILLION + this.error);
	}

	/** Set the wall clock forward, or back. */
	void jump(Duration duration) {
		this.wallMillis += duration.toMillis();
	}

	/** Set the monotonic clock back by the time of a suspension. */
	void wasSuspended(long trueNanos) {
		this.suspendedNanos += trueNanos;
	}

	private long shown(long trueNanos) {
		return trueNanos + trueNanos / MILLION * this.error;
	}

}
