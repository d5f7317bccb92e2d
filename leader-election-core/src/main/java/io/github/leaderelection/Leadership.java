package io.github.leaderelection;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One uninterrupted leadership of one election: a term. Safe for use by any thread; no
 * method does I/O or blocks.
 */
public interface Leadership {

	/**
	 * Return the election that is led.
	 * @return the election name
	 */
	String election();

	/**
	 * Return the id of the lease in the store: the election name, after the prefix if one
	 * is configured. Where several applications keep data about their terms in one place,
	 * they should keep it under this id.
	 * @return the id of the lease
	 */
	default String leaseId() {
		return election();
	}

	/**
	 * Return the id of the candidate that leads, which is this process.
	 * @return the candidate id
	 */
	String candidateId();

	/**
	 * Return the number of this term, the fencing token: greater than that of every
	 * earlier term of this election, whoever led it.
	 * @return the term, 1 or more
	 */
	long term();

	/**
	 * Return whether this term is still led. Compares clocks and does no I/O. Turns false
	 * by itself, before another process can lead, when no heartbeat of this process was
	 * acknowledged in time, or its lease could not be read in time, also after a long
	 * pause of the process. Once false it is never true again.
	 * <p>
	 * The answer is about now: a process can be paused between this call and the effect
	 * of the next statement. Use {@link #term()} to guard such effects.
	 * @return whether this process leads under this term
	 */
	boolean isHeld();

	/**
	 * Return whether work under this term should come to an end: the term has ended, or
	 * is about to be given up and is held only until work in flight finishes. This is the
	 * case as soon as the application context begins to close. Long-running work that
	 * checks this now and then makes for a quick handover.
	 * @return whether to come to an end; {@code true} once {@link #isHeld()} is
	 * {@code false}
	 */
	default boolean isEnding() {
		return !isHeld();
	}

	/**
	 * Return how long this term lasts unless this process renews its session and reads
	 * its lease in the meantime.
	 * @return the time that remains, {@link Duration#ZERO} when it is no longer held
	 */
	Duration remaining();

	/**
	 * Return why this term has ended.
	 * @return the reason, or empty while it is held
	 */
	Optional<LossReason> lossReason();

	/**
	 * Run a callback once when this term has ended, on a thread for callbacks; at once if
	 * it has ended already. It runs after {@link #isHeld()} has turned false, perhaps
	 * much later, as after a pause of the process.
	 * @param callback what to run, given the reason
	 * @return a registration to close when the callback is no longer needed, such as when
	 * the work it is about is done. Otherwise the callback is kept until the term ends.
	 * @throws UnsupportedOperationException by default
	 */
	default Registration onLost(Consumer<LossReason> callback) {
		throw new UnsupportedOperationException(getClass().getName() + " does not support onLost callbacks");
	}

	/**
	 * Require that this term is still led.
	 * @throws LeadershipLostException if it is not
	 */
	default void requireHeld() {
		if (!isHeld()) {
			throw lostException();
		}
	}

	/**
	 * Return a new exception that says that this term has ended, to be thrown by code
	 * that has found out.
	 * @return the exception
	 */
	default LeadershipLostException lostException() {
		return new LeadershipLostException(this);
	}

	/** A registered callback. */
	interface Registration extends AutoCloseable {

		/**
		 * Forget the callback, unless it is running or has been run.
		 */
		@Override
		void close();

	}

}
