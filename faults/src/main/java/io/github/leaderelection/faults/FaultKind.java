package io.github.leaderelection.faults;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What can go wrong. Faults of the two sides can be combined, those of one side not.
 */
enum FaultKind {

	// Ended by the kernel, and started again some time later.
	LEADER_KILLED(Side.CANDIDATES, Effect.CRASH),

	FOLLOWER_KILLED(Side.CANDIDATES, Effect.DISTURBANCE),

	// Stopped in time, and resumed.
	LEADER_PAUSED(Side.CANDIDATES, Effect.CRASH),

	FOLLOWER_PAUSED(Side.CANDIDATES, Effect.DISTURBANCE),

	LEADER_TERMINATED(Side.CANDIDATES, Effect.HANDOVER),

	LEADER_RESIGNS(Side.CANDIDATES, Effect.HANDOVER),

	LEADER_CUT_OFF(Side.CANDIDATES, Effect.CRASH),

	LEADER_RESET(Side.CANDIDATES, Effect.CRASH),

	LEADER_REQUESTS_LOST(Side.CANDIDATES, Effect.CRASH),

	// Renewals arrive, and their answers don't.
	LEADER_REPLIES_LOST(Side.CANDIDATES, Effect.DISTURBANCE),

	LEADER_LINK_LOSSY(Side.CANDIDATES, Effect.DISTURBANCE),

	FOLLOWER_CUT_OFF(Side.CANDIDATES, Effect.DISTURBANCE),

	CANDIDATE_CLOCK_AHEAD(Side.CANDIDATES, Effect.DISTURBANCE),

	CANDIDATE_CLOCK_BEHIND(Side.CANDIDATES, Effect.DISTURBANCE),

	PRIMARY_KILLED(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_PAUSED(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_STEPS_DOWN(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_ISOLATED(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_ISOLATED_BY_RESETS(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_CUT_OFF_FROM_PEERS(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_RESET_FROM_PEERS(Side.MONGODB, Effect.DISTURBANCE),

	// A failover to a node whose clock is wrong.
	PRIMARY_CLOCK_AHEAD(Side.MONGODB, Effect.DISTURBANCE),

	PRIMARY_CLOCK_BEHIND(Side.MONGODB, Effect.DISTURBANCE),

	DISKS_SLOW(Side.MONGODB, Effect.DISTURBANCE),

	ALL_PAUSED(Side.MONGODB, Effect.DISTURBANCE),

	ALL_KILLED(Side.MONGODB, Effect.DISTURBANCE),

	NETWORK_SLOW(Side.MONGODB, Effect.DISTURBANCE);

	private final Side side;

	private final Effect effect;

	FaultKind(Side side, Effect effect) {
		this.side = side;
		this.effect = effect;
	}

	static List<FaultKind> of(Side side) {
		return Arrays.stream(values()).filter((kind) -> kind.side == side).toList();
	}

	Side side() {
		return this.side;
	}

	Effect effect() {
		return this.effect;
	}

	/**
	 * Return whether it is over by itself.
	 */
	boolean isMomentary() {
		return this.effect == Effect.HANDOVER || this == PRIMARY_STEPS_DOWN;
	}

	/**
	 * Return whether a candidate that leads is hit.
	 */
	boolean hitsLeader() {
		return name().startsWith("LEADER_");
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	/**
	 * Who is hit.
	 */
	enum Side {

		CANDIDATES, MONGODB

	}

	/**
	 * What follows for the one that leads.
	 */
	enum Effect {

		/** No renewal of it arrives any more, and the others can take over. */
		CRASH,

		/** It hands over. */
		HANDOVER,

		/** It may lose its term or keep it. */
		DISTURBANCE

	}

}
