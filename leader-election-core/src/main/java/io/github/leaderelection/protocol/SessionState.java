package io.github.leaderelection.protocol;

import org.jspecify.annotations.Nullable;

/**
 * All that a process knows of its own session. Immutable; {@link SessionProtocol} makes
 * the next state from the last.
 *
 * @param phase what to do next
 * @param number the number of the session, or of the next one to insert
 * @param revision the last revision that is proven to be stored, 0 for none
 * @param pendingSince the time before the next revision was first sent, {@code null} if
 * it was not
 * @param nextCall when to make the next call; monotonic time
 * @param validUntil the deadline of all terms under this session, {@code null} if it was
 * never proven to be stored
 * @param confirmedAt the time before the last proven revision was first sent, perhaps of
 * an earlier session; {@code null} for none
 * @param failedIn {@code NEW} if inserts fail, {@code ALIVE} if renewals fail,
 * {@code null} if neither
 */
public record SessionState(Phase phase, long number, long revision, @Nullable Moment pendingSince, long nextCall,
		@Nullable Moment validUntil, @Nullable Moment confirmedAt, @Nullable Phase failedIn) {

	SessionState next(Phase newPhase, long newNextCall) {
		return new SessionState(newPhase, this.number, this.revision, this.pendingSince, newNextCall, this.validUntil,
				this.confirmedAt, this.failedIn);
	}

	SessionState pendingSince(Moment since) {
		return new SessionState(this.phase, this.number, this.revision, since, this.nextCall, this.validUntil,
				this.confirmedAt, this.failedIn);
	}

	SessionState failedIn(@Nullable Phase newFailedIn) {
		return new SessionState(this.phase, this.number, this.revision, this.pendingSince, this.nextCall,
				this.validUntil, this.confirmedAt, newFailedIn);
	}

	/**
	 * Return whether renewals have failed, and this session was never renewed. Nothing is
	 * taken under it until it was (S5): if inserts succeed and renewals don't, this
	 * process would lead again and again, each time until the session runs out.
	 */
	public boolean isUnproven() {
		return this.failedIn == Phase.ALIVE && this.revision <= 1;
	}

	/** What to do next for the session of this process. */
	public enum Phase {

		/** There is none: insert one. */
		NEW,

		/** It is alive: renew it. */
		ALIVE,

		/** A renewal was refused: read whether an earlier sending was stored. */
		UNCLEAR

	}

}
