package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import org.jspecify.annotations.Nullable;

/**
 * When the lease of an election was seen, and should have been: decides nothing, but
 * tells people that this process is blind. Changed under the lock of
 * {@link ElectionRegistry}; may be asked by any thread.
 */
final class Freshness {

	/** When the lease was last seen. */
	private volatile @Nullable Moment observedAt;

	/** When the lease was last seen, or began to be looked for. */
	private volatile Moment seenAt;

	/** Whether a term of this process has expired and its lease was not seen since. */
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

	/** What was seen has been taken notice of; the next time is not far off. */
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
	 * Return for how long nothing was seen, if something should have been by now.
	 * @param stalled for how long nobody has asked what is to be done
	 */
	Duration unobserved(ElectionSettings settings, Duration stalled, Moment now) {
		Duration blind = now.since(this.seenAt);
		// It is looked for within that time, even by who lets others go first.
		Duration patience = settings.renewInterval()
			.multipliedBy(2)
			.plus(settings.operationTimeout())
			.plus(settings.pollInterval());
		return (blind.compareTo(patience) > 0 && blind.compareTo(stalled) > 0) ? blind : stalled;
	}

}
