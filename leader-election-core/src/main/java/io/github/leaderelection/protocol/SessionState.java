package io.github.leaderelection.protocol;

import org.jspecify.annotations.Nullable;

/**
 * All that a process knows of its own session. Immutable; {@link SessionProtocol} makes
 * the next from the last.
 *
 * @param phase what to do next
 * @param number the number of the session, or that of the next
 * @param revision the last revision that is proven to have been stored
 * @param pendingSince before the next revision was first sent, {@code null} if it was not
 * @param nextCall when to make the next call; monotonic time
 * @param validUntil the deadline of all terms under this session, {@code null} if it was
 * never proven to be stored
 * @param confirmedAt before the last revision was sent that is proven to have been
 * stored, perhaps of an earlier session; {@code null} if there is none
 * @param failedIn where the last call has failed that was not made again with success
 * since, {@code null} if none has
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
	 * Return whether sessions can be created, but could not be renewed. One that is
	 * created then is good for nothing before it was renewed: this process would lead
	 * again and again, until each of them runs out.
	 * @return whether nothing is to be taken under this session yet
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

		/** The next revision could not be stored, or was before: read the session. */
		UNCLEAR

	}

}
