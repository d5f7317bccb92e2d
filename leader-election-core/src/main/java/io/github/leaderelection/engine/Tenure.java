package io.github.leaderelection.engine;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate knows of its own term, from the taking of the lease until everything
 * done in its name has ended.
 *
 * @param lease the lease as it was taken
 * @param phase how far it has come
 * @param sureUntil until when nobody can have followed this candidate though the lease
 * was removed: its time to live after it was last seen, less the margin
 * @param nextCall when to look at the lease again, or to give it back; monotonic time
 * @param reason why it ends, {@code null} while it goes on
 * @param drainUntil how long to wait for work in flight; monotonic time
 * @param successor the candidate to leave the lease to, or {@code null}
 * @param kept whether the lease, as it was last seen, shows this candidate
 */
record Tenure(Lease lease, Phase phase, Moment sureUntil, long nextCall, @Nullable LossReason reason, long drainUntil,
		@Nullable String successor, boolean kept) {

	static Tenure begin(Lease lease, Phase phase, Moment sureUntil, long nextCall) {
		return new Tenure(lease, phase, sureUntil, nextCall, null, 0, null, true);
	}

	long term() {
		return this.lease.term();
	}

	/** Return whether the lease is led under, or handed over. */
	boolean isOpen() {
		return this.phase == Phase.LEADING || this.phase == Phase.DRAINING;
	}

	Tenure callAgainAt(long newNextCall) {
		return new Tenure(this.lease, this.phase, this.sureUntil, newNextCall, this.reason, this.drainUntil,
				this.successor, this.kept);
	}

	Tenure seenAs(Lease seen, Moment newSureUntil, long newNextCall) {
		return new Tenure(seen, this.phase, newSureUntil, newNextCall, this.reason, this.drainUntil, this.successor,
				true);
	}

	/** The lease looks as if it were not this one's: look once more. */
	Tenure doubted(long newNextCall) {
		return new Tenure(this.lease, this.phase, this.sureUntil, newNextCall, this.reason, this.drainUntil,
				this.successor, false);
	}

	Tenure drain(LossReason why, @Nullable String heir, long until) {
		return new Tenure(this.lease, Phase.DRAINING, this.sureUntil, this.nextCall, why, until, heir, this.kept);
	}

	Tenure release(long now) {
		return new Tenure(this.lease, Phase.RELEASING, this.sureUntil, now, this.reason, this.drainUntil,
				this.successor, this.kept);
	}

	/** The term is over; what is kept of the lease is given back at the given time. */
	Tenure end(LossReason why, boolean stillKept, long giveBackAt) {
		return new Tenure(this.lease, Phase.ENDED, this.sureUntil, giveBackAt,
				(this.reason != null) ? this.reason : why, this.drainUntil, this.successor, stillKept);
	}

	/** Nothing is done about it any more. */
	Tenure leave() {
		return new Tenure(this.lease, Phase.LEFT, this.sureUntil, this.nextCall, this.reason, this.drainUntil,
				this.successor, this.kept);
	}

	Tenure givenBack() {
		return new Tenure(this.lease, this.phase, this.sureUntil, this.nextCall, this.reason, this.drainUntil,
				this.successor, false);
	}

	enum Phase {

		/** Leads; the gate is open. */
		LEADING,

		/** Takes no new work, and waits for the old, still protected by the lease. */
		DRAINING,

		/** All work has ended; the lease is being given back. */
		RELEASING,

		/** The lease is lost, or about to be given back; work may still be ending. */
		ENDED,

		/**
		 * Some work waits for this process to end, and may go on until then: the lease is
		 * left as it is, and never given back.
		 */
		LEFT

	}

}
