package io.github.leaderelection.engine;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Performs actions one after the other even if some of them fail, and keeps the last
 * failure. Actions that failed stay pending, and are tried again in the next round.
 */
final class Suppressed {

	private static final EngineLog log = EngineLog.of(Suppressed.class);

	private volatile @Nullable Throwable last;

	private volatile boolean reported;

	/**
	 * Perform the action for each element even if some fail, and throw the last failure.
	 */
	static <T> void forEach(Iterable<T> all, Consumer<? super T> action) {
		Suppressed failures = new Suppressed();
		all.forEach((each) -> failures.attempt(() -> action.accept(each)));
		failures.rethrow();
	}

	/** Begin another round. */
	void begin() {
		this.last = null;
	}

	/** Perform the action, and keep its failure if it throws. */
	void attempt(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			add(ex);
		}
	}

	void add(Throwable failure) {
		this.last = failure;
	}

	/** Return whether nothing has failed in the last round. */
	boolean isEmpty() {
		return this.last == null;
	}

	/** Throw the last failure, if there is one. */
	void rethrow() {
		Throwable failure = this.last;
		if (failure instanceof Error error) {
			throw error;
		}
		if (failure instanceof RuntimeException exception) {
			throw exception;
		}
		if (failure != null) {
			// A checked exception, from code in another language or a careless proxy.
			throw new IllegalStateException(failure);
		}
	}

	/** Log the first of several failed rounds in a row. */
	void report(String election) {
		Throwable failure = this.last;
		boolean news = !this.reported;
		this.reported = failure != null;
		if (failure != null && news) {
			log.tell(failure,
					(logger, cause) -> logger.error(
							"Election '{}': a callback or a change of state failed; retrying every 100 ms", election,
							cause));
		}
	}

}
