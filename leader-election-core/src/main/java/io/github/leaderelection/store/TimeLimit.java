package io.github.leaderelection.store;

import java.time.Duration;

/**
 * The time that one call may take, shared by several requests.
 *
 * @param end when it is over; monotonic time
 */
record TimeLimit(long end) {

	TimeLimit(Duration timeout) {
		this(System.nanoTime() + timeout.toNanos());
	}

	Duration left() {
		return Duration.ofNanos(Math.max(1_000_000, this.end - System.nanoTime()));
	}

}
