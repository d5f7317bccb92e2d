package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.protocol.Timing;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * The durations that govern one election, validated together.
 * <p>
 * A process shows that it is alive by renewing a session. It trusts its terms until
 * {@code ttl - safetyMargin} after it sent its last acknowledged renewal; others wait for
 * the whole {@code ttl} from when they first saw that renewal. The margin covers clocks
 * that run at different rates, and gives work time to stop.
 *
 * @param ttl how long a process counts as alive after its last renewal; whole
 * milliseconds, 100 ms to 1 day
 * @param renewInterval how often a process renews its session while it leads; at least 1
 * ms. The sum of this, the safety margin and the operation timeout must be less than the
 * ttl
 * @param safetyMargin how long before others may end its session a leader stops trusting
 * its terms; at least 1 ms, and at least 2 % of the ttl
 * @param operationTimeout how long one store call may take; at least 1 ms
 * @param pollInterval how often leases are read where changes are not pushed; 1 ms to the
 * ttl
 * @param drainTimeout how long work in flight may delay a graceful change of leader; zero
 * to 1 day
 * @param cooldown how long this process does not lead after it has resigned; zero to 1
 * day
 */
public record ElectionSettings(Duration ttl, Duration renewInterval, Duration safetyMargin, Duration operationTimeout,
		Duration pollInterval, Duration drainTimeout, Duration cooldown) {

	/**
	 * Default time to live of a session, and of the leases that it vouches for.
	 */
	public static final Duration DEFAULT_TTL = Duration.ofSeconds(20);

	/**
	 * Default limit of a drain.
	 */
	public static final Duration DEFAULT_DRAIN_TIMEOUT = Duration.ofSeconds(25);

	/**
	 * The longest default operation timeout, however long the time to live.
	 */
	private static final Duration LONGEST_DEFAULT_CALL = Duration.ofSeconds(5);

	private static final Duration SHORTEST_DURATION = Duration.ofMillis(1);

	private static final Duration SHORTEST_TTL = Duration.ofMillis(100);

	private static final Duration LONGEST_TTL = Duration.ofDays(1);

	/**
	 * Validate the settings.
	 * @throws InvalidSettingException if a setting is out of range, or they can't be met
	 * together
	 */
	public ElectionSettings {
		requireWithin("ttl", ttl, SHORTEST_TTL, LONGEST_TTL);
		if (!ttl.equals(Duration.ofMillis(ttl.toMillis()))) {
			throw new InvalidSettingException("ttl", ttl, "must be a whole number of milliseconds",
					"Use a value such as 20s or 1500ms");
		}
		requireWithin("renew-interval", renewInterval, SHORTEST_DURATION, ttl);
		requireWithin("safety-margin", safetyMargin, SHORTEST_DURATION, ttl);
		requireWithin("operation-timeout", operationTimeout, SHORTEST_DURATION, ttl);
		requireWithin("poll-interval", pollInterval, SHORTEST_DURATION, ttl);
		requireWithin("drain-timeout", drainTimeout, Duration.ZERO, LONGEST_TTL);
		requireWithin("cooldown", cooldown, Duration.ZERO, LONGEST_TTL);
		if (safetyMargin.multipliedBy(50).compareTo(ttl) < 0) {
			throw new InvalidSettingException("safety-margin", safetyMargin,
					"must be at least 2 %% of ttl (%s), to cover clocks that run at different rates"
						.formatted(ReadableDuration.exact(ttl)),
					"Remove the setting to use a tenth of ttl");
		}
		Duration needed = renewInterval.plus(operationTimeout).plus(safetyMargin);
		if (needed.compareTo(ttl) >= 0) {
			throw new InvalidSettingException("renew-interval", renewInterval,
					("must leave time for another heartbeat before the last one runs out: renew-interval (%s) + operation-timeout "
							+ "(%s) + safety-margin (%s) must be shorter than ttl (%s)")
						.formatted(ReadableDuration.exact(renewInterval), ReadableDuration.exact(operationTimeout),
								ReadableDuration.exact(safetyMargin), ReadableDuration.exact(ttl)),
					"Shorten one of the three, or raise ttl: those that are not set grow with it");
		}
	}

	/**
	 * Return settings for the time to live with the defaults that follow from it: a
	 * quarter of it for the renew interval and the cooldown, a tenth for the safety
	 * margin and the poll interval, and a quarter, but at most 5 seconds, for the
	 * operation timeout. The drain timeout is 25 seconds.
	 * @param ttl the time to live
	 * @return the settings
	 * @throws InvalidSettingException if the time to live is not valid
	 */
	public static ElectionSettings of(Duration ttl) {
		Duration quarter = ttl.dividedBy(4);
		Duration call = Timing.shorter(quarter, LONGEST_DEFAULT_CALL);
		return new ElectionSettings(ttl, quarter, ttl.dividedBy(10), call, ttl.dividedBy(10), DEFAULT_DRAIN_TIMEOUT,
				ttl.dividedBy(4));
	}

	/**
	 * Return a builder that starts with these settings.
	 * @return the builder
	 */
	public Builder toBuilder() {
		return new Builder(this);
	}

	Timing timing() {
		return new Timing(this.ttl, this.renewInterval, this.safetyMargin, this.operationTimeout, this.pollInterval,
				this.drainTimeout, this.cooldown);
	}

	private static void requireWithin(String name, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new InvalidSettingException(name, value,
					"must be between %s and %s".formatted(ReadableDuration.exact(least), ReadableDuration.exact(most)),
					"Choose a value in that range, or remove the setting to use its default");
		}
	}

	/**
	 * Builds settings with the same time to live.
	 */
	public static final class Builder {

		private final Duration ttl;

		private Duration renewInterval;

		private Duration safetyMargin;

		private Duration operationTimeout;

		private Duration pollInterval;

		private Duration drainTimeout;

		private Duration cooldown;

		private Builder(ElectionSettings settings) {
			this.ttl = settings.ttl;
			this.renewInterval = settings.renewInterval;
			this.safetyMargin = settings.safetyMargin;
			this.operationTimeout = settings.operationTimeout;
			this.pollInterval = settings.pollInterval;
			this.drainTimeout = settings.drainTimeout;
			this.cooldown = settings.cooldown;
		}

		/**
		 * Set how often a process renews its session while it leads.
		 * @param value the value, or {@code null} to change nothing
		 * @return this builder
		 */
		public Builder renewInterval(@Nullable Duration value) {
			this.renewInterval = (value != null) ? value : this.renewInterval;
			return this;
		}

		/**
		 * Set how long before others may end its session a leader stops trusting its
		 * terms.
		 * @param value the value, or {@code null} to change nothing
		 * @return this builder
		 */
		public Builder safetyMargin(@Nullable Duration value) {
			this.safetyMargin = (value != null) ? value : this.safetyMargin;
			return this;
		}

		/**
		 * Set how long one store call may take.
		 * @param value the value, or {@code null} to change nothing
		 * @return this builder
		 */
		public Builder operationTimeout(@Nullable Duration value) {
			this.operationTimeout = (value != null) ? value : this.operationTimeout;
			return this;
		}

		/**
		 * Set how often leases are read where changes are not pushed.
		 * @param value the value, or {@code null} to change nothing
		 * @return this builder
		 */
		public Builder pollInterval(@Nullable Duration value) {
			this.pollInterval = (value != null) ? value : this.pollInterval;
			return this;
		}

		/**
		 * Set how long work in flight may delay a graceful change of leader.
		 * @param value the value, or {@code null} to change nothing
		 * @return this builder
		 */
		public Builder drainTimeout(@Nullable Duration value) {
			this.drainTimeout = (value != null) ? value : this.drainTimeout;
			return this;
		}

		/**
		 * Set how long this process does not lead after it has resigned.
		 * @param value the value, or {@code null} to change nothing
		 * @return this builder
		 */
		public Builder cooldown(@Nullable Duration value) {
			this.cooldown = (value != null) ? value : this.cooldown;
			return this;
		}

		/**
		 * Build the settings.
		 * @return the settings
		 * @throws InvalidSettingException if a setting is out of range, or they can't be
		 * met together
		 */
		public ElectionSettings build() {
			return new ElectionSettings(this.ttl, this.renewInterval, this.safetyMargin, this.operationTimeout,
					this.pollInterval, this.drainTimeout, this.cooldown);
		}

	}

}
