package io.github.leaderelection.engine;

import org.jspecify.annotations.Nullable;

/**
 * What to do with failures that had to wait until everything else had its turn.
 */
final class Failures {

	private Failures() {
	}

	/** Throw the failure, if there is one. */
	static void rethrow(@Nullable Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		if (failure instanceof RuntimeException exception) {
			throw exception;
		}
		if (failure != null) {
			// From code in another language, or a careless proxy.
			throw new IllegalStateException(failure);
		}
	}

}
