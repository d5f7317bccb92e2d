package io.github.leaderelection.engine;

import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What a candidate knows of its own term, from the taking of the lease until everything
 * done in its name has ended.
 *
 * @param term the number of the term
 * @param phase how far it has come
 * @param deadline when the lease must be considered lost unless it is renewed
 * @param nextCall when to renew next, or to try the release again; monotonic time
 * @param reason why it ends, {@code null} while it goes on
 * @param drainUntil how long to wait for work in flight; monotonic time
 * @param successor the candidate to leave the lease to, or {@code null}
 * @param fresh whether the lease has not been renewed yet
 */
record Tenure(long term, Phase phase, Moment deadline, long nextCall, @Nullable LossReason reason, long drainUntil,
		@Nullable String successor, boolean fresh) {

	static Tenure begin(long term, Phase phase, Moment deadline, long nextCall) {
		return new Tenure(term, phase, deadline, nextCall, null, 0, null, true);
	}

	/** Return whether the lease is to be renewed. */
	boolean isRenewed() {
		return this.phase == Phase.LEADING || this.phase == Phase.DRAINING;
	}

	Tenure renewedUntil(Moment newDeadline, long newNextCall) {
		return new Tenure(this.term, this.phase, newDeadline, newNextCall, this.reason, this.drainUntil, this.successor,
				false);
	}

	Tenure callAgainAt(long newNextCall) {
		return new Tenure(this.term, this.phase, this.deadline, newNextCall, this.reason, this.drainUntil,
				this.successor, this.fresh);
	}

	Tenure drain(LossReason why, @Nullable String heir, long until) {
		return new Tenure(this.term, Phase.DRAINING, this.deadline, this.nextCall, why, until, heir, this.fresh);
	}

	Tenure release(long now) {
		return new Tenure(this.term, Phase.RELEASING, this.deadline, now, this.reason, this.drainUntil, this.successor,
				this.fresh);
	}

	Tenure end(LossReason why) {
		return new Tenure(this.term, Phase.ENDED, this.deadline, this.nextCall,
				(this.reason != null) ? this.reason : why, this.drainUntil, this.successor, this.fresh);
	}

	enum Phase {

		/** Leads; the gate is open. */
		LEADING,

		/** Takes no new work, and waits for the old, still protected by the lease. */
		DRAINING,

		/** All work has ended; the lease is being given back. */
		RELEASING,

		/** The lease is lost or left to expire; work may still be ending. */
		ENDED

	}

}
