package io.github.leaderelection.engine;

import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What has been done of what a term asks for. Each thing is attempted whatever has become
 * of the others, and what has failed is remembered.
 */
final class Duties {

	private static final EngineLog log = EngineLog.of(Participation.class);

	private final Set<Duty> done = EnumSet.noneOf(Duty.class);

	private volatile @Nullable Throwable failure;

	private boolean reported;

	/** Another round of attempts begins. */
	void begin() {
		this.failure = null;
	}

	/** Another term begins. */
	void forget() {
		this.done.clear();
	}

	/** Do this, unless it was done before. */
	void once(Duty duty, Runnable action) {
		if (!this.done.contains(duty)) {
			try {
				action.run();
				this.done.add(duty);
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}
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

	boolean isDone(Duty duty) {
		return this.done.contains(duty);
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

	/** What is to be done once in each term. */
	enum Duty {

		/** Tell listeners that it has begun. */
		TELL_ELECTED,

		/** Log that it has begun. */
		LOG_ELECTED,

		/** Close the gate. */
		CLOSE,

		/** Ask to be woken when no call is in flight any more. */
		AWAIT_DRAIN,

		/** Log that it is handed over. */
		LOG_DRAIN,

		/** Let observers know how long calls were waited for. */
		OBSERVE_DRAIN,

		/** Log that work is not waited for. */
		LOG_LEFT_BEHIND,

		/** Tell listeners that it has ended. */
		TELL_DEFEATED,

		/** Log that it was lost. */
		LOG_LOST

	}

}
