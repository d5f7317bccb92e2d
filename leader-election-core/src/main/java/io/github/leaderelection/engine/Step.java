package io.github.leaderelection.engine;

import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * What follows from something that happened: the next state, and at most one thing to do
 * about it inside this process.
 *
 * @param state the state from now on
 * @param effect what to do, or {@code null}
 */
record Step(ElectionState state, @Nullable Effect effect) {

	static Step to(ElectionState state) {
		return new Step(state, null);
	}

	/** What a step asks of this process. */
	sealed interface Effect {

	}

	/** A term begins. */
	record Elected(long term, Moment deadline) implements Effect {

	}

	/** The term was renewed. */
	record Extended(Moment deadline) implements Effect {

	}

	/**
	 * Close the gate, let the work in flight finish, tell the candidates, then settle.
	 */
	record Drain(LossReason reason) implements Effect {

	}

	/** The term is over at once: stop the work, tell the candidates, then settle. */
	record Lost(LossReason reason, boolean drainTimedOut) implements Effect {

	}

}
