package io.github.leaderelection.job;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.engine.EngineClock;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.Problem;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * The clock that decides whether fire times have come: the wall clock of this process,
 * unless it is more than a minute ahead of the clock of the store. A fire time that is
 * covered stays covered, so a wall clock that is a day ahead, even for a moment, would
 * cost all fire times of that day. In that case the time that the store last returned
 * counts, advanced by the monotonic clock.
 */
final class RunClock {

	private static final EngineLog log = EngineLog.of(RunClock.class);

	/** How far the wall clock may be ahead of the clock of the store. */
	static final Duration MOST_AHEAD = Duration.ofMinutes(1);

	/**
	 * How long a comparison is valid: monotonic clocks drift, and stand still while a
	 * guest is suspended.
	 */
	private static final Duration VALID = Duration.ofMinutes(10);

	private final EngineClock clock;

	private volatile @Nullable Comparison last;

	private final Problem ahead = new Problem();

	RunClock(EngineClock clock) {
		this.clock = clock;
	}

	Instant now() {
		Comparison compared = this.last;
		long wall = this.clock.millis();
		long store = (compared != null) ? compared.present(this.clock.nanos()) : wall;
		return Instant.ofEpochMilli((wall - store > MOST_AHEAD.toMillis()) ? store : wall);
	}

	/** The monotonic time. */
	long nanos() {
		return this.clock.nanos();
	}

	/** Return whether the store has to be asked for its time. */
	boolean isComparisonDue() {
		Comparison compared = this.last;
		if (compared == null) {
			return true;
		}
		long now = this.clock.nanos();
		// If the wall clock seems ahead, it was set, or the guest was suspended: ask
		// again.
		return now - compared.nanos() >= VALID.toNanos()
				|| this.clock.millis() - compared.present(now) > MOST_AHEAD.toMillis();
	}

	/**
	 * Note the time of the store.
	 * @param askedAt the monotonic time when the store was asked; counting from then, a
	 * slow answer can make the wall clock appear less ahead than it is, but never more
	 */
	void compared(Instant store, long askedAt) {
		Comparison compared = new Comparison(store.toEpochMilli(), askedAt);
		this.last = compared;
		Duration ahead = Duration.ofMillis(this.clock.millis() - compared.present(this.clock.nanos()));
		boolean isAhead = ahead.compareTo(MOST_AHEAD) > 0;
		if (isAhead && this.ahead.begins("the clock is ahead")) {
			log.tell((logger) -> logger
				.warn("The clock of this process is {} ahead of the store's clock. Jobs follow the "
						+ "store's clock until it is corrected", ReadableDuration.of(ahead)));
		}
		else if (!isAhead && this.ahead.ends()) {
			log.tell((logger) -> logger.info("The clock of this process is no longer ahead of the store's clock"));
		}
	}

	/**
	 * The last answer of the store.
	 *
	 * @param millis the time of the store
	 * @param nanos the monotonic time when the store was asked
	 */
	private record Comparison(long millis, long nanos) {

		long present(long now) {
			return this.millis + Duration.ofNanos(now - this.nanos).toMillis();
		}

	}

}
