package io.github.leaderelection.benchmarks;

/**
 * How often something is measured.
 */
final class Rounds {

	/** The system property that shortens a trial run. */
	private static final int DIVISOR = Integer.getInteger("benchmarks.trial", 1);

	private Rounds() {
	}

	static boolean isTrial() {
		return DIVISOR > 1;
	}

	static int of(int number) {
		return Math.max(2, number / DIVISOR);
	}

}
