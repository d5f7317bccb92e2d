package io.github.leaderelection.engine;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Lets everything around the engine throw: a log, user code, a thread, or the JVM. All of
 * it is drawn from one seed, even how often.
 */
final class Surroundings {

	private final Map<Source, Integer> thrown = new EnumMap<>(Source.class);

	private final Dice dice;

	private final int cases;

	private final BooleanSupplier stormy;

	private boolean trying;

	/**
	 * Create surroundings.
	 * @param stormy whether they may throw
	 */
	Surroundings(long seed, BooleanSupplier stormy) {
		// Not the dice of the simulation: throwing leaves the rest of the day unchanged.
		this.dice = new Dice(~seed);
		this.cases = this.dice.pick(List.of(0, 3, 30, 300));
		this.stormy = stormy;
	}

	/** Return how often each source has thrown. */
	Map<Source, Integer> thrown() {
		return this.thrown;
	}

	boolean onceIn(int number) {
		return this.cases > 0 && !this.trying && this.stormy.getAsBoolean() && this.dice.onceIn(number);
	}

	/** Run a trial in which nothing throws and nothing is drawn. */
	<T> T undisturbed(Supplier<T> trial) {
		this.trying = true;
		try {
			return trial.get();
		}
		finally {
			this.trying = false;
		}
	}

	/** Perhaps throw something. */
	void pass(Source source) {
		if (onceIn(this.cases)) {
			this.thrown.merge(source, 1, Integer::sum);
			if (this.dice.onceIn(2)) {
				throw new ThrownError(source);
			}
			throw new ThrownException();
		}
	}

	/** The sources that throw. */
	enum Source {

		/** A call of the log. */
		LOG,

		/** The allocation of a state. */
		STEP,

		/** The allocation of a term. */
		TERM,

		/** The allocation of a notification for a candidate or for listeners. */
		NEWS,

		/** A listener or observer. */
		LISTENER,

		/** A candidate, when it is told of something. */
		CANDIDATE,

		/** A thread that is interrupted. */
		INTERRUPT,

		/** The start of a thread for callbacks. */
		THREAD

	}

	/** Thrown by the surroundings, and by nothing else. */
	interface Thrown {

	}

	private static final class ThrownError extends Error implements Thrown {

		ThrownError(Source source) {
			super("thrown by " + source, null, false, false);
		}

	}

	private static final class ThrownException extends RuntimeException implements Thrown {

		ThrownException() {
			super(null, null, false, false);
		}

		@Override
		public String getMessage() {
			throw new ThrownError(Source.LOG);
		}

	}

}
