package io.github.leaderelection.engine;

import java.time.Duration;

/**
 * How a simulated process is connected to the database.
 *
 * @param losesRequests whether nothing arrives there
 * @param losesAnswers whether nothing comes back
 * @param slowness how much longer than others a request may take
 * @param answerSlowness how much longer than others an answer may take
 * @param losesReads whether writes arrive alone
 */
record SimulatedLink(boolean losesRequests, boolean losesAnswers, Duration slowness, Duration answerSlowness,
		boolean losesReads) {

	static final SimulatedLink GOOD = new SimulatedLink(false, false, Duration.ZERO, Duration.ZERO, false);

	/** A link that is quick, or carries nothing. */
	static SimulatedLink cut(boolean losesRequests, boolean losesAnswers) {
		return new SimulatedLink(losesRequests, losesAnswers, Duration.ZERO, Duration.ZERO, false);
	}

	/** A link that is slow in both directions. */
	static SimulatedLink slow(Duration slowness) {
		return new SimulatedLink(false, false, slowness, slowness, false);
	}

	/** A link by which requests are quick, and answers may come too late. */
	static SimulatedLink slowToAnswer(Duration slowness) {
		return new SimulatedLink(false, false, Duration.ZERO, slowness, false);
	}

	/** A link that carries writes only: whatever is read may be too large, or locked. */
	static SimulatedLink withoutReads() {
		return new SimulatedLink(false, false, Duration.ZERO, Duration.ZERO, true);
	}

	boolean isGood() {
		return equals(GOOD);
	}

}
