package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the beginning and the end of an outage of the store, once each.
 */
final class Outage {

	private static final Logger logger = LoggerFactory.getLogger(Outage.class);

	private volatile @Nullable Beginning beginning;

	/** Return whether the store does not answer. */
	boolean isOn() {
		return this.beginning != null;
	}

	@Nullable StoreOutage status(Moment now) {
		Beginning began = this.beginning;
		return (began != null) ? new StoreOutage(began.durationAt(now), began.reason) : null;
	}

	void failed(RuntimeException failure, Moment now) {
		if (this.beginning == null) {
			this.beginning = new Beginning(now, String.valueOf(failure.getMessage()));
			logger.warn(
					"Leases can't be reached: {}. Terms that are held go on until their leases run out, nobody new "
							+ "is elected, and gated methods skip without a leader; retrying until it answers",
					failure.getMessage());
		}
	}

	void answered(Moment now) {
		Beginning began = this.beginning;
		if (began != null) {
			this.beginning = null;
			logger.info("Leases can be reached again, after {} ms", began.durationAt(now).toMillis());
		}
	}

	private record Beginning(Moment moment, String reason) {

		Duration durationAt(Moment now) {
			return Duration.ofNanos(now.nanos() - this.moment.nanos());
		}

	}

}
