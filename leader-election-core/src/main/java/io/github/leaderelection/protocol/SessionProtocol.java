package io.github.leaderelection.protocol;

import java.time.Duration;
import java.util.function.LongSupplier;

import io.github.leaderelection.protocol.SessionState.Phase;
import io.github.leaderelection.store.Session;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a process is alive: this one by its own account, another one as far as
 * this one can tell. Pure functions; nothing here blocks, reads a clock or changes
 * anything.
 * <p>
 * In short:
 * <ol>
 * <li>A session is inserted under a number that is never used again, and kept alive by
 * replacing its revision by the next. If the insert is not acknowledged, the number is
 * given up ({@link #unanswered}). A renewal without an answer is sent again as it was. If
 * it is refused then, the session is read, and the renewal is proven only if the session
 * shows it ({@link #shown}). A session that has ended, is missing, or whose deadline has
 * passed is given up for good, and the process goes on under another (S1,
 * {@link #over}).</li>
 * <li>A session vouches for leases until the time <em>before</em> its last proven
 * revision was first sent, plus the time to live, less the safety margin (S2,
 * {@link #deadline}).</li>
 * <li>A follower remembers when it first saw each revision ({@link #observe}). It may end
 * a session that has shown the same revision for the session's own time to live, on the
 * follower's monotonic clock ({@link #life}). That is a compare-and-set on the revision,
 * so a renewal that comes first wins. An end is final (S3, S4).</li>
 * <li>A lease may be taken once the session that it names has ended (S5,
 * {@link #life}).</li>
 * <li>Reads may be behind, so only a write can show that a session is missing: a
 * tombstone is inserted under its id, which fails if the session is there. The tombstone
 * is watched and ended like any session (S6).</li>
 * </ol>
 */
public class SessionProtocol {

	private final String candidateId;

	private final Timing timing;

	private final LongSupplier numbers;

	/**
	 * Create the protocol of a candidate.
	 * @param numbers gives numbers that no session of the candidate ever had
	 */
	public SessionProtocol(String candidateId, Timing timing, LongSupplier numbers) {
		this.candidateId = candidateId;
		this.timing = timing;
		this.numbers = numbers;
	}

	/** Return the durations that the sessions go by. */
	public Timing timing() {
		return this.timing;
	}

	// This process

	/** Begin without a session. */
	public SessionState begin(Moment now) {
		return new SessionState(Phase.NEW, this.numbers.getAsLong(), 0, null, now.nanos(), null, null, null);
	}

	/** Return the session as it was last proven to be stored. */
	public Session session(SessionState state) {
		return new Session(this.candidateId, state.number(), state.revision(), this.timing.ttl(), null, false);
	}

	/** The next revision is about to be sent, perhaps not for the first time. */
	public SessionState sending(SessionState state, Moment now) {
		return (state.pendingSince() != null) ? state : state.pendingSince(now);
	}

	/**
	 * Return from when a revision counts that is proven now: the time before it was first
	 * sent. Whichever sending was stored, others saw it only after that (S2).
	 */
	protected Moment countsFrom(SessionState state, Moment now) {
		return (state.pendingSince() != null) ? state.pendingSince() : now;
	}

	/**
	 * Return until when a session vouches for leases. A slow answer must shorten that,
	 * never lengthen it (S2).
	 * @param countsFrom see {@link #countsFrom(SessionState, Moment)}
	 */
	protected Moment deadline(Moment countsFrom) {
		return countsFrom.plus(this.timing.validity());
	}

	/**
	 * The insert was answered.
	 * @param interval the time from sending it to the first renewal
	 */
	public SessionState inserted(SessionState state, boolean done, Duration interval, Moment now) {
		SessionState answered = (state.failedIn() == Phase.NEW) ? state.failedIn(null) : state;
		return done ? stored(answered, answered.isUnproven() ? Duration.ZERO : interval, now) : over(answered, now);
	}

	/**
	 * A renewal was answered.
	 * @param done whether it replaced the expected revision; otherwise the stored session
	 * has another one, or is missing
	 * @param interval the time from sending it to the next renewal
	 */
	public SessionState renewed(SessionState state, boolean done, Duration interval, Moment now) {
		SessionState answered = state.failedIn(null);
		return done ? stored(answered, interval, now) : answered.next(Phase.UNCLEAR, now.nanos());
	}

	/**
	 * The session was read.
	 * @param own the stored session, {@code null} if it is missing
	 * @param interval the time from sending a renewal to the next one
	 */
	public SessionState shown(SessionState state, @Nullable Session own, Duration interval, Moment now) {
		SessionState answered = state.failedIn(null);
		if (own == null || own.ended()) {
			return over(answered, now);
		}
		if (own.revision() == state.revision() + 1 && state.pendingSince() != null) {
			return stored(answered, interval, now);
		}
		// Perhaps the read is behind: renew again. The deadline is the limit.
		return (own.revision() == state.revision())
				? answered.next(Phase.ALIVE, now.plus(this.timing.retryDelay()).nanos()) : over(answered, now);
	}

	/** The next revision is proven to be stored. */
	private SessionState stored(SessionState state, Duration interval, Moment now) {
		Moment since = countsFrom(state, now);
		return new SessionState(Phase.ALIVE, state.number(), state.revision() + 1, null, since.plus(interval).nanos(),
				deadline(since), since, state.failedIn());
	}

	/** Give up a session that is over, or may be: never renew it, but begin another. */
	public SessionState over(SessionState state, Moment now) {
		return begin(state, now.nanos()).failedIn(state.failedIn());
	}

	private SessionState begin(SessionState state, long nextCall) {
		return new SessionState(Phase.NEW, this.numbers.getAsLong(), 0, null, nextCall, null, state.confirmedAt(),
				null);
	}

	/**
	 * A call has failed with an unknown outcome: try again soon. An insert may still
	 * arrive at any time, so its number is given up (S1).
	 */
	public SessionState unanswered(SessionState state, Moment now) {
		long soon = now.plus(this.timing.retryDelay()).nanos();
		return (state.phase() == Phase.NEW) ? begin(state, soon).failedIn(Phase.NEW)
				: state.next(state.phase(), soon).failedIn(Phase.ALIVE);
	}

	/** A lease is to be held under this session: renew as often as others expect. */
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
	 * @param headStart how much later than the process that ended the session to act (S5)
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

	/** Return whether a holder is alive, by what was last seen of its session. */
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
	 * Return whether one revision was seen for this long. That the session's own time to
	 * live counts makes different settings safe (S4).
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

		/** It may still trust its session. */
		ALIVE,

		/** Its session was silent for its time to live, and may be ended. */
		SILENT,

		/** Its session has ended, for good. */
		ENDED

	}

	/**
	 * What was last seen of the session of another process.
	 *
	 * @param session the session, {@code null} if it is missing
	 * @param since when this revision, or that it is missing, was first seen; monotonic
	 * time
	 * @param freeAt the earliest time to take a lease of an ended session, or to insert a
	 * tombstone for a missing one; monotonic time. Safety does not depend on it: it lets
	 * the process that ended the session go first (S5), and leaves time to see a release
	 * before a tombstone is inserted (S6)
	 */
	public record Observation(@Nullable Session session, long since, long freeAt) {

		/** Return the monotonic time at which it has been silent for this long. */
		public long silentAt(Duration ttl) {
			return this.since + ttl.toNanos();
		}

	}

}
