package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls in flight under one term, and the gate that lets them in. Once closed it
 * never opens again.
 */
final class GatedCalls {

	/** The innermost call that the current thread runs. */
	static final ThreadLocal<@Nullable GatedCall> CURRENT = new ThreadLocal<>();

	private static final Logger logger = LoggerFactory.getLogger(GatedCalls.class);

	private final ReentrantLock lock = new ReentrantLock();

	private final List<GatedCall> inFlight = new ArrayList<>();

	private final CompletableFuture<Void> drained = new CompletableFuture<>();

	private final Executor lossExecutor;

	private final EngineObservers observers;

	private boolean closed;

	private boolean lost;

	GatedCalls(Executor lossExecutor, EngineObservers observers) {
		this.lossExecutor = lossExecutor;
		this.observers = observers;
	}

	@Nullable GatedCall enter(Term term, boolean interruptible) {
		GatedCall call = new GatedCall(term, Thread.currentThread(), interruptible, CURRENT.get(),
				this.observers.now());
		this.lock.lock();
		try {
			// Asked under the lock: a call is either refused, or seen by close and lose.
			if (this.closed || !term.isHeld()) {
				return null;
			}
			this.inFlight.add(call);
		}
		finally {
			this.lock.unlock();
		}
		CURRENT.set(call);
		return call;
	}

	void release(GatedCall call) {
		this.lock.lock();
		try {
			call.forgetThread();
		}
		finally {
			this.lock.unlock();
		}
	}

	void detach(GatedCall call, @Nullable Runnable onLoss) {
		Runnable action;
		this.lock.lock();
		try {
			call.setOnLoss(onLoss);
			action = this.lost ? call.takeOnLoss() : null;
		}
		finally {
			this.lock.unlock();
		}
		if (action != null) {
			tell(action);
		}
	}

	void remove(GatedCall call) {
		boolean last;
		this.lock.lock();
		try {
			if (!this.inFlight.remove(call)) {
				return;
			}
			last = this.closed && this.inFlight.isEmpty();
		}
		finally {
			this.lock.unlock();
		}
		if (last) {
			this.drained.complete(null);
		}
		this.observers.callEnded(call.leadership().election(), call.startedAt(), call.wasTold());
	}

	/** Let no further call in. */
	void close() {
		boolean empty;
		this.lock.lock();
		try {
			this.closed = true;
			empty = this.inFlight.isEmpty();
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

	/** Tell the calls in flight that leadership is lost. */
	void lose() {
		List<Runnable> actions = new ArrayList<>();
		this.lock.lock();
		try {
			if (this.lost) {
				return;
			}
			this.lost = true;
			for (GatedCall call : this.inFlight) {
				call.interrupt();
				Runnable action = call.takeOnLoss();
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
			return this.inFlight.size();
		}
		finally {
			this.lock.unlock();
		}
	}

}
