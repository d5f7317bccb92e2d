package io.github.leaderelection.engine;

import java.time.Duration;

/**
 * The connection of a simulated process to the database.
 *
 * @param losesRequests whether requests are lost
 * @param losesAnswers whether answers are lost
 * @param slowness how much longer than usual a request may take
 * @param answerSlowness how much longer than usual an answer may take
 * @param losesReads whether only writes arrive
 */
record SimulatedLink(boolean losesRequests, boolean losesAnswers, Duration slowness, Duration answerSlowness,
		boolean losesReads) {

	static final SimulatedLink GOOD = new SimulatedLink(false, false, Duration.ZERO, Duration.ZERO, false);

	/** Return a quick link that loses requests, answers or both. */
	static SimulatedLink cut(boolean losesRequests, boolean losesAnswers) {
		return new SimulatedLink(losesRequests, losesAnswers, Duration.ZERO, Duration.ZERO, false);
	}

	/** Return a link that is slow in both directions. */
	static SimulatedLink slow(Duration slowness) {
		return new SimulatedLink(false, false, slowness, slowness, false);
	}

	/** Return a link with quick requests, whose answers may come too late. */
	static SimulatedLink slowToAnswer(Duration slowness) {
		return new SimulatedLink(false, false, Duration.ZERO, slowness, false);
	}

	/** Return a link that carries only writes: reads may be too large, or locked. */
	static SimulatedLink withoutReads() {
		return new SimulatedLink(false, false, Duration.ZERO, Duration.ZERO, true);
	}

	boolean isGood() {
		return equals(GOOD);
	}

}
