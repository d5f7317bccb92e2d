package io.github.leaderelection.spring.bound;

import java.time.Duration;

/**
 * How long to wait before a component is started or stopped again.
 */
@FunctionalInterface
interface Pauses {

	/** A second, and twice as long each time, up to a minute. */
	Pauses DOUBLING = (failures) -> Thread.sleep(ofFailures(failures).toMillis());

	/**
	 * Wait.
	 * @param failures how many times in a row it has failed, at least 1
	 */
	void await(int failures) throws InterruptedException;

	static Duration ofFailures(int failures) {
		return Duration.ofSeconds(Math.min(60, 1L << Math.min(failures - 1, 6)));
	}

}
