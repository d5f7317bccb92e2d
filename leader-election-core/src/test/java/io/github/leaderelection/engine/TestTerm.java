package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.jspecify.annotations.Nullable;

/**
 * A term without an election, for tests of what runs under it.
 */
public final class TestTerm {

	private final Term term;

	private final Queue<Thread> callbacks = new ConcurrentLinkedQueue<>();

	public TestTerm(String election, long number) {
		EngineClock clock = EngineClock.SYSTEM;
		this.term = new Term(election, election, "test", number,
				new Deadline(clock.now().plus(Duration.ofHours(1)), clock), clock.now().plus(Duration.ofHours(1)),
				clock, this::callBack, EngineObservers.NONE);
	}

	private void callBack(Runnable task) {
		Thread thread = new Thread(task, "test-callback");
		this.callbacks.add(thread);
		thread.start();
	}

	public @Nullable GatedCall enter(boolean interruptible) {
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

	/** Wait until all have been told that the term is lost. */
	public void awaitTold() {
		try {
			for (Thread callback : this.callbacks) {
				callback.join();
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The leadership of the gated call that the current thread runs. */
	public static @Nullable Leadership current() {
		return WorkScope.find(Leadership.class);
	}

}
