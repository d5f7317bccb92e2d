package io.github.leaderelection.engine;

import org.jspecify.annotations.Nullable;

/**
 * Things that are attempted, each whatever has become of the others. What has failed is
 * remembered: it is still owed, and tried again in the next round.
 */
final class Attempts {

	private static final EngineLog log = EngineLog.of(Attempts.class);

	private volatile @Nullable Throwable failure;

	private boolean reported;

	/** Another round begins. */
	void begin() {
		this.failure = null;
	}

	/** Do this. */
	void attempt(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	void failed(Throwable ex) {
		this.failure = ex;
	}

	/** Return whether something has failed in the last round. */
	boolean haveFailed() {
		return this.failure != null;
	}

	/** Throw the last failure, if there is one. */
	void rethrow() {
		Failures.rethrow(this.failure);
	}

	/** Tell of the first round that has failed, until one has not. */
	void report(String election) {
		Throwable problem = this.failure;
		boolean known = this.reported;
		this.reported = problem != null;
		if (problem != null && !known) {
			log.tell(problem,
					(logger, cause) -> logger.error(
							"Something that leader election in '{}' has to do has failed; it is tried again", election,
							cause));
		}
	}

}
