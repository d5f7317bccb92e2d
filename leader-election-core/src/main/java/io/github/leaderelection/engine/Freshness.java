package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * When the lease of an election was seen, and whether it should have been. Decides
 * nothing, but tells people that this process is blind. Changed under the lock of
 * {@link ElectionRegistry}; may be read by any thread.
 */
final class Freshness {

	/** When the lease was last seen. */
	private volatile @Nullable Moment observedAt;

	/** When the lease was last seen, or this process last began to look for it. */
	private volatile Moment seenAt;

	/** Whether a term of this process has expired and the lease was not seen since. */
	private volatile boolean cutOff;

	Freshness(Moment now) {
		this.seenAt = now;
	}

	/** The lease has been seen. */
	void observed(Moment now) {
		this.observedAt = now;
		this.cutOff = false;
		expectNext(now);
	}

	/** From now on the lease should be seen again soon. */
	void expectNext(Moment now) {
		this.seenAt = now;
	}

	/** A term of this process was lost. */
	void lost(LossReason reason) {
		this.cutOff = reason == LossReason.EXPIRED;
	}

	boolean isCutOff() {
		return this.cutOff;
	}

	/** Return how long ago the lease was seen, {@code null} if it never was. */
	@Nullable Duration sinceObserved(Moment now) {
		Moment observed = this.observedAt;
		return (observed != null) ? now.since(observed) : null;
	}

	/**
	 * Return for how long the lease has not been seen, if that is longer than it should
	 * be, or else for how long the engine has stalled.
	 * @param stalled for how long no turn was taken
	 */
	Duration unobserved(ElectionSettings settings, Duration stalled, Moment now) {
		Duration blind = now.since(this.seenAt);
		// Every process looks within this time, even one that lets others go first.
		Duration patience = settings.renewInterval()
			.multipliedBy(2)
			.plus(settings.operationTimeout())
			.plus(settings.pollInterval());
		return (blind.compareTo(patience) > 0 && blind.compareTo(stalled) > 0) ? blind : stalled;
	}

}
