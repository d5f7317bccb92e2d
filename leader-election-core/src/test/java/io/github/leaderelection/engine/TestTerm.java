package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.jspecify.annotations.Nullable;

/**
 * A term without an election, for tests of what runs under it.
 */
public final class TestTerm {

	private final Term term;

	private final Queue<Thread> callbacks = new ConcurrentLinkedQueue<>();

	public TestTerm(String election, long number) {
		this.term = term(election, number, Duration.ofHours(1), EngineClock.SYSTEM, this::callBack, () -> {
		});
	}

	/** Return a term that is held for some time. */
	static Term term(String election, long number, Duration held, EngineClock clock, Executor threads,
			Runnable drained) {
		Moment until = clock.now().plus(held);
		return term(election, number, new Deadline(until, clock), until, clock, threads, drained);
	}

	static Term term(String election, long number, Deadline session, Moment validUntil, EngineClock clock,
			Executor threads, Runnable drained) {
		EngineContext context = new EngineContext("me", LeaseStore.forElections(new InMemoryRecordStores(), ""), clock,
				threads, List.of(), () -> {
				});
		return new Term(context, election, number, session, validUntil, drained);
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

	/** Wait until all listeners have been told that the term is lost. */
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

	/** Return the leadership of the gated call that the current thread runs. */
	public static @Nullable Leadership current() {
		return WorkScope.find(Leadership.class);
	}

}
