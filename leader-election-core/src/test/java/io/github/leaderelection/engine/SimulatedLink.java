package io.github.leaderelection.engine;

import java.time.Duration;

/**
 * How a simulated process is connected to the database.
 *
 * @param losesRequests whether nothing arrives there
 * @param losesAnswers whether nothing comes back
 * @param slowness how much longer than others a request may take
 * @param answerSlowness how much longer than others an answer may take
 */
record SimulatedLink(boolean losesRequests, boolean losesAnswers, Duration slowness, Duration answerSlowness) {

	static final SimulatedLink GOOD = new SimulatedLink(false, false, Duration.ZERO, Duration.ZERO);

	/** A link that is quick, or carries nothing. */
	static SimulatedLink cut(boolean losesRequests, boolean losesAnswers) {
		return new SimulatedLink(losesRequests, losesAnswers, Duration.ZERO, Duration.ZERO);
	}

	/** A link that is slow in both directions. */
	static SimulatedLink slow(Duration slowness) {
		return new SimulatedLink(false, false, slowness, slowness);
	}

	/** A link by which requests are quick, and answers may come too late. */
	static SimulatedLink slowToAnswer(Duration slowness) {
		return new SimulatedLink(false, false, Duration.ZERO, slowness);
	}

	boolean isGood() {
		return equals(GOOD);
	}

}
