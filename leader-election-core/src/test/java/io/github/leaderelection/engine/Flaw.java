package io.github.leaderelection.engine;

import java.util.function.LongSupplier;

import io.github.leaderelection.engine.Invariants.Invariant;
import io.github.leaderelection.protocol.ElectionProtocol;
import io.github.leaderelection.protocol.SessionProtocol;
import io.github.leaderelection.protocol.Timing;

/**
 * Ways to break the protocol, each of which a simulation must notice. How each does is in
 * {@link FlawedSessions}, {@link FlawedElections}, {@link SimulatedMember} and
 * {@link SimulatedMongo}, or in the clocks.
 */
enum Flaw implements ElectionRegistry.Protocols {

	/** The protocol as it is. */
	NONE(null),

	/** R3: The leader believes for the whole time to live. */
	NO_MARGIN(Invariant.I1),

	/** S2: The deadline is counted from when the answer came. */
	DEADLINE_FROM_THE_ANSWER(Invariant.I1),

	/** S2: The deadline is counted from when a revision was sent last. */
	DEADLINE_FROM_THE_LAST_SENDING(Invariant.I1),

	/** S4: A process has been silent for too long when the wall clocks say so. */
	EXPIRY_BY_WALL_CLOCK(Invariant.I1),

	/**
	 * S4: A process has been silent for too long a tenth of its time to live too early.
	 */
	WATCHES_FOR_TOO_SHORT(Invariant.I1),

	/** S4: Each candidate waits for as long as its own leases live. */
	OWN_TTL_INSTEAD_OF_THE_HOLDERS(Invariant.I1),

	/** S4: A lease is taken from who is silent, without its session being ended. */
	TAKES_WITHOUT_ENDING(Invariant.I1),

	/** S4: A session is ended though it was renewed meanwhile. */
	ENDS_BY_ID_ALONE(Invariant.I1),

	/** S6: A process without a session counts as dead at once. */
	MISSING_IS_ENDED(Invariant.I1),

	/** S6: A lease is taken from who has had no session for long enough, by looks. */
	TAKES_WHERE_NOTHING_IS(Invariant.I1),

	/** R1: A lease is taken though it has changed meanwhile. */
	TAKES_BY_ID_ALONE(Invariant.I1),

	/** R1: A release does not name whose lease it releases. */
	RELEASES_BY_ID_ALONE(Invariant.I1),

	/** S9: A release names the holder, and not what it held. */
	RELEASES_BY_HOLDER_ALONE(Invariant.I1),

	/** R2: One's own lease is taken again under the term it has. */
	SAME_TERM_FOR_ITS_OWN_LEASE(Invariant.I2),

	/** R5: A look that shows its own lease makes a leader. */
	BELIEVES_A_READ(Invariant.I2),

	/** S8: The time counts from when a read was answered. */
	LOOK_FROM_THE_ANSWER(Invariant.I1),

	/** R11: A lease that is missing is free at once. */
	MISSING_LEASE_IS_FREE(Invariant.I1),

	/** R11: A lease that was made in place of a later one is free at once. */
	TAKES_WHAT_IS_FROM_BEFORE(Invariant.I1),

	/**
	 * R1: A lease that is made anew has the revisions of the one before: what was meant
	 * for that finds this one.
	 */
	REVISIONS_BEGIN_ANEW(Invariant.I1),

	/** A lease is taken though the election is paused. */
	TAKES_WHAT_IS_PAUSED(Invariant.I4),

	/** Nobody hands over, whatever is asked of it. */
	NEVER_HANDS_OVER(Invariant.I4),

	/** R4: Writes are acknowledged by the primary alone. */
	ACKNOWLEDGES_BEFORE_MAJORITY(Invariant.I1),

	/** R9: The lease is released when the gate closes. */
	RELEASES_BEFORE_THE_DRAIN(Invariant.I5),

	/** S9: What is held and not led is kept. */
	KEEPS_WHAT_IT_DOES_NOT_LEAD(Invariant.I4),

	/** S4: The time counts from the last look, not from the first. */
	EXPIRY_FROM_THE_LAST_LOOK(Invariant.I4),

	/** What follows from a state is logged before it is done, and tried once. */
	LOGS_BEFORE_IT_ACTS(Invariant.I3),

	/** What listeners could not be told at once is not told later. */
	TELLS_LISTENERS_ONCE(Invariant.I3),

	/** R3: Clocks differ in their rates by more than the margin covers. */
	CLOCKS_BEYOND_THE_MARGIN(Invariant.I1);

	private final Invariant violates;

	Flaw(Invariant violates) {
		this.violates = violates;
	}

	/** Return which promise it breaks. */
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

	/** Return whether it shows only on days with this fault. */
	boolean needs(Simulation.Fault fault) {
		return (this == TAKES_WHAT_IS_FROM_BEFORE || this == REVISIONS_BEGIN_ANEW)
				&& fault == Simulation.Fault.REMOVE_LEASE;
	}

	/** Return by how many millionths clocks are fast or slow at most. */
	int clockError() {
		return (this == CLOCKS_BEYOND_THE_MARGIN) ? 100_000 : 10_000;
	}

}
