package io.github.leaderelection.faults;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The faults that are injected. Only faults of different sides can be combined.
 */
enum FaultKind {

	// Killed by SIGKILL, and restarted some time later.
	LEADER_KILLED(Side.CANDIDATES, Effect.CRASH),

	FOLLOWER_KILLED(Side.CANDIDATES, Effect.DISTURBANCE),

	// Stopped by SIGSTOP, and resumed.
	LEADER_PAUSED(Side.CANDIDATES, Effect.CRASH),

	FOLLOWER_PAUSED(Side.CANDIDATES, Effect.DISTURBANCE),

	LEADER_TERMINATED(Side.CANDIDATES, Effect.HANDOVER),

	LEADER_RESIGNS(Side.CANDIDATES, Effect.HANDOVER),

	LEADER_CUT_OFF(Side.CANDIDATES, Effect.CRASH),

	LEADER_RESET(Side.CANDIDATES, Effect.CRASH),

	LEADER_REQUESTS_LOST(Side.CANDIDATES, Effect.CRASH),

	// Renewals arrive, but their answers are lost.
	LEADER_REPLIES_LOST(Side.CANDIDATES, Effect.DISTURBANCE),

	LEADER_LINK_LOSSY(Side.CANDIDATES, Effect.DISTURBANCE),

	FOLLOWER_CUT_OFF(Side.CANDIDATES, Effect.DISTURBANCE),

	CANDIDATE_CLOCK_AHEAD(Side.CANDIDATES, Effect.DISTURBANCE),

	CANDIDATE_CLOCK_BEHIND(Side.CANDIDATES, Effect.DISTURBANCE),

	// The server terminates all connections of the leader at once.
	LEADER_DISCONNECTED(Side.CANDIDATES, Effect.DISTURBANCE, Database.POSTGRESQL),

	// Other work of the same process holds all connections of its pool.
	LEADER_POOL_EXHAUSTED(Side.CANDIDATES, Effect.DISTURBANCE, Database.POSTGRESQL),

	PRIMARY_KILLED(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_PAUSED(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_STEPS_DOWN(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_ISOLATED(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_ISOLATED_BY_RESETS(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_CUT_OFF_FROM_PEERS(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_RESET_FROM_PEERS(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	// A failover to a node whose clock is wrong.
	PRIMARY_CLOCK_AHEAD(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	PRIMARY_CLOCK_BEHIND(Side.SERVERS, Effect.DISTURBANCE, Database.MONGODB),

	// An open transaction has locked all leases and sessions.
	ROWS_LOCKED(Side.SERVERS, Effect.DISTURBANCE, Database.POSTGRESQL),

	// A backend is killed, so the server ends all the others and reinitializes.
	BACKEND_KILLED(Side.SERVERS, Effect.DISTURBANCE, Database.POSTGRESQL),

	DISKS_SLOW(Side.SERVERS, Effect.DISTURBANCE),

	ALL_PAUSED(Side.SERVERS, Effect.DISTURBANCE),

	ALL_KILLED(Side.SERVERS, Effect.DISTURBANCE),

	NETWORK_SLOW(Side.SERVERS, Effect.DISTURBANCE);

	private final Side side;

	private final Effect effect;

	private final @Nullable Database only;

	FaultKind(Side side, Effect effect) {
		this(side, effect, null);
	}

	FaultKind(Side side, Effect effect, @Nullable Database only) {
		this.side = side;
		this.effect = effect;
		this.only = only;
	}

	boolean concerns(Database database) {
		return this.only == null || this.only == database;
	}

	Side side() {
		return this.side;
	}

	Effect effect() {
		return this.effect;
	}

	/**
	 * Return whether the fault ends by itself.
	 */
	boolean isMomentary() {
		return this.effect == Effect.HANDOVER || this == PRIMARY_STEPS_DOWN || this == LEADER_DISCONNECTED
				|| this == BACKEND_KILLED;
	}

	/**
	 * Return whether the fault hits a leader.
	 */
	boolean hitsLeader() {
		return name().startsWith("LEADER_");
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	/**
	 * The side that a fault hits.
	 */
	enum Side {

		CANDIDATES, SERVERS

	}

	/**
	 * The effect on a leader that is hit.
	 */
	enum Effect {

		/** Its renewals stop arriving, and the others can take over. */
		CRASH,

		/** It hands over. */
		HANDOVER,

		/** It may lose its term or keep it. */
		DISTURBANCE

	}

}
