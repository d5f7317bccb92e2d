package io.github.leaderelection.engine;

import java.util.function.LongSupplier;

import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.Timing;

/**
 * Ways to break the protocol, each of which the simulation must detect. They are
 * implemented in {@link FlawedSessions}, {@link FlawedElections}, {@link SimulatedMember}
 * and {@link SimulatedMongo}, or by the clocks.
 */
enum Flaw implements ElectionRegistry.Protocols {

	/** The protocol as it is. */
	NONE(null),

	/** R3: The leader trusts its session for the whole time to live. */
	NO_MARGIN(Invariant.I1),

	/** S2: The deadline counts from the answer. */
	DEADLINE_FROM_THE_ANSWER(Invariant.I1),

	/** S2: The deadline counts from the last sending of a revision. */
	DEADLINE_FROM_THE_LAST_SENDING(Invariant.I1),

	/** S4: Wall clocks decide that a process has been silent for too long. */
	EXPIRY_BY_WALL_CLOCK(Invariant.I1),

	/**
	 * S4: A silent session is ended a tenth of its time to live too early.
	 */
	WATCHES_FOR_TOO_SHORT(Invariant.I1),

	/** S4: Each candidate waits for its own time to live, not for the holder's. */
	OWN_TTL_INSTEAD_OF_THE_HOLDERS(Invariant.I1),

	/** S4: A lease is taken from a silent session that has not been ended. */
	TAKES_WITHOUT_ENDING(Invariant.I1),

	/** S4: A session is ended though it was renewed in the meantime. */
	ENDS_BY_ID_ALONE(Invariant.I1),

	/** S6: A process without a session counts as dead at once. */
	MISSING_IS_ENDED(Invariant.I1),

	/** S6: A lease is taken once reads have shown no session of its holder for a TTL. */
	TAKES_WHERE_NOTHING_IS(Invariant.I1),

	/** R1: A lease is taken though it has changed in the meantime. */
	TAKES_BY_ID_ALONE(Invariant.I1),

	/** R1: A release names neither the holder nor the revision. */
	RELEASES_BY_ID_ALONE(Invariant.I1),

	/** S9: A release names the holder, but not the revision. */
	RELEASES_BY_HOLDER_ALONE(Invariant.I1),

	/** R2: A candidate takes its own lease again under the same term. */
	SAME_TERM_FOR_ITS_OWN_LEASE(Invariant.I2),

	/** R5: A read that shows its own lease makes a candidate the leader. */
	BELIEVES_A_READ(Invariant.I2),

	/** S8: A term counts from when a read was answered. */
	LOOK_FROM_THE_ANSWER(Invariant.I1),

	/** R11: A lease that is missing is free at once. */
	MISSING_LEASE_IS_FREE(Invariant.I1),

	/** R11: A lease that was created in place of a later one is free at once. */
	TAKES_WHAT_IS_FROM_BEFORE(Invariant.I1),

	/**
	 * R1: A lease that is created again has the revisions of the one before, so requests
	 * meant for that one match it.
	 */
	REVISIONS_BEGIN_ANEW(Invariant.I1),

	/** A lease is taken though the election is paused. */
	TAKES_WHAT_IS_PAUSED(Invariant.I4),

	/** A leader ignores every request to hand over. */
	NEVER_HANDS_OVER(Invariant.I4),

	/** R4: Writes are acknowledged by the primary alone. */
	ACKNOWLEDGES_BEFORE_MAJORITY(Invariant.I1),

	/** R9: The lease is released when the gate closes. */
	RELEASES_BEFORE_THE_DRAIN(Invariant.I5),

	/** S9: A lease that is held but not led is kept. */
	KEEPS_WHAT_IT_DOES_NOT_LEAD(Invariant.I4),

	/** S4: Silence counts from the last read, not from the first. */
	EXPIRY_FROM_THE_LAST_LOOK(Invariant.I4),

	/** What follows from a step is logged before it is done, and tried only once. */
	LOGS_BEFORE_IT_ACTS(Invariant.I3),

	/** Listeners that could not be told at once are never told. */
	TELLS_LISTENERS_ONCE(Invariant.I3),

	/** R3: Clock rates differ by more than the margin covers. */
	CLOCKS_BEYOND_THE_MARGIN(Invariant.I1);

	private final Invariant violates;

	Flaw(Invariant violates) {
		this.violates = violates;
	}

	/** Return the promise that the flaw breaks. */
	Invariant violates() {
		return this.violates;
	}

	@Override
	public SessionProtocol session(String id, Timing timing, LongSupplier numbers) {
		return new FlawedSessions(this, id, timing, numbers);
	}

	@Override
	public ElectionProtocol election(String id, Timing timing, SessionProtocol sessions) {
		return new FlawedElections(this, id, timing, sessions);
	}

	/** Return whether the flaw shows only on days with this fault. */
	boolean needs(Simulation.Fault fault) {
		return (this == TAKES_WHAT_IS_FROM_BEFORE || this == REVISIONS_BEGIN_ANEW)
				&& fault == Simulation.Fault.REMOVE_LEASE;
	}

	/** Return the largest error of clock rates, in millionths. */
	int clockError() {
		return (this == CLOCKS_BEYOND_THE_MARGIN) ? 100_000 : 10_000;
	}

}
