package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.github.leaderelection.engine.SessionState.Phase;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a process is alive: this one by its own account, and another one as far
 * as this one can tell. Pure functions; nothing here blocks, reads a clock or changes
 * anything.
 * <p>
 * In short:
 * <ol>
 * <li>A session is created under a number that is never used again, and kept alive by
 * replacing its revision by the next. One whose creation was not acknowledged is left
 * ({@link #failed}). A renewal without an answer is sent again as it was; if it finds
 * another revision the session is read, and is alive only if it shows that very renewal
 * ({@link #read}). A session that has ended, is missing, or whose deadline has passed is
 * left for good, and the process goes on under another ({@link #over}).</li>
 * <li>It vouches for leases until the time <em>before</em> its last proven revision was
 * first sent, plus the time to live, less the safety margin ({@link #deadline}).</li>
 * <li>Whoever watches it remembers when it first saw each revision ({@link #sighted}),
 * and may end a session that has shown the same revision for its own time to live, on the
 * watcher's monotonic clock ({@link #life}). That is a compare-and-set on the revision: a
 * renewal that came in between wins. What has ended stays so.</li>
 * <li>A lease may be taken once the session that it names has ended ({@link #life}).</li>
 * <li>Reads may be behind, so that a session is missing is not known before a write has
 * shown it: a tombstone is created under its id, which fails if it is there. It is
 * watched and ended as any other.</li>
 * </ol>
 */
class SessionProtocol {

	private final String candidateId;

	private final Rhythm rhythm;

	SessionProtocol(String candidateId, Rhythm rhythm) {
		this.candidateId = candidateId;
		this.rhythm = rhythm;
	}

	Rhythm rhythm() {
		return this.rhythm;
	}

	// This process

	/**
	 * Begin another session.
	 * @param number a number that this process has never used before
	 */
	SessionState begin(long number, long nextCall) {
		return new SessionState(Phase.NEW, number, 0, null, nextCall);
	}

	/** Return the session as it is known to have been stored last. */
	Session session(SessionState state) {
		return new Session(this.candidateId, state.number(), state.revision(), this.rhythm.ttl(), null, false);
	}

	/** Return what to ask of the store now, or {@code null} for nothing. */
	@Nullable SessionIntent intent(SessionState state, Moment now) {
		if (now.nanos() - state.nextCall() < 0) {
			return null;
		}
		Session session = session(state);
		return switch (state.phase()) {
			case NEW -> new SessionIntent.Create(session.renewed());
			case ALIVE -> new SessionIntent.Renew(session.renewed());
			case UNCLEAR -> new SessionIntent.Read(session.id());
		};
	}

	/** The next revision is about to be sent, perhaps not for the first time. */
	SessionState sending(SessionState state, Moment now) {
		return (state.pendingSince() != null) ? state : state.pendingSince(now);
	}

	/**
	 * Return from when a revision counts that is proven now: from before it was first
	 * sent. Whichever of its sendings came to be stored, others have seen it later.
	 */
	Moment countsFrom(SessionState state, Moment now) {
		return (state.pendingSince() != null) ? state.pendingSince() : now;
	}

	/**
	 * The next revision was stored: the session was created, or renewed.
	 * @param interval how long after it was first sent to send the next
	 */
	SessionState stored(SessionState state, Duration interval, Moment now) {
		return state.proven(countsFrom(state, now).plus(interval).nanos());
	}

	/** What is stored has another revision than was expected, or is missing. */
	SessionState refused(SessionState state, Moment now) {
		return state.to(Phase.UNCLEAR, now.nanos());
	}

	/**
	 * Return what a read of the own session has shown.
	 * @param own what is stored, {@code null} if nothing is
	 */
	Proof read(SessionState state, @Nullable Session own) {
		if (own == null || own.ended()) {
			return Proof.OVER;
		}
		if (own.revision() == state.revision() + 1 && state.pendingSince() != null) {
			return Proof.STORED;
		}
		// Of a server that is behind: the deadline ends it if nothing else does.
		return (own.revision() == state.revision()) ? Proof.NOT_YET : Proof.OVER;
	}

	/**
	 * The session is over, or may be: never renew it again, but begin another.
	 * @param number a number that this process has never used before
	 */
	SessionState over(long number, Moment now) {
		return begin(number, now.nanos());
	}

	/**
	 * A call has failed, its outcome is unknown: try again soon. What was to be created
	 * may still come, at any time: never go on under that.
	 * @param numbers gives numbers that this process has never used before
	 */
	SessionState failed(SessionState state, LongSupplier numbers, Moment now) {
		long soon = now.plus(this.rhythm.retryDelay()).nanos();
		return (state.phase() == Phase.NEW) ? begin(numbers.getAsLong(), soon) : state.at(soon);
	}

	/**
	 * Return until when a session vouches for leases. A slow reply must shorten that,
	 * never lengthen it.
	 * @param countsFrom see {@link #countsFrom(SessionState, Moment)}
	 */
	Moment deadline(Moment countsFrom) {
		return countsFrom.plus(this.rhythm.belief());
	}

	// Others

	/**
	 * Return what is known of a session after a look.
	 * @param headStart how much later to take what somebody else has made free
	 */
	SessionSighting sighted(@Nullable SessionSighting before, @Nullable Session seen, Moment now, Duration headStart) {
		Session known = (before != null) ? before.session() : null;
		if (seen == null) {
			return (before != null && known == null) ? before
					: new SessionSighting(null, now.nanos(), now.plus(headStart).nanos());
		}
		if (before == null || known == null) {
			return new SessionSighting(seen, now.nanos(), now.nanos());
		}
		if (seen.isSameRevisionAs(known)) {
			return new SessionSighting(seen, before.since(), before.freeAt());
		}
		boolean ended = seen.ended() && !known.ended();
		return new SessionSighting(seen, now.nanos(), ended ? now.plus(headStart).nanos() : before.freeAt());
	}

	/**
	 * Return whether the holder of a lease is alive as far as it was seen.
	 * @param seen what was last seen of the session that the lease names
	 */
	Life life(@Nullable SessionSighting seen, Moment now) {
		if (seen == null) {
			return Life.UNKNOWN;
		}
		Session session = seen.session();
		if (session == null) {
			return Life.MISSING;
		}
		if (session.ended()) {
			return Life.ENDED;
		}
		return hasOutlived(session.ttl(), seen, now) ? Life.SILENT : Life.ALIVE;
	}

	/** The holder's own time to live counts, so that different settings are safe. */
	boolean hasOutlived(Duration ttl, SessionSighting seen, Moment now) {
		return now.nanos() - endsAt(ttl, seen) >= 0;
	}

	static long endsAt(Duration ttl, SessionSighting seen) {
		return seen.since() + ttl.toNanos();
	}

	/** What a read of the own session proves of its next revision. */
	enum Proof {

		/** It was stored. */
		STORED,

		/** It was not stored, or is not shown yet. */
		NOT_YET,

		/** The session is over. */
		OVER

	}

	/** Whether the holder of a lease is alive. */
	enum Life {

		/** Its session was not looked at. */
		UNKNOWN,

		/** It has no session, as far as was seen. */
		MISSING,

		/** It may believe that it leads. */
		ALIVE,

		/** It has been silent for so long that its session may be ended. */
		SILENT,

		/** It can't believe any more that it leads. */
		ENDED

	}

}
