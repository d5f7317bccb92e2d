package io.github.leaderelection.protocol;

import java.time.Duration;

import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * All that a candidate knows of one election. Immutable; {@link ElectionProtocol} makes
 * the next state from the last.
 *
 * @param election the election name
 * @param wish what this process wants
 * @param observation what was last seen of the lease, {@code null} before the first read
 * @param term the term of this process, {@code null} if there is none
 * @param doubt the lease as a taking with unknown outcome expected it, {@code null} if
 * there is none
 * @param highestTerm the highest term ever seen
 * @param nextRead when to read the lease again; monotonic time
 * @param notBefore when this candidate may take the lease at the earliest; monotonic time
 * @param backoff how changes of the lease have failed
 */
public record ElectionState(String election, Wish wish, @Nullable LeaseObservation observation,
		@Nullable TermState term, @Nullable Lease doubt, long highestTerm, long nextRead, long notBefore,
		Backoff backoff) {

	ElectionState wish(Wish newWish) {
		return new ElectionState(this.election, newWish, this.observation, this.term, this.doubt, this.highestTerm,
				this.nextRead, this.notBefore, this.backoff);
	}

	ElectionState observed(LeaseObservation seen) {
		Lease lease = seen.lease();
		Lease before = presentLease();
		// A new state shows that the record can be changed: end the backoff.
		boolean news = seen.kind() == LeaseObservation.Kind.PRESENT && lease != null
				&& (before == null || !(lease.isSameRevisionAs(before) || before.isNewerThan(lease)));
		long highest = (lease != null) ? Math.max(this.highestTerm, lease.term()) : this.highestTerm;
		return new ElectionState(this.election, this.wish, seen, this.term, this.doubt, highest, this.nextRead,
				this.notBefore, news ? new Backoff(0, seen.since()) : this.backoff);
	}

	ElectionState term(@Nullable TermState newTerm) {
		return new ElectionState(this.election, this.wish, this.observation, newTerm, this.doubt, this.highestTerm,
				this.nextRead, this.notBefore, this.backoff);
	}

	ElectionState doubt(@Nullable Lease newDoubt) {
		return new ElectionState(this.election, this.wish, this.observation, this.term, newDoubt, this.highestTerm,
				this.nextRead, this.notBefore, this.backoff);
	}

	ElectionState readAt(long newNextRead) {
		return new ElectionState(this.election, this.wish, this.observation, this.term, this.doubt, this.highestTerm,
				newNextRead, this.notBefore, this.backoff);
	}

	ElectionState notBefore(long newNotBefore) {
		return new ElectionState(this.election, this.wish, this.observation, this.term, this.doubt, this.highestTerm,
				this.nextRead, Moment.later(newNotBefore, this.notBefore), this.backoff);
	}

	ElectionState backoff(Backoff newBackoff) {
		return new ElectionState(this.election, this.wish, this.observation, this.term, this.doubt, this.highestTerm,
				this.nextRead, this.notBefore, newBackoff);
	}

	/** Return whether this process wants to lead, and the election is not paused. */
	public boolean stands() {
		return this.wish == Wish.LEAD && !isPaused();
	}

	/** Return whether this candidate wants to know who leads, paused or not. */
	public boolean follows() {
		return this.wish == Wish.LEAD || this.wish == Wish.PAUSE;
	}

	/** Return whether the election is paused, as far as was seen. */
	public boolean isPaused() {
		TermState own = this.term;
		LeaseObservation seen = this.observation;
		if (own != null && (seen == null || !seen.isNewerThan(own.lease()))) {
			return own.lease().paused();
		}
		Lease lease = (seen != null && seen.kind() != LeaseObservation.Kind.MISSING) ? seen.lease() : null;
		return lease != null && lease.paused();
	}

	/** Return whether this process has a term in this phase. */
	public boolean isIn(TermState.Phase phase) {
		return this.term != null && this.term.phase() == phase;
	}

	/** Return whether it leads or hands over a term, which requires a valid session. */
	public boolean isVouchedFor() {
		return this.term != null && this.term.isOpen();
	}

	/** Return whether a lease names a session of this process, or may come to name it. */
	public boolean isBusy() {
		return this.term != null || this.doubt != null;
	}

	/**
	 * Return whether nothing is left to do: this process has withdrawn, has no term, and
	 * no taking in doubt that might still arrive.
	 */
	public boolean isOver() {
		return !follows() && !isBusy();
	}

	/**
	 * Return how long it is until the lease may be taken from its holder, by what was
	 * last seen of the holder's session; negative if that time has passed.
	 */
	public Duration remaining(@Nullable Observation holder, Moment now) {
		Lease lease = presentLease();
		if (lease == null || lease.isVacant()) {
			return Duration.ZERO;
		}
		if (holder == null) {
			return lease.ttl();
		}
		boolean ended = holder.session() != null && holder.session().ended();
		return Duration.ofNanos((ended ? holder.since() : holder.silentAt(lease.ttl())) - now.nanos());
	}

	/** Return whether the record is no lease, or one after which nobody could lead. */
	public boolean isDamaged() {
		return this.observation != null && this.observation.kind() == LeaseObservation.Kind.DAMAGED;
	}

	/**
	 * Return the lease as it was last seen, {@code null} if it is missing, damaged, or
	 * was not read yet.
	 */
	public @Nullable Lease presentLease() {
		return (this.observation != null && this.observation.kind() == LeaseObservation.Kind.PRESENT)
				? this.observation.lease() : null;
	}

	/**
	 * Return the lease if it was held when last seen, perhaps by this process;
	 * {@code null} otherwise.
	 */
	public @Nullable Lease heldLease() {
		Lease lease = (this.term != null && this.term.isOpen()) ? this.term.lease() : presentLease();
		return (lease != null && !lease.isVacant()) ? lease : null;
	}

	/**
	 * Return the id of the leader as far as this candidate knows, or {@code null}. It is
	 * made printable, as anybody may have written it.
	 * @param self the id of this candidate
	 */
	public @Nullable String leader(String self) {
		if (isVouchedFor()) {
			return self;
		}
		Lease lease = presentLease();
		return (lease == null || lease.isHeldBy(self)) ? null : StoredText.printableOrNull(lease.holder());
	}

	/** What a process wants in an election. */
	public enum Wish {

		/** Lead. */
		LEAD,

		/** Keep what it leads, but take nothing: the process is about to close. */
		LEAD_ON,

		/** Do not lead until resumed, but follow. */
		PAUSE,

		/** Leave the election. */
		LEAVE

	}

	/**
	 * How many changes of one lease in a row had an unknown outcome. A record may be
	 * locked, by a transaction or a repair, and then blocks a command that changes many.
	 * So changes that failed together are retried in smaller groups, and must not delay
	 * others for long.
	 *
	 * @param failures how many
	 * @param until when to try the next change; monotonic time
	 */
	public record Backoff(int failures, long until) {

		private static final int MOST_FAILURES = 4;

		/** How many changes are retried together after their first failure. */
		private static final int SOME = 32;

		/** Nothing is known to block changes. */
		static Backoff none(Moment now) {
			return new Backoff(0, now.nanos());
		}

		/** The lease is not to blame: wait for a poll interval at most. */
		Backoff ease(Duration pollInterval, Moment now) {
			return new Backoff(0, Moment.earlier(this.until, now.plus(pollInterval).nanos()));
		}

		/** Delay the next change without counting a failure. */
		Backoff until(long newUntil) {
			return new Backoff(this.failures, Moment.later(newUntil, this.until));
		}

		/** A change has failed. */
		Backoff failed(Duration pollInterval, Moment now) {
			int next = Math.min(this.failures + 1, MOST_FAILURES);
			return new Backoff(next, now.plus(pollInterval.multipliedBy(1L << (next - 1))).nanos());
		}

		/** Return how many changes that failed as often may be retried together. */
		public int together() {
			return (this.failures == 0) ? Integer.MAX_VALUE : (this.failures == 1) ? SOME : 1;
		}

		/**
		 * Return the timeout of the next change: that of any call ({@code most}), but
		 * brief after a failure. After many it is that of any call again, as the store
		 * may be slow.
		 */
		public Duration limit(Duration most, Duration pollInterval) {
			boolean brief = this.failures > 0 && this.failures < MOST_FAILURES;
			return brief ? Timing.shorter(pollInterval.dividedBy(2), most) : most;
		}

	}

	/**
	 * What a candidate last saw of a lease, and since when.
	 *
	 * @param kind what was seen
	 * @param lease the lease; if it is missing or damaged, the last one seen,
	 * {@code null} for none
	 * @param since when it was first seen like this; monotonic time
	 * @param refused whether a taking that expected exactly this was refused
	 */
	public record LeaseObservation(Kind kind, @Nullable Lease lease, long since, boolean refused) {

		static LeaseObservation present(Lease lease, @Nullable LeaseObservation before, Moment now) {
			Lease known = (before != null && before.kind == Kind.PRESENT) ? before.lease : null;
			return (before != null && known != null && known.isSameRevisionAs(lease))
					? new LeaseObservation(Kind.PRESENT, lease, before.since, before.refused)
					: new LeaseObservation(Kind.PRESENT, lease, now.nanos(), false);
		}

		static LeaseObservation of(@Nullable Lease lease, @Nullable LeaseObservation before, Moment now) {
			return (lease != null) ? present(lease, before, now) : absent(Kind.MISSING, before, now);
		}

		static LeaseObservation absent(Kind kind, @Nullable LeaseObservation before, Moment now) {
			long since = (before != null && before.kind == kind) ? before.since : now.nanos();
			return new LeaseObservation(kind, (before != null) ? before.lease : null, since, false);
		}

		LeaseObservation refused(boolean newRefused) {
			return new LeaseObservation(this.kind, this.lease, this.since, newRefused);
		}

		/** Return whether a lease was seen that is newer than the other. */
		boolean isNewerThan(Lease other) {
			return this.kind == Kind.PRESENT && this.lease != null && this.lease.isNewerThan(other);
		}

		/** Return whether the other lease is news: none was present, or an older one. */
		boolean isSupersededBy(Lease other) {
			return this.kind != Kind.PRESENT || this.lease == null || other.isNewerThan(this.lease);
		}

		/** What was seen in place of a lease. */
		public enum Kind {

			/** There is a lease. */
			PRESENT,

			/** There is no lease. */
			MISSING,

			/**
			 * There is a record that can't be understood, or a lease after which nobody
			 * could lead. It must not be touched.
			 */
			DAMAGED

		}

	}

}
