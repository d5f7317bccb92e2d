package io.github.leaderelection.protocol;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.github.leaderelection.protocol.SessionState.Phase;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a process is alive: this one by its own account, and another one as far
 * as this one can tell. Pure functions; nothing here blocks, reads a clock or changes
 * anything.
 * <p>
 * In short:
 * <ol>
 * <li>A session is inserted under a number that is never used again, and kept alive by
 * replacing its revision by the next. One whose insert was not acknowledged is left
 * ({@link #unanswered}). A renewal without an answer is sent again as it was; if it finds
 * another revision the session is read, and is alive only if it shows that very renewal
 * ({@link #shown}). A session that has ended, is missing, or whose deadline has passed is
 * left for good, and the process goes on under another ({@link #over}).</li>
 * <li>It vouches for leases until the time <em>before</em> its last proven revision was
 * first sent, plus the time to live, less the safety margin ({@link #deadline}).</li>
 * <li>Whoever follows it remembers when it first saw each revision ({@link #observe}),
 * and may end a session that has shown the same revision for its own time to live, on the
 * follower's monotonic clock ({@link #life}). That is a compare-and-set on the revision:
 * a renewal that came in between wins. What has ended stays so.</li>
 * <li>A lease may be taken once the session that it names has ended ({@link #life}).</li>
 * <li>Reads may be behind, so that a session is missing is not known before a write has
 * shown it: a tombstone is inserted under its id, which fails if it is there. It is
 * watched and ended as any other.</li>
 * </ol>
 */
public class SessionProtocol {

	private final String candidateId;

	private final Timing timing;

	private final LongSupplier numbers;

	/**
	 * Create the protocol of a candidate.
	 * @param candidateId the id of the candidate
	 * @param timing what its sessions go by
	 * @param numbers gives numbers that no session of the candidate ever had
	 */
	public SessionProtocol(String candidateId, Timing timing, LongSupplier numbers) {
		this.candidateId = candidateId;
		this.timing = timing;
		this.numbers = numbers;
	}

	/**
	 * Return what the sessions go by.
	 * @return the timing
	 */
	public Timing timing() {
		return this.timing;
	}

	// This process

	/**
	 * Begin without a session.
	 * @param now the present
	 * @return the state
	 */
	public SessionState begin(Moment now) {
		return new SessionState(Phase.NEW, this.numbers.getAsLong(), 0, null, now.nanos(), null, null, null);
	}

	/**
	 * Return the session as it is known to have been stored last.
	 * @param state the state
	 * @return the session
	 */
	public Session session(SessionState state) {
		return new Session(this.candidateId, state.number(), state.revision(), this.timing.ttl(), null, false);
	}

	/**
	 * The next revision is about to be sent, perhaps not for the first time.
	 * @param state the state
	 * @param now the present
	 * @return the next state
	 */
	public SessionState sending(SessionState state, Moment now) {
		return (state.pendingSince() != null) ? state : state.pendingSince(now);
	}

	/**
	 * Return from when a revision counts that is proven now: from before it was first
	 * sent. Whichever of its sendings came to be stored, others have seen it later.
	 */
	protected Moment countsFrom(SessionState state, Moment now) {
		return (state.pendingSince() != null) ? state.pendingSince() : now;
	}

	/**
	 * Return until when a session vouches for leases. A slow reply must shorten that,
	 * never lengthen it.
	 * @param countsFrom see {@link #countsFrom(SessionState, Moment)}
	 */
	protected Moment deadline(Moment countsFrom) {
		return countsFrom.plus(this.timing.validity());
	}

	/**
	 * The insert was answered.
	 * @param state the state
	 * @param done whether it was inserted
	 * @param interval how long after it was sent to renew it
	 * @param now the present
	 * @return the next state
	 */
	public SessionState inserted(SessionState state, boolean done, Duration interval, Moment now) {
		SessionState answered = (state.failedIn() == Phase.NEW) ? state.failedIn(null) : state;
		return done ? stored(answered, answered.isUnproven() ? Duration.ZERO : interval, now) : over(answered, now);
	}

	/**
	 * A renewal was answered.
	 * @param state the state
	 * @param done whether it replaced what it expected; otherwise what is stored has
	 * another revision, or is missing
	 * @param interval how long after it was sent to send the next
	 * @param now the present
	 * @return the next state
	 */
	public SessionState renewed(SessionState state, boolean done, Duration interval, Moment now) {
		SessionState answered = state.failedIn(null);
		return done ? stored(answered, interval, now) : answered.next(Phase.UNCLEAR, now.nanos());
	}

	/**
	 * The session was read.
	 * @param state the state
	 * @param own what is stored, {@code null} if nothing is
	 * @param interval how long after a renewal to send the next
	 * @param now the present
	 * @return the next state
	 */
	public SessionState shown(SessionState state, @Nullable Session own, Duration interval, Moment now) {
		SessionState answered = state.failedIn(null);
		if (own == null || own.ended()) {
			return over(answered, now);
		}
		if (own.revision() == state.revision() + 1 && state.pendingSince() != null) {
			return stored(answered, interval, now);
		}
		// Of a server that is behind: the deadline ends it if nothing else does.
		return (own.revision() == state.revision())
				? answered.next(Phase.ALIVE, now.plus(this.timing.retryDelay()).nanos()) : over(answered, now);
	}

	/** The next revision was stored. */
	private SessionState stored(SessionState state, Duration interval, Moment now) {
		Moment since = countsFrom(state, now);
		return new SessionState(Phase.ALIVE, state.number(), state.revision() + 1, null, since.plus(interval).nanos(),
				deadline(since), since, state.failedIn());
	}

	/**
	 * It is over, or may be: never renew it again, but begin another.
	 * @param state the state
	 * @param now the present
	 * @return the next state
	 */
	public SessionState over(SessionState state, Moment now) {
		return begin(state, now.nanos()).failedIn(state.failedIn());
	}

	private SessionState begin(SessionState state, long nextCall) {
		return new SessionState(Phase.NEW, this.numbers.getAsLong(), 0, null, nextCall, null, state.confirmedAt(),
				null);
	}

	/**
	 * A call has failed, its outcome is unknown: try again soon. What was to be inserted
	 * may still come, at any time: never go on under that.
	 * @param state the state
	 * @param now the present
	 * @return the next state
	 */
	public SessionState unanswered(SessionState state, Moment now) {
		long soon = now.plus(this.timing.retryDelay()).nanos();
		return (state.phase() == Phase.NEW) ? begin(state, soon).failedIn(Phase.NEW)
				: state.next(state.phase(), soon).failedIn(Phase.ALIVE);
	}

	/**
	 * Something is to be vouched for: renew as often as others expect it.
	 * @param state the state
	 * @param now the present
	 * @return the next state
	 */
	public SessionState needed(SessionState state, Moment now) {
		Moment at = state.confirmedAt();
		long next = (at != null) ? at.plus(this.timing.renewInterval()).nanos() : now.nanos();
		return (state.phase() == Phase.ALIVE) ? state.next(Phase.ALIVE, Moment.earlier(next, state.nextCall())) : state;
	}

	// Others

	/**
	 * Return what is known of a session after a read.
	 * @param before what was known of it, {@code null} for nothing
	 * @param seen what was read, {@code null} if it is missing
	 * @param now the present
	 * @param headStart how much later to take what somebody else has made free
	 * @return what is known now
	 */
	public Observation observe(@Nullable Observation before, @Nullable Session seen, Moment now, Duration headStart) {
		Session known = (before != null) ? before.session() : null;
		if (seen == null) {
			return (before != null && known == null) ? before
					: new Observation(null, now.nanos(), now.plus(headStart).nanos());
		}
		if (before == null || known == null) {
			return new Observation(seen, now.nanos(), now.nanos());
		}
		if (seen.isSameRevisionAs(known)) {
			return new Observation(seen, before.since(), before.freeAt());
		}
		boolean ended = seen.ended() && !known.ended();
		return new Observation(seen, now.nanos(), ended ? now.plus(headStart).nanos() : before.freeAt());
	}

	/**
	 * Return whether the holder of a lease is alive as far as it was seen.
	 * @param seen what was last seen of the session that the lease names, {@code null} if
	 * nothing was
	 * @param now the present
	 * @return whether it is alive
	 */
	public Life life(@Nullable Observation seen, Moment now) {
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

	/**
	 * Return whether the same was seen for this long. The holder's own time to live
	 * counts, so that different settings are safe.
	 */
	protected boolean hasOutlived(Duration ttl, Observation seen, Moment now) {
		return now.isDue(seen.silentAt(ttl));
	}

	/** Whether the holder of a lease is alive. */
	public enum Life {

		/** Its session was not read. */
		UNKNOWN,

		/** It has no session, as far as was seen. */
		MISSING,

		/** It may trust its session. */
		ALIVE,

		/** It has been silent for so long that its session may be ended. */
		SILENT,

		/** It can't trust its session any more. */
		ENDED

	}

	/**
	 * What was last seen of the session of another process.
	 *
	 * @param session the session, {@code null} if it is missing
	 * @param since the monotonic time at which this revision, or that it is missing, was
	 * first seen
	 * @param freeAt when to take what it no longer vouches for, or to insert a tombstone
	 * where it is missing; monotonic time. Of no importance but that whoever has ended it
	 * goes first, and that a lease is not overlooked which has been given back.
	 */
	public record Observation(@Nullable Session session, long since, long freeAt) {

		/**
		 * Return when it has been silent for this long, unless it is renewed.
		 * @param ttl for how long
		 * @return the monotonic time
		 */
		public long silentAt(Duration ttl) {
			return this.since + ttl.toNanos();
		}

	}

}
