package io.github.leaderelection.protocol;

import java.time.Duration;

/**
 * The durations that the protocol goes by.
 *
 * @param ttl how long others consider a process alive after each renewal
 * @param renewInterval how often to renew a session
 * @param margin how long before others may end its session a process stops trusting it
 * @param timeout how long one call of the store may take
 * @param pollInterval how often to read what is not pushed
 * @param drainTimeout how long work in flight may delay a handover
 * @param cooldown how long not to take a lease after resigning
 */
public record Timing(Duration ttl, Duration renewInterval, Duration margin, Duration timeout, Duration pollInterval,
		Duration drainTimeout, Duration cooldown) {

	/**
	 * Return the stricter of each duration, as a session goes by those of all its
	 * elections. Both timings have the same time to live.
	 */
	public Timing with(Timing other) {
		return new Timing(this.ttl, shorter(this.renewInterval, other.renewInterval), longer(this.margin, other.margin),
				shorter(this.timeout, other.timeout), shorter(this.pollInterval, other.pollInterval),
				longer(this.drainTimeout, other.drainTimeout), longer(this.cooldown, other.cooldown));
	}

	/** Return how long a renewal, or a read of one's own lease, is good for (S2, S8). */
	public Duration validity() {
		return this.ttl.minus(this.margin);
	}

	/** Return how soon to retry a failed call. */
	public Duration retryDelay() {
		return shorter(this.renewInterval.dividedBy(4), this.pollInterval);
	}

	/**
	 * Return how often to renew while nothing is held: up to twice the usual interval, if
	 * that leaves enough time to take a lease at any moment.
	 */
	public Duration idleInterval() {
		Duration twice = this.renewInterval.multipliedBy(2);
		return longer(this.renewInterval, shorter(twice, validity().minus(this.timeout.multipliedBy(2))));
	}

	/**
	 * Return a delay that spreads candidates which started at the same time.
	 * @param most the delay is less than this, and depends on the id of the candidate
	 */
	public static Duration spread(String candidateId, Duration most) {
		// Spreads even ids that differ only in their last character.
		int part = (candidateId.hashCode() * 0x9E3779B9) >>> 24;
		return most.multipliedBy(part).dividedBy(256);
	}

	/** Return the shorter of two durations. */
	public static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	/** Return the longer of two durations. */
	public static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

}
