package io.github.leaderelection.engine;

import java.util.function.Consumer;

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

	/** Do this for each, whatever becomes of the others, and throw the last failure. */
	static <T> void forEach(Iterable<T> all, Consumer<? super T> action) {
		Throwable failure = null;
		for (T each : all) {
			try {
				action.accept(each);
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		rethrow(failure);
	}

}
