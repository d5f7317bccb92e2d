package io.github.leaderelection.job;

import io.github.leaderelection.job.RunSimulation.Promise;

/**
 * A rule that is broken on purpose, and the promise that is not kept then.
 */
enum RunFlaw {

	/** All rules are kept. */
	NONE(null),

	/** A start is recorded whatever is recorded already. */
	NO_COMPARE_AND_SET(Promise.STARTED_ONCE),

	/** To open a record raises no fence. */
	NO_FENCE(Promise.NOTHING_SILENT),

	/** The start is recorded when the run has ended. */
	RECORDED_AFTER_THE_RUN(Promise.STARTED_ONCE),

	/** The time at which a run happens to begin takes the place of its fire time. */
	OWN_CLOCK_FOR_FIRE_TIME(Promise.STARTED_ONCE),

	/** Who is elected takes everything before for done. */
	RECORD_NOT_LOOKED_AT(Promise.NOT_MISSED),

	/** Who is elected catches up nothing. */
	NOTHING_CAUGHT_UP(Promise.NOT_MISSED),

	/** A run whose term has ended is taken for one that goes on. */
	RUN_OUTLIVES_ITS_TERM(Promise.NOT_MISSED),

	/** The wall clock is believed, however far it is ahead of that of the store. */
	OWN_CLOCK_BELIEVED(Promise.NOT_MISSED),

	/** A start that is taken back makes no room for its fire time. */
	WITHDRAWN_WITHOUT_EFFECT(Promise.NOTHING_SILENT);

	private final Promise violates;

	RunFlaw(Promise violates) {
		this.violates = violates;
	}

	Promise violates() {
		return this.violates;
	}

}
