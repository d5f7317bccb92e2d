package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The circumstances in which leases were looked at.
 *
 * @param sentAt a time before the question was sent
 * @param readAt when it was answered, by the clock of the store; {@code null} if that is
 * not known
 * @param pushed whether takings and releases are pushed
 */
record Look(Moment sentAt, @Nullable Instant readAt, boolean pushed) {

	/** Two dates of one change may differ by a little. */
	private static final Duration SAME_CHANGE = Duration.ofMillis(50);

	/**
	 * Return how long ago the lease was renewed, both times by the clock of the store.
	 * @return the time, {@code null} if it is not known, or the term was not renewed yet
	 */
	@Nullable Duration sinceRenewal(Lease lease) {
		Instant electedAt = lease.electedAt();
		Instant renewedAt = lease.renewedAt();
		if (this.readAt == null || electedAt == null || renewedAt == null
				|| renewedAt.isBefore(electedAt.plus(SAME_CHANGE))) {
			return null;
		}
		// Below zero if the clock was set back.
		return renewedAt.isBefore(this.readAt) ? Duration.between(renewedAt, this.readAt) : Duration.ZERO;
	}

}
