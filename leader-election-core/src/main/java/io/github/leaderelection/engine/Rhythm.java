package io.github.leaderelection.engine;

import java.time.Duration;

/**
 * At what pace a session goes, and is watched: what the settings of all elections with
 * one time to live have in common. The strictest of them counts.
 *
 * @param ttl for how long others believe in a renewal
 * @param interval how often to renew
 * @param margin how much earlier than they this process ceases to believe
 * @param timeout how long one call of the store may take
 * @param pollInterval how often to look at others where nothing tells when
 */
record Rhythm(Duration ttl, Duration interval, Duration margin, Duration timeout, Duration pollInterval) {

	static Rhythm of(ElectionSettings settings) {
		return new Rhythm(settings.ttl(), settings.renewInterval(), settings.safetyMargin(),
				settings.operationTimeout(), settings.pollInterval());
	}

	/** Return the pace that is good for both. */
	Rhythm with(Rhythm other) {
		return new Rhythm(this.ttl, shorter(this.interval, other.interval), longer(this.margin, other.margin),
				shorter(this.timeout, other.timeout), shorter(this.pollInterval, other.pollInterval));
	}

	/** Return for how long this process believes that it lives after each renewal. */
	Duration belief() {
		return this.ttl.minus(this.margin);
	}

	/** Return how soon to try again what has failed. */
	Duration retryDelay() {
		return shorter(this.interval.dividedBy(4), this.pollInterval);
	}

	/**
	 * Return how often to renew while nothing is held: as rarely as leaves the time to
	 * take a lease, at any moment.
	 */
	Duration idleInterval() {
		Duration twice = this.interval.multipliedBy(2);
		Duration most = belief().minus(this.timeout.multipliedBy(2));
		Duration rare = shorter(twice, most);
		return longer(this.interval, rare);
	}

	static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

}
