package io.github.leaderelection.protocol;

import java.time.Duration;

/**
 * The durations that the protocol goes by.
 *
 * @param ttl for how long others take a process for alive after each renewal
 * @param renewInterval how often to renew a session
 * @param margin how much earlier than they a process stops trusting its session
 * @param timeout how long one call of the store may take
 * @param pollInterval how often to read what is not pushed
 * @param drainTimeout how long work in flight may delay a handover
 * @param cooldown how long not to take a lease after resigning
 */
public record Timing(Duration ttl, Duration renewInterval, Duration margin, Duration timeout, Duration pollInterval,
		Duration drainTimeout, Duration cooldown) {

	/**
	 * Return the timing that is strict enough for both: a session goes by that of all its
	 * elections.
	 * @param other that of another election, with the same time to live
	 * @return the stricter of each
	 */
	public Timing with(Timing other) {
		return new Timing(this.ttl, shorter(this.renewInterval, other.renewInterval), longer(this.margin, other.margin),
				shorter(this.timeout, other.timeout), shorter(this.pollInterval, other.pollInterval),
				longer(this.drainTimeout, other.drainTimeout), longer(this.cooldown, other.cooldown));
	}

	/**
	 * Return for how long a renewal, or the sight of an own lease, is good.
	 * @return the time to live without the margin
	 */
	public Duration validity() {
		return this.ttl.minus(this.margin);
	}

	/**
	 * Return how soon to try again what has failed.
	 * @return the delay
	 */
	public Duration retryDelay() {
		return shorter(this.renewInterval.dividedBy(4), this.pollInterval);
	}

	/**
	 * Return how often to renew while nothing is held: as rarely as leaves the time to
	 * take a lease, at any moment.
	 * @return the interval
	 */
	public Duration idleInterval() {
		Duration twice = this.renewInterval.multipliedBy(2);
		return longer(this.renewInterval, shorter(twice, validity().minus(this.timeout.multipliedBy(2))));
	}

	/**
	 * Return what keeps candidates that began at the same time from going on in step.
	 * @param candidateId one of them
	 * @param most the duration to choose from
	 * @return less than that, and something different for each candidate
	 */
	public static Duration spread(String candidateId, Duration most) {
		// Spreads even names that differ in their last character only.
		int part = (candidateId.hashCode() * 0x9E3779B9) >>> 24;
		return most.multipliedBy(part).dividedBy(256);
	}

	/**
	 * Return the shorter of two durations.
	 * @param one the one
	 * @param other the other
	 * @return the shorter
	 */
	public static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	/**
	 * Return the longer of two durations.
	 * @param one the one
	 * @param other the other
	 * @return the longer
	 */
	public static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

}
