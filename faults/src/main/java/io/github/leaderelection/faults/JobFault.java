package io.github.leaderelection.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * A fault around a fire time.
 *
 * @param kind the kind of fault
 * @param offset when it begins, relative to the fire time, by the leader's clock
 * @param length how long it lasts
 */
record JobFault(Kind kind, Duration offset, Duration length) {

	static JobFault draw(Random random, List<Kind> kinds) {
		return new JobFault(kinds.get(random.nextInt(kinds.size())), Duration.ofMillis(random.nextInt(-1000, 1001)),
				Duration.ofMillis(random.nextInt(1000, 6001)));
	}

	/** The kinds of fault. */
	enum Kind {

		/** The leader is killed, and started again. */
		KILLED,

		/** The leader gets SIGTERM, and is started again. */
		TERMINATED,

		/** The leader is stopped by SIGSTOP for a while. */
		PAUSED,

		/** The MongoDB primary steps down. */
		PRIMARY_STEPS_DOWN

	}

}
