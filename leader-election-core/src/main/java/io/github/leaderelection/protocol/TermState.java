package io.github.leaderelection.protocol;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Where a term of this process stands, from the taking of the lease until everything done
 * in its name has ended. Immutable; changed by {@link ElectionProtocol} alone. What is to
 * be done about it inside this process follows from its phase.
 *
 * @param lease the lease as it was taken, or last seen to be held under this term
 * @param phase how far it has come
 * @param takenAt when the lease was known to be taken; monotonic time
 * @param validUntil until when nobody can have followed this candidate though the lease
 * was removed: its time to live after it was last seen, less the margin
 * @param nextCall when to read the lease again, or to give it back; monotonic time
 * @param handover how it is handed over, {@code null} if it has not been
 * @param loss how it was lost, {@code null} if it has not been
 * @param kept whether the lease is known to be this candidate's: it is read before
 * anything else is done about it if not
 */
public record TermState(Lease lease, Phase phase, long takenAt, Moment validUntil, long nextCall,
		@Nullable Handover handover, @Nullable Loss loss, boolean kept) {

	/** The lease was taken, and is led under. */
	static TermState begin(Lease lease, Moment validUntil, long nextCall, Moment now) {
		return new TermState(lease, Phase.LEADING, now.nanos(), validUntil, nextCall, null, null, true);
	}

	/** The lease is held, is not led under, and is given back at the given time. */
	static TermState unwanted(Lease lease, Moment giveBackAt) {
		return new TermState(lease, Phase.RELEASING, giveBackAt.nanos(), giveBackAt, giveBackAt.nanos(), null, null,
				true);
	}

	/**
	 * Return the number of the term.
	 * @return the fencing token
	 */
	public long number() {
		return this.lease.term();
	}

	/**
	 * Return whether the lease is led under, or handed over.
	 * @return whether the term is open
	 */
	public boolean isOpen() {
		return this.phase == Phase.LEADING || this.phase == Phase.DRAINING;
	}

	/**
	 * Return whether nothing is left to do for it inside this process: what is left to do
	 * for one that was lost is to give its lease back.
	 * @return whether it is settled
	 */
	public boolean isSettled() {
		return this.phase == Phase.RELEASING && this.loss != null;
	}

	/**
	 * Return whether the term was lost, and its work may still be ending.
	 * @return whether it is stopping or lingering
	 */
	public boolean isLost() {
		return this.phase == Phase.STOPPING || this.phase == Phase.LINGERING;
	}

	/** Return whether the lease is to be given back. */
	boolean isToBeReleased() {
		return this.phase == Phase.RELEASING || this.phase == Phase.STOPPING;
	}

	/** Return whether its leader has ended it for reasons that will last for a while. */
	boolean requiresCooldown() {
		return this.handover != null
				&& (this.handover.reason == LossReason.RESIGNED || this.handover.reason == LossReason.CALLBACK_FAILED);
	}

	/** Return the candidate to leave the lease to, {@code null} if there is none. */
	@Nullable String successor() {
		return (this.handover != null && !isLost()) ? this.handover.successor : null;
	}

	TermState callAt(long newNextCall) {
		return with(this.phase, newNextCall, this.kept);
	}

	/** The lease was seen, perhaps changed, and is still this one's. */
	TermState seenAs(Lease seen, Moment newValidUntil, long newNextCall) {
		// Of thousands that are seen to be as they were only one instance is kept each.
		Lease same = seen.equals(this.lease) ? this.lease : seen;
		return new TermState(same, this.phase, this.takenAt, newValidUntil, newNextCall, this.handover, this.loss,
				true);
	}

	TermState seenAs(Lease seen) {
		return seenAs(seen, this.validUntil, this.nextCall);
	}

	/** The lease may have changed, or not be this one's any more: read it. */
	TermState doubted(long newNextCall) {
		return with(this.phase, newNextCall, false);
	}

	TermState drain(Handover how) {
		return new TermState(this.lease, Phase.DRAINING, this.takenAt, this.validUntil, this.nextCall, how, this.loss,
				this.kept);
	}

	TermState release(long now) {
		return with(Phase.RELEASING, now, this.kept);
	}

	/** The term is over; its lease is given back at the given time. */
	TermState stop(Loss how, boolean stillKept, long giveBackAt) {
		return new TermState(this.lease, Phase.STOPPING, this.takenAt, this.validUntil, giveBackAt, this.handover, how,
				stillKept);
	}

	/** The term is over, and its lease is no longer this one's. */
	TermState linger(Loss how) {
		return new TermState(this.lease, Phase.LINGERING, this.takenAt, this.validUntil, this.nextCall, this.handover,
				how, false);
	}

	/** The lease was given back, or turned out to be somebody else's. */
	TermState linger() {
		return with(Phase.LINGERING, this.nextCall, false);
	}

	private TermState with(Phase newPhase, long newNextCall, boolean stillKept) {
		return new TermState(this.lease, newPhase, this.takenAt, this.validUntil, newNextCall, this.handover, this.loss,
				stillKept);
	}

	/**
	 * How a term is handed over.
	 *
	 * @param reason why
	 * @param successor the candidate to leave the lease to, {@code null} for any
	 * @param by the candidate through which it was asked for, {@code null} if nobody else
	 * has asked
	 * @param since when the wait for work in flight began
	 */
	public record Handover(LossReason reason, @Nullable String successor, @Nullable String by, Moment since) {

	}

	/**
	 * How a term was lost.
	 *
	 * @param reason why
	 * @param drainTimedOut whether it was handed over, and its work did not end in time
	 * @param at when
	 */
	public record Loss(LossReason reason, boolean drainTimedOut, Moment at) {

	}

	/** How far a term has come. */
	public enum Phase {

		/** Leads; the gate is open. */
		LEADING,

		/** Takes no new work, and waits for the old, still protected by the lease. */
		DRAINING,

		/** All work has ended; the lease is being given back. */
		RELEASING,

		/** The term was lost, and its lease is about to be given back; work may go on. */
		STOPPING,

		/** The term was lost, and its lease is gone; work may go on. */
		LINGERING

	}

}
