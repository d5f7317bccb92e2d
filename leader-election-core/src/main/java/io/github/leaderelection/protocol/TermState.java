package io.github.leaderelection.protocol;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Where a term of this process stands, from the taking of its lease until all work done
 * under it has ended. Immutable; changed only by {@link ElectionProtocol}. The phase
 * tells what this process must do about it.
 *
 * @param lease the lease as it was taken, or last seen held under this term
 * @param phase how far the term has come
 * @param takenAt when the lease was known to be taken; monotonic time
 * @param validUntil the deadline that follows from the last sight of the lease (S8)
 * @param nextCall when to read the lease again, or to release it; monotonic time
 * @param handover how the term is handed over, {@code null} if it is not
 * @param loss how the term was lost, {@code null} if it was not
 * @param kept whether the lease is known to be held still; if not, it is read before
 * anything else is done about it
 */
public record TermState(Lease lease, Phase phase, long takenAt, Moment validUntil, long nextCall,
		@Nullable Handover handover, @Nullable Loss loss, boolean kept) {

	/** The lease was taken, and this process leads. */
	static TermState begin(Lease lease, Moment validUntil, long nextCall, Moment now) {
		return new TermState(lease, Phase.LEADING, now.nanos(), validUntil, nextCall, null, null, true);
	}

	/** The lease is held but not led, and is released at the given time. */
	static TermState unwanted(Lease lease, Moment giveBackAt) {
		return new TermState(lease, Phase.RELEASING, giveBackAt.nanos(), giveBackAt, giveBackAt.nanos(), null, null,
				true);
	}

	/** Return the number of the term, its fencing token. */
	public long number() {
		return this.lease.term();
	}

	/** Return whether this process leads, or hands over. */
	public boolean isOpen() {
		return this.phase == Phase.LEADING || this.phase == Phase.DRAINING;
	}

	/** Return whether the work of a lost term has ended: only its release is left. */
	public boolean isSettled() {
		return this.phase == Phase.RELEASING && this.loss != null;
	}

	/** Return whether the term was lost, and its work may still go on. */
	public boolean isLost() {
		return this.phase == Phase.STOPPING || this.phase == Phase.LINGERING;
	}

	/** Return whether the lease is to be released. */
	boolean isToBeReleased() {
		return this.phase == Phase.RELEASING || this.phase == Phase.STOPPING;
	}

	/** Return whether the leader ended it for a reason that will last for a while. */
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

	/** The lease was seen, perhaps changed, and is still held under this term. */
	TermState seenAs(Lease seen, Moment newValidUntil, long newNextCall) {
		// Keep the instance we have if the lease is unchanged: saves memory with
		// thousands of elections.
		Lease same = seen.equals(this.lease) ? this.lease : seen;
		return new TermState(same, this.phase, this.takenAt, newValidUntil, newNextCall, this.handover, this.loss,
				true);
	}

	TermState seenAs(Lease seen) {
		return seenAs(seen, this.validUntil, this.nextCall);
	}

	/** The lease may have changed, or be lost: read it at the given time. */
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

	/** The term is lost; its lease is released at the given time. */
	TermState stop(Loss how, boolean stillKept, long giveBackAt) {
		return new TermState(this.lease, Phase.STOPPING, this.takenAt, this.validUntil, giveBackAt, this.handover, how,
				stillKept);
	}

	/** The term is lost, and so is its lease. */
	TermState linger(Loss how) {
		return new TermState(this.lease, Phase.LINGERING, this.takenAt, this.validUntil, this.nextCall, this.handover,
				how, false);
	}

	/** The lease was released, or turned out to be lost. */
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
	 * @param by the candidate through which it was requested, {@code null} if it was not
	 * @param since when the wait for work in flight began
	 */
	public record Handover(LossReason reason, @Nullable String successor, @Nullable String by, Moment since) {

	}

	/**
	 * How a term was lost.
	 *
	 * @param reason why
	 * @param drainTimedOut whether it was being handed over, and its work did not end in
	 * time
	 * @param at when
	 */
	public record Loss(LossReason reason, boolean drainTimedOut, Moment at) {

	}

	/** How far a term has come. */
	public enum Phase {

		/** Leads; the gate is open. */
		LEADING,

		/** Lets no new work in, and waits for running work, which the lease protects. */
		DRAINING,

		/** All work has ended; the lease is being released. */
		RELEASING,

		/** The term was lost, and its lease is about to be released; work may go on. */
		STOPPING,

		/** The term was lost, and its lease is gone; work may go on. */
		LINGERING

	}

}
