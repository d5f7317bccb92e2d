package io.github.leaderelection.engine;

import java.time.Duration;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * A term without an election, for tests of what runs under it.
 */
public final class TestTerm {

	private final Term term;

	public TestTerm(String election, long number) {
		EngineClock clock = EngineClock.SYSTEM;
		this.term = new Term(election, election, "test", number,
				new Belief(1, clock.now().plus(Duration.ofHours(1)), clock), clock,
				(task) -> new Thread(task, "test-callback").start(), EngineObservers.NONE);
	}

	public long enter(boolean interruptible) {
		return this.term.enter(interruptible);
	}

	public Leadership leadership() {
		return this.term;
	}

	public int inFlight() {
		return this.term.calls().count();
	}

	public void lose() {
		this.term.end(LossReason.EXPIRED);
		this.term.calls().lose();
	}

	/** The leadership of the gated call that the current thread runs. */
	public static @Nullable Leadership current() {
		return GatedCall.currentLeadership();
	}

}
