package io.github.leaderelection.protocol;

import java.time.Duration;

import io.github.leaderelection.protocol.SessionProtocol.Observation;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.StoredText;
import org.jspecify.annotations.Nullable;

/**
 * All that a candidate knows of one election. Immutable; {@link ElectionProtocol} makes
 * the next from the last.
 *
 * @param election the election name
 * @param wish what this process wants
 * @param observation what was last seen of the lease, {@code null} before the first read
 * @param term the own term, {@code null} while there is none
 * @param doubt the lease as it was expected by a taking whose outcome is unknown,
 * {@code null} if there is none
 * @param highestTerm the highest term ever seen
 * @param nextRead when to read the lease again; monotonic time
 * @param notBefore when this candidate may take the lease at the earliest; monotonic time
 * @param backoff how often in a row nobody knew how a change of the lease had ended
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
		// Somebody could change it.
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

	/**
	 * Return whether this candidate would take the lease: it wants to, and the election
	 * is not paused.
	 * @return whether it stands
	 */
	public boolean stands() {
		return this.wish == Wish.LEAD && !isPaused();
	}

	/**
	 * Return whether this candidate wants to know who leads.
	 * @return whether it stands, or would if nothing were paused
	 */
	public boolean follows() {
		return this.wish == Wish.LEAD || this.wish == Wish.PAUSE;
	}

	/**
	 * Return whether nobody may lead, as far as was seen.
	 * @return whether the election is paused
	 */
	public boolean isPaused() {
		TermState own = this.term;
		LeaseObservation seen = this.observation;
		if (own != null && (seen == null || !seen.isNewerThan(own.lease()))) {
			return own.lease().paused();
		}
		Lease lease = (seen != null && seen.kind() != LeaseObservation.Kind.MISSING) ? seen.lease() : null;
		return lease != null && lease.paused();
	}

	/**
	 * Return whether there is a term of this process that has come so far.
	 * @param phase how far
	 * @return whether it is in this phase
	 */
	public boolean isIn(TermState.Phase phase) {
		return this.term != null && this.term.phase() == phase;
	}

	/**
	 * Return whether the lease is led under, or handed over, which takes a session that
	 * vouches for it.
	 * @return whether there is such a term of this process
	 */
	public boolean isVouchedFor() {
		return this.term != null && this.term.isOpen();
	}

	/**
	 * Return whether a lease names a session of this process, or may come to name it.
	 * @return whether something is held, or may have been taken
	 */
	public boolean isBusy() {
		return this.term != null || this.doubt != null;
	}

	/**
	 * Return whether nothing is left to do: withdrawn, without a term of its own, and
	 * without a taking that might still arrive.
	 * @return whether this process has left the election
	 */
	public boolean isOver() {
		return !follows() && !isBusy();
	}

	/**
	 * Return after which time the lease of whoever holds it may be taken.
	 * @param holder what was last seen of the session of the holder
	 * @param now the present
	 * @return the time; negative since it has been silent for too long
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

	/**
	 * Return whether there is something in place of the lease that is none.
	 * @return whether it is damaged
	 */
	public boolean isDamaged() {
		return this.observation != null && this.observation.kind() == LeaseObservation.Kind.DAMAGED;
	}

	/**
	 * Return the lease as it was last seen.
	 * @return the lease, {@code null} if it is not there, as far as is known
	 */
	public @Nullable Lease presentLease() {
		return (this.observation != null && this.observation.kind() == LeaseObservation.Kind.PRESENT)
				? this.observation.lease() : null;
	}

	/**
	 * Return the lease as it was last seen if somebody held it then, perhaps this one.
	 * @return the lease, {@code null} if nobody holds it
	 */
	public @Nullable Lease heldLease() {
		Lease lease = (this.term != null && this.term.isOpen()) ? this.term.lease() : presentLease();
		return (lease != null && !lease.isVacant()) ? lease : null;
	}

	/**
	 * Return who leads as far as this candidate knows, as it may be shown: what names it
	 * may have been written by anybody.
	 * @param self the id of this candidate
	 * @return the id of the leader, {@code null} if none is known
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

		/** Go on to lead what it leads, and take nothing: it is about to close. */
		LEAD_ON,

		/** Do not lead until resumed, but know who does. */
		PAUSE,

		/** Have nothing to do with it any more. */
		LEAVE

	}

	/**
	 * How often in a row nobody knew how a change of one lease had ended. A record may be
	 * locked, by a transaction or a repair, and a command that changes many waits for it:
	 * what has failed together is tried apart, and must not delay others for long.
	 *
	 * @param failures how often
	 * @param until when to try the next change; monotonic time
	 */
	public record Backoff(int failures, long until) {

		private static final int MOST_FAILURES = 4;

		/** How many are tried together that have failed once. */
		private static final int SOME = 32;

		/** Nothing is in the way any more. */
		static Backoff none(Moment now) {
			return new Backoff(0, now.nanos());
		}

		/**
		 * It is not this lease that failures are about: wait no longer than after any.
		 */
		Backoff ease(Duration pollInterval, Moment now) {
			return new Backoff(0, Moment.earlier(this.until, now.plus(pollInterval).nanos()));
		}

		/** The next change waits for some time, without a failure. */
		Backoff until(long newUntil) {
			return new Backoff(this.failures, Moment.later(newUntil, this.until));
		}

		/** A change has failed. */
		Backoff failed(Duration pollInterval, Moment now) {
			int next = Math.min(this.failures + 1, MOST_FAILURES);
			return new Backoff(next, now.plus(pollInterval.multipliedBy(1L << (next - 1))).nanos());
		}

		/**
		 * Return how many that have failed as often may be tried together.
		 * @return how many
		 */
		public int together() {
			return (this.failures == 0) ? Integer.MAX_VALUE : (this.failures == 1) ? SOME : 1;
		}

		/**
		 * Return how long the next change may take. One that goes on to fail gets all the
		 * time there is: the store may be slow.
		 * @param most how long any call may take
		 * @param pollInterval the poll interval
		 * @return how long this one may
		 */
		public Duration limit(Duration most, Duration pollInterval) {
			boolean brief = this.failures > 0 && this.failures < MOST_FAILURES;
			return brief ? Timing.shorter(pollInterval.dividedBy(2), most) : most;
		}

	}

	/**
	 * What a candidate last saw of a lease, and since when it has looked the same.
	 *
	 * @param kind what was seen
	 * @param lease the lease; if it is missing or damaged the last one known,
	 * {@code null} if none ever was
	 * @param since the monotonic time at which it was first seen so
	 * @param refused whether it could not be taken though it was seen so
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

		/**
		 * Return whether a lease was seen that is newer than the other by its own count.
		 */
		boolean isNewerThan(Lease other) {
			return this.kind == Kind.PRESENT && this.lease != null && this.lease.isNewerThan(other);
		}

		/** Return whether the lease is news: nothing was there, or what was is older. */
		boolean isSupersededBy(Lease other) {
			return this.kind != Kind.PRESENT || this.lease == null || other.isNewerThan(this.lease);
		}

		/** What was seen of a lease. */
		public enum Kind {

			/** There is a lease. */
			PRESENT,

			/** There is no lease. */
			MISSING,

			/** There is something that can't be understood, and must not be touched. */
			DAMAGED

		}

	}

}
