package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Comparator;

/**
 * How often in a row nobody knew how a change of one lease had ended. A document may be
 * locked, by a transaction or a repair, and a command that changes many waits for it:
 * what has failed together is tried apart, in little time, and so delays no other for
 * long. Used under the lock of {@link Elections} only.
 */
final class Setbacks {

	/** How many are tried together that have failed once. */
	private static final int SOME = 32;

	/** From when on one of them is given all the time there is: the store may be slow. */
	private static final int MANY = 4;

	private final Duration pollInterval;

	private int number;

	private long notBefore;

	Setbacks(ElectionSettings settings) {
		this.pollInterval = settings.pollInterval();
	}

	/** Return who goes first: who has failed least, then who has waited longest. */
	static Comparator<Setbacks> inTurn(Moment now) {
		return Comparator.comparingInt(Setbacks::number).thenComparingLong((each) -> each.notBefore - now.nanos());
	}

	/** A change has failed. */
	void failed(Moment now) {
		this.number = Math.min(this.number + 1, MANY);
		this.notBefore = now.plus(this.pollInterval.multipliedBy(1L << (this.number - 1))).nanos();
	}

	/**
	 * A change was answered, or somebody else has made one; or something else was not
	 * answered, and it is not about this lease.
	 */
	void forget() {
		this.number = 0;
	}

	int number() {
		return this.number;
	}

	/** Return how many that have failed as often may be tried together. */
	int together() {
		return (this.number == 0) ? Integer.MAX_VALUE : (this.number == 1) ? SOME : 1;
	}

	/** Return how long the next change may take. */
	Duration limit(Duration most) {
		boolean brief = this.number > 0 && this.number < MANY;
		return brief ? Rhythm.shorter(this.pollInterval.dividedBy(2), most) : most;
	}

	/** Return whether it is too early for the next change. */
	boolean isToWait(Moment now) {
		return this.number > 0 && now.nanos() - this.notBefore < 0;
	}

	/** Return when the next change may be tried; monotonic time. */
	long notBefore() {
		return this.notBefore;
	}

}
