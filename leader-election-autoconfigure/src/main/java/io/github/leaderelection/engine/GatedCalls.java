package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls in flight under one term, and the gate that lets them in. Once closed it
 * never opens again.
 * <p>
 * As long as the gate is open, a thread takes one of a few calls that are kept ready, and
 * gives it back in the end, without any lock. To close the gate is to seal them: each is
 * found either free, so that nobody takes it any more, or taken, and is listed from then
 * on. What is listed is added, told and removed under the lock.
 */
final class GatedCalls {

	private static final Logger logger = LoggerFactory.getLogger(GatedCalls.class);

	/** So many calls are kept ready that threads rarely want the same. */
	private static final int READY = 4
			* Integer.highestOneBit(Math.min(16, Runtime.getRuntime().availableProcessors()));

	/** So many are tried: work that blocks may hold them all. */
	private static final int TRIES = 4;

	private final ReentrantLock lock = new ReentrantLock();

	private final Leadership leadership;

	private final GatedCall[] ready;

	private final Set<CallInFlight> listed = new LinkedHashSet<>();

	private final CompletableFuture<Void> drained = new CompletableFuture<>();

	private final Executor lossExecutor;

	private final EngineObservers observers;

	private boolean sealed;

	private boolean closed;

	private boolean lost;

	GatedCalls(Leadership leadership, Executor lossExecutor, EngineObservers observers) {
		this(leadership, READY, lossExecutor, observers);
	}

	/**
	 * Create an open gate.
	 * @param ready the number of calls that are kept ready, a power of two
	 */
	GatedCalls(Leadership leadership, int ready, Executor lossExecutor, EngineObservers observers) {
		this.leadership = leadership;
		this.lossExecutor = lossExecutor;
		this.observers = observers;
		this.ready = new GatedCall[ready];
		for (int i = 0; i < ready; i++) {
			this.ready[i] = new GatedCall(this);
		}
	}

	Leadership leadership() {
		return this.leadership;
	}

	/**
	 * Let a call of the current thread in, unless the gate was closed or leadership lost.
	 * @param now the monotonic time
	 * @return the ticket of the call, or {@link GatedCall#REFUSED}
	 */
	long enter(boolean interruptible, long now) {
		// Asked first: a thread that asks for the first time may run out of memory.
		GatedCall outer = GatedCall.current();
		GatedCall call = take(interruptible);
		if (call == null) {
			return GatedCall.REFUSED;
		}
		try {
			return call.begin(outer, interruptible, now);
		}
		catch (Throwable ex) {
			// As at the end of the stack: nobody has got a ticket that could end it.
			if (!call.giveBack(interruptible)) {
				remove(call);
			}
			throw ex;
		}
	}

	private @Nullable GatedCall take(boolean interruptible) {
		int first = (int) Thread.currentThread().getId();
		for (int i = 0; i < TRIES; i++) {
			GatedCall call = this.ready[(first + i) & (this.ready.length - 1)];
			if (call.take(interruptible)) {
				return call;
			}
		}
		return list(interruptible);
	}

	/** Let a call in for which there is none ready, or which is too late. */
	private @Nullable GatedCall list(boolean interruptible) {
		this.lock.lock();
		try {
			if (this.sealed) {
				return null;
			}
			GatedCall call = new GatedCall(this);
			call.take(interruptible);
			call.seal();
			this.listed.add(call);
			return call;
		}
		finally {
			this.lock.unlock();
		}
	}

	DetachedCall detach(GatedCall call, @Nullable Runnable onLoss) {
		DetachedCall detached;
		boolean interrupted;
		Runnable action;
		this.lock.lock();
		try {
			// Once given back, it may be another's.
			detached = new DetachedCall(call, onLoss);
			interrupted = call.isInterrupted();
			// Whatever fails, the work must stay in flight until it is ended.
			this.listed.add(detached);
			call.unlink();
			if (!call.giveBack()) {
				this.listed.remove(call);
			}
			action = this.lost ? detached.lose() : null;
		}
		finally {
			this.lock.unlock();
		}
		if (interrupted) {
			GatedCall.takeInterruptBack();
		}
		if (action != null) {
			tell(action);
		}
		return detached;
	}

	/** Remove a call that has ended, if it is listed. */
	void remove(CallInFlight call) {
		boolean last;
		this.lock.lock();
		try {
			if (!this.listed.remove(call)) {
				return;
			}
			last = this.closed && this.listed.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
		call.onEnd();
		if (last) {
			this.drained.complete(null);
		}
		ended(call.startedAt(), call.wasTold());
	}

	/** Let observers know of a call that has ended. */
	void ended(long startedAt, boolean told) {
		this.observers.callEnded(this.leadership.election(), startedAt, told);
	}

	/** Let no further call in. */
	void close() {
		boolean empty;
		this.lock.lock();
		try {
			this.closed = true;
			seal();
			empty = this.listed.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
		if (empty) {
			this.drained.complete(null);
		}
	}

	/**
	 * Return a stage that completes when the gate is closed and the last call in flight
	 * has ended, in the thread that ended it.
	 */
	CompletableFuture<Void> drained() {
		return this.drained;
	}

	/** Tell the calls in flight that leadership is lost, and let no further call in. */
	void lose() {
		List<Runnable> actions = new ArrayList<>();
		this.lock.lock();
		try {
			if (this.lost) {
				return;
			}
			this.lost = true;
			seal();
			for (CallInFlight call : this.listed) {
				Runnable action = call.lose();
				if (action != null) {
					actions.add(action);
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		actions.forEach(this::tell);
	}

	private void seal() {
		this.sealed = true;
		for (GatedCall call : this.ready) {
			if (call.seal()) {
				this.listed.add(call);
			}
		}
	}

	private void tell(Runnable action) {
		try {
			this.lossExecutor.execute(action);
		}
		catch (Throwable ex) {
			// Whoever ends the term must get on with it.
			logger.error("A call in flight can't be told that leadership is lost", ex);
		}
	}

	int count() {
		this.lock.lock();
		try {
			int count = this.listed.size();
			for (GatedCall call : this.ready) {
				count += call.isTaken() ? 1 : 0;
			}
			return count;
		}
		finally {
			this.lock.unlock();
		}
	}

}
