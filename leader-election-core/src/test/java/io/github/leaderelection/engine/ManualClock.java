package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.protocol.Moment;

/**
 * Clocks that stand still until a test moves them. The monotonic one begins shortly
 * before it overflows, as the real one may.
 */
final class ManualClock implements EngineClock {

	private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

	private long millis = 1_700_000_000_000L;

	private volatile Runnable beforeLook = () -> {
	};

	/** Run something whenever a clock is read. */
	void beforeLook(Runnable happening) {
		this.beforeLook = happening;
	}

	@Override
	public synchronized long nanos() {
		this.beforeLook.run();
		return this.nanos;
	}

	@Override
	public synchronized long millis() {
		return this.millis;
	}

	@Override
	public synchronized Moment now() {
		this.beforeLook.run();
		return new Moment(this.nanos, this.millis);
	}

	/** Let time pass. */
	synchronized void advance(Duration duration) {
		this.nanos += duration.toNanos();
		this.millis += duration.toMillis();
	}

	/** Let time pass in milliseconds. */
	void advance(long millis) {
		advance(Duration.ofMillis(millis));
	}

	/** Set the wall clock forward, or back. */
	synchronized void jump(Duration duration) {
		this.millis += duration.toMillis();
	}

	/** Suspend the machine: its monotonic clock stops. */
	void suspend(Duration duration) {
		jump(duration);
	}

}
