package io.github.leaderelection.engine;

import java.time.Duration;
import java.time.Instant;

import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * All that a candidate knows of one election. Immutable; {@link ElectionProtocol} makes
 * the next from the last.
 *
 * @param election the election name
 * @param standing whether this candidate wants to lead
 * @param sighting what was last seen of the lease, {@code null} before the first look
 * @param term the own term, {@code null} while there is none
 * @param doubt the lease as it was expected by a taking whose outcome is unknown,
 * {@code null} if there is none
 * @param highestTerm the highest term ever seen
 * @param nextLook when to look at the lease again; monotonic time
 * @param notBefore when this candidate may take the lease at the earliest; monotonic time
 */
record ElectionState(String election, boolean standing, @Nullable Sighting sighting, @Nullable TermState term,
		@Nullable Lease doubt, long highestTerm, long nextLook, long notBefore) {

	ElectionState withStanding(boolean newStanding) {
		return new ElectionState(this.election, newStanding, this.sighting, this.term, this.doubt, this.highestTerm,
				this.nextLook, this.notBefore);
	}

	ElectionState withSighting(Sighting newSighting) {
		Lease lease = newSighting.lease();
		long highest = (lease != null) ? Math.max(this.highestTerm, lease.term()) : this.highestTerm;
		return new ElectionState(this.election, this.standing, newSighting, this.term, this.doubt, highest,
				this.nextLook, this.notBefore);
	}

	ElectionState withTerm(@Nullable TermState newTerm) {
		return new ElectionState(this.election, this.standing, this.sighting, newTerm, this.doubt, this.highestTerm,
				this.nextLook, this.notBefore);
	}

	ElectionState withDoubt(@Nullable Lease newDoubt) {
		return new ElectionState(this.election, this.standing, this.sighting, this.term, newDoubt, this.highestTerm,
				this.nextLook, this.notBefore);
	}

	ElectionState lookAt(long newNextLook) {
		return new ElectionState(this.election, this.standing, this.sighting, this.term, this.doubt, this.highestTerm,
				newNextLook, this.notBefore);
	}

	ElectionState standDownUntil(long newNotBefore) {
		boolean later = newNotBefore - this.notBefore > 0;
		return new ElectionState(this.election, this.standing, this.sighting, this.term, this.doubt, this.highestTerm,
				this.nextLook, later ? newNotBefore : this.notBefore);
	}

	/** Return whether there is a term of this process that has come so far. */
	boolean isIn(TermState.Phase phase) {
		return this.term != null && this.term.phase() == phase;
	}

	/**
	 * Return whether nothing is left to do: withdrawn, without a term of its own but one
	 * that is left as it is, and without a taking that might still arrive.
	 */
	boolean isOver() {
		return !this.standing && (this.term == null || isIn(TermState.Phase.LEFT)) && this.doubt == null;
	}

	/** Return when the term began as the lease says, {@code null} if it does not. */
	@Nullable Instant electedAt() {
		Lease lease = presentLease();
		return (lease != null) ? lease.electedAt() : null;
	}

	/** Return after which time the lease of whoever holds it may be taken. */
	Duration remaining(@Nullable SessionSighting holder, Moment now) {
		Duration left = untilOutlived(holder, now);
		return left.isNegative() ? Duration.ZERO : left;
	}

	/** Return for how long the holder of the lease has been silent for too long. */
	Duration overdue(@Nullable SessionSighting holder, Moment now) {
		Duration left = untilOutlived(holder, now);
		return left.isNegative() ? left.negated() : Duration.ZERO;
	}

	private Duration untilOutlived(@Nullable SessionSighting holder, Moment now) {
		Lease lease = presentLease();
		if (lease == null || lease.isVacant()) {
			return Duration.ZERO;
		}
		if (holder == null) {
			return lease.ttl();
		}
		if (holder.session() != null && holder.session().ended()) {
			return Duration.ofNanos(holder.since() - now.nanos());
		}
		return lease.ttl().minusNanos(now.nanos() - holder.since());
	}

	/** Return whether there is something in place of the lease that is none. */
	boolean isDamaged() {
		return this.sighting != null && this.sighting.kind() == Sighting.Kind.DAMAGED;
	}

	@Nullable Lease presentLease() {
		return (this.sighting != null && this.sighting.kind() == Sighting.Kind.PRESENT) ? this.sighting.lease() : null;
	}

	/**
	 * Return the lease as it was last seen if somebody held it then, perhaps this one.
	 */
	@Nullable Lease heldLease() {
		Lease lease = (this.term != null && this.term.isOpen()) ? this.term.lease() : presentLease();
		return (lease != null && !lease.isVacant()) ? lease : null;
	}

	/**
	 * Return who leads as far as this candidate knows, as it may be shown: what names it
	 * may have been written by anybody.
	 * @param self the id of this candidate
	 */
	@Nullable String leader(String self) {
		if (this.term != null && this.term.isOpen()) {
			return self;
		}
		Lease lease = presentLease();
		return (lease == null || lease.isHeldBy(self)) ? null : StoredText.printableOrNull(lease.holder());
	}

}
