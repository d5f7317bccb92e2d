package io.github.leaderelection.job;

import io.github.leaderelection.job.RunSimulation.Promise;

/**
 * A rule that is broken on purpose, and the promise that this breaks.
 */
enum RunFlaw {

	/** All rules are kept. */
	NONE(null),

	/** A start is recorded whatever is recorded already. */
	NO_COMPARE_AND_SET(Promise.STARTED_ONCE),

	/** Opening a record does not raise the fence. */
	NO_FENCE(Promise.NOTHING_SILENT),

	/** The start is recorded only after the run has ended. */
	RECORDED_AFTER_THE_RUN(Promise.STARTED_ONCE),

	/** The time at which a run begins is used as its fire time. */
	OWN_CLOCK_FOR_FIRE_TIME(Promise.STARTED_ONCE),

	/** A new leader takes everything before its election as done. */
	RECORD_NOT_LOOKED_AT(Promise.NOT_MISSED),

	/** A new leader catches up nothing. */
	NOTHING_CAUGHT_UP(Promise.NOT_MISSED),

	/** A run whose term has ended is treated as still running. */
	RUN_OUTLIVES_ITS_TERM(Promise.NOT_MISSED),

	/** The wall clock is trusted, however far it is ahead of the store's. */
	OWN_CLOCK_BELIEVED(Promise.NOT_MISSED),

	/** Taking back a start does not free its fire time. */
	WITHDRAWN_WITHOUT_EFFECT(Promise.NOTHING_SILENT);

	private final Promise violates;

	RunFlaw(Promise violates) {
		this.violates = violates;
	}

	Promise violates() {
		return this.violates;
	}

}
