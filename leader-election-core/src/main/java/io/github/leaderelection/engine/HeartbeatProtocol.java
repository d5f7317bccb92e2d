package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.engine.HeartbeatState.Phase;
import io.github.leaderelection.store.Heartbeat;
import io.github.leaderelection.store.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a process is alive: this one by its own account, and another one as far
 * as this one can tell. Pure functions; nothing here blocks, reads a clock or changes
 * anything.
 * <p>
 * In short:
 * <ol>
 * <li>A process beats under an epoch, and each beat has a number of its own. A beat that
 * finds another epoch, or none, says that somebody has ended it: all its terms are over.
 * It leaves the epoch ({@link #left}), as it does when its belief is over
 * ({@link #isOver}), and goes on under an epoch above all that it has tried
 * ({@link #looked}).</li>
 * <li>It believes in its life until the time <em>before</em> it sent its last
 * acknowledged beat, plus the time to live, less the safety margin
 * ({@link #deadline}).</li>
 * <li>Whoever watches it remembers when it first saw each beat ({@link #sighted}), and
 * may end an epoch that has shown the same beat for the heartbeat's own time to live, on
 * the watcher's monotonic clock ({@link #life}). That is a compare-and-set on epoch and
 * beat: a beat that came in between wins.</li>
 * <li>A lease whose holder's heartbeat shows a later epoch is orphaned for good
 * ({@link #life}).</li>
 * <li>Looks may be behind, so that a holder has no heartbeat is not known before a write
 * has shown it: one is entered that vouches for nothing ({@link #mark}), which fails if
 * there is one. It is watched and ended as any other.</li>
 * </ol>
 */
class HeartbeatProtocol {

	private final String id;

	private final Rhythm rhythm;

	HeartbeatProtocol(String candidateId, Rhythm rhythm) {
		this.id = Heartbeat.id(candidateId, rhythm.ttl());
		this.rhythm = rhythm;
	}

	String id() {
		return this.id;
	}

	Rhythm rhythm() {
		return this.rhythm;
	}

	// This process

	HeartbeatState begin(Moment now) {
		return new HeartbeatState(Phase.ABSENT, 0, 0, 1, null, now.nanos());
	}

	/** Return what to ask of the store now, or {@code null} for nothing. */
	@Nullable HeartbeatIntent intent(HeartbeatState state, Moment now) {
		if (now.nanos() - state.nextCall() < 0) {
			return null;
		}
		return switch (state.phase()) {
			case ABSENT -> new HeartbeatIntent.Enter(heartbeat(state.floor(), state.beat() + 1));
			case BEATING -> new HeartbeatIntent.Beat(heartbeat(state.epoch(), state.beat() + 1));
			case UNCLEAR -> new HeartbeatIntent.Look();
			case OUTDATED -> (state.seen() != null) ? new HeartbeatIntent.Raise(state.seen(), state.floor())
					: new HeartbeatIntent.Look();
		};
	}

	private Heartbeat heartbeat(long epoch, long beat) {
		return new Heartbeat(this.id, epoch, beat, this.rhythm.ttl(), null);
	}

	/** It was entered by the call that was sent at the given time. */
	HeartbeatState entered(HeartbeatState state, Moment sentAt) {
		return state.beating(state.floor(), sentAt.plus(this.rhythm.interval()).nanos());
	}

	/** The beat was acknowledged, by the answer to a call sent at the given time. */
	HeartbeatState acknowledged(HeartbeatState state, Duration interval, Moment sentAt) {
		return (state.phase() == Phase.BEATING) ? state.at(sentAt.plus(interval).nanos()) : state;
	}

	/** Somebody has ended it, or may have: never beat under this epoch again. */
	HeartbeatState left(HeartbeatState state, Moment now) {
		return state.to(Phase.UNCLEAR, state.epoch() + 1, null, now.nanos());
	}

	/**
	 * Return whether its time under this epoch is over. Others may have ended the epoch
	 * by now, and if the heartbeat was removed since, a mark may have come to show the
	 * same.
	 * @param belief the last belief under this epoch, or {@code null} if there was none
	 * @param since before the epoch was entered, raised or looked for
	 */
	boolean isOver(@Nullable Belief belief, Moment since, Moment now) {
		return (belief != null) ? !belief.isHeld() : deadline(since).hasComeAt(now);
	}

	/** It could not be entered, since there is one. */
	HeartbeatState occupied(HeartbeatState state, Moment now) {
		return state.to(Phase.UNCLEAR, state.floor(), null, now.nanos());
	}

	/** A look has shown the own heartbeat, or none. */
	HeartbeatState looked(HeartbeatState state, @Nullable Heartbeat own, Moment now) {
		if (state.phase() != Phase.UNCLEAR) {
			return state;
		}
		if (own == null) {
			return state.to(Phase.ABSENT, state.floor(), null, now.nanos());
		}
		// A beat is only seen if its number is higher.
		HeartbeatState counted = state.beyond(own.beat());
		return (own.epoch() >= state.floor()) ? counted.beating(own.epoch(), now.nanos())
				: counted.to(Phase.OUTDATED, state.floor(), own, now.nanos());
	}

	/** The epoch was raised above all that are over, or somebody was faster. */
	HeartbeatState raised(HeartbeatState state, boolean done, Moment now) {
		return done ? state.beating(state.floor(), now.nanos())
				: state.to(Phase.UNCLEAR, state.floor() + 1, null, now.nanos());
	}

	/**
	 * A call has failed, its outcome is unknown: try again soon. What was to be entered
	 * may still come, and bring its epoch back after it was ended: never go on under
	 * that, whoever has made it so.
	 */
	HeartbeatState failed(HeartbeatState state, Moment now) {
		long soon = now.plus(this.rhythm.retryDelay()).nanos();
		return switch (state.phase()) {
			case BEATING -> state.at(soon);
			case ABSENT -> state.to(Phase.UNCLEAR, state.floor() + 1, null, soon);
			case UNCLEAR, OUTDATED -> state.to(Phase.UNCLEAR, state.floor(), null, soon);
		};
	}

	/**
	 * Counted from before the call was sent: a slow reply must shorten the belief, never
	 * lengthen it.
	 */
	Moment deadline(Moment sentAt) {
		return sentAt.plus(this.rhythm.belief());
	}

	/** Return what becomes of the belief by an acknowledged beat. */
	@Nullable Belief believe(@Nullable Belief present, long epoch, Moment sentAt, Moment now, EngineClock clock) {
		Moment deadline = deadline(sentAt);
		if (present != null && present.epoch() == epoch && present.extend(deadline)) {
			return present;
		}
		// What was found to be over stays so: this is a belief for new terms.
		return deadline.hasComeAt(now) ? present : new Belief(epoch, deadline, clock);
	}

	// Others

	/**
	 * Return what is known of a heartbeat after a look.
	 * @param headStart how much later to take what somebody else has made free
	 */
	HeartbeatSighting sighted(@Nullable HeartbeatSighting before, @Nullable Heartbeat seen, Moment now,
			Duration headStart) {
		Heartbeat known = (before != null) ? before.heartbeat() : null;
		if (seen == null) {
			return (before != null && known == null) ? before
					: new HeartbeatSighting(null, now.nanos(), now.plus(headStart).nanos());
		}
		if (before == null || known == null) {
			return new HeartbeatSighting(seen, now.nanos(), now.nanos());
		}
		if (seen.isSameBeatAs(known)) {
			return new HeartbeatSighting(seen, before.since(), before.freeAt());
		}
		boolean ended = seen.epoch() > known.epoch();
		return new HeartbeatSighting(seen, now.nanos(), ended ? now.plus(headStart).nanos() : before.freeAt());
	}

	/**
	 * Return whether the holder of a lease is alive as far as it was seen. A heartbeat of
	 * an earlier epoch than the lease names is watched as any other: if it can be ended
	 * it was there all the time, and nobody has beaten under the one that is named.
	 * @param seen what was last seen of the heartbeat that vouches for the lease
	 */
	Life life(Lease lease, @Nullable HeartbeatSighting seen, Moment now) {
		if (seen == null) {
			return Life.UNKNOWN;
		}
		Heartbeat heartbeat = seen.heartbeat();
		if (heartbeat == null) {
			return Life.MISSING;
		}
		if (heartbeat.epoch() > lease.epoch()) {
			return Life.ENDED;
		}
		return hasOutlived(heartbeat.ttl(), seen, now) ? Life.SILENT : Life.ALIVE;
	}

	/**
	 * Return a heartbeat for the holder of a lease that has none. Its epoch is below that
	 * of any lease. Nobody else has entered the same, or will: if it can be ended it is
	 * this one, and there has been no other since.
	 */
	Heartbeat mark(Lease lease, Moment now) {
		return new Heartbeat(String.valueOf(lease.heartbeat()), 0, unique(now), lease.ttl(), null);
	}

	/** Return a number that depends on who asks for it, and when. */
	private long unique(Moment now) {
		long mixed = (((long) this.id.hashCode() << 32) ^ now.nanos()) * 0x9E3779B97F4A7C15L;
		// Leaves room for those that beat on from there.
		return mixed >>> 13;
	}

	/** Return the heartbeat as ended, with the next epoch. */
	static Heartbeat ended(Heartbeat seen) {
		return new Heartbeat(seen.id(), seen.epoch() + 1, seen.beat(), seen.ttl(), seen.beatAt(), true);
	}

	/** Return the heartbeat as ended, with a later epoch than the lease names. */
	static Heartbeat ended(Heartbeat seen, Lease lease) {
		return new Heartbeat(seen.id(), Math.max(seen.epoch(), lease.epoch()) + 1, seen.beat(), seen.ttl(), null, true);
	}

	/** The holder's own time to live counts, so that different settings are safe. */
	boolean hasOutlived(Duration ttl, HeartbeatSighting seen, Moment now) {
		return now.nanos() - endsAt(ttl, seen) >= 0;
	}

	static long endsAt(Duration ttl, HeartbeatSighting seen) {
		return seen.since() + ttl.toNanos();
	}

	/** Whether the holder of a lease is alive. */
	enum Life {

		/** Its heartbeat was not looked at. */
		UNKNOWN,

		/** It has no heartbeat, as far as was seen. */
		MISSING,

		/** It may believe that it leads. */
		ALIVE,

		/** It has been silent for so long that its epoch may be ended. */
		SILENT,

		/** It can't believe any more that it leads. */
		ENDED

	}

}
