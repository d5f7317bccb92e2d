package io.github.leaderelection.test;

import java.time.Duration;

import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.protocol.Moment;

/**
 * Clocks that stand still until they are advanced.
 */
final class HaltedClock implements EngineClock {

	private Moment now = EngineClock.SYSTEM.now();

	@Override
	public long nanos() {
		return now().nanos();
	}

	@Override
	public long millis() {
		return now().millis();
	}

	@Override
	public synchronized Moment now() {
		return this.now;
	}

	/** Advance both clocks, by whole milliseconds: the wall clock has no finer unit. */
	synchronized void advance(Duration time) {
		Duration whole = Duration.ofMillis(time.toMillis());
		this.now = new Moment(this.now.nanos() + whole.toNanos(), this.now.millis() + whole.toMillis());
	}

}
