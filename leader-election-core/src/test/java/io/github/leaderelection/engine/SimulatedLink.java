package io.github.leaderelection.engine;

/**
 * How a simulated process is connected to the database.
 *
 * @param losesRequests whether nothing arrives there
 * @param losesAnswers whether nothing comes back
 * @param slowness how many milliseconds a message may take
 */
record SimulatedLink(boolean losesRequests, boolean losesAnswers, int slowness) {

	static final SimulatedLink GOOD = new SimulatedLink(false, false, 5);

	boolean isGood() {
		return equals(GOOD);
	}

}
