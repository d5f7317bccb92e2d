package io.github.leaderelection.engine;

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
 */
record SessionState(Phase phase, long number, long revision, @Nullable Moment pendingSince, long nextCall) {

	SessionState at(long newNextCall) {
		return new SessionState(this.phase, this.number, this.revision, this.pendingSince, newNextCall);
	}

	SessionState to(Phase newPhase, long newNextCall) {
		return new SessionState(newPhase, this.number, this.revision, this.pendingSince, newNextCall);
	}

	SessionState pendingSince(Moment since) {
		return new SessionState(this.phase, this.number, this.revision, since, this.nextCall);
	}

	/** The next revision is proven to have been stored. */
	SessionState proven(long newNextCall) {
		return new SessionState(Phase.ALIVE, this.number, this.revision + 1, null, newNextCall);
	}

	enum Phase {

		/** There is none: create one. */
		NEW,

		/** It is alive: renew it. */
		ALIVE,

		/** The next revision could not be stored, or was before: read the session. */
		UNCLEAR

	}

}
