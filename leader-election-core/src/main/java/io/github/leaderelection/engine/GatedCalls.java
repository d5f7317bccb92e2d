package io.github.leaderelection.engine;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * The calls in flight under one term, and the gate that lets them in. Once closed, the
 * gate never opens again. No foreign code runs under its lock.
 */
final class GatedCalls {

	private final Leadership leadership;

	private final EngineObservers observers;

	private final Runnable onDrained;

	// Guarded by this

	// Not a linked set: a stack overflow during a removal can leave the removed call in
	// its links. Created with the first call, since there may be thousands of terms
	// without any.
	private Set<GatedCall> calls = Collections.emptySet();

	private boolean closed;

	private boolean lost;

	private boolean drained;

	/**
	 * Create an open gate.
	 * @param onDrained run once when the gate is closed and the last call in flight has
	 * ended, in the thread that ended it or {@linkplain #isDrained found out}
	 */
	GatedCalls(Leadership leadership, EngineObservers observers, Runnable onDrained) {
		this.leadership = leadership;
		this.observers = observers;
		this.onDrained = onDrained;
	}

	Leadership leadership() {
		return this.leadership;
	}

	/**
	 * Let a call of the current thread in, unless leadership was lost. Once the gate is
	 * closed, only a call inside one in flight is let in, since that one is waited for
	 * anyway.
	 * @param now the monotonic time
	 * @return the call, or {@code null}
	 */
	@Nullable GatedCall enter(boolean interruptible, long now) {
		// First: if anything below fails, the scope around this call ends it.
		GatedCall call = WorkScope.enter(new GatedCall(this, interruptible, now));
		boolean entered = false;
		try {
			entered = add(call);
			return entered ? call : null;
		}
		finally {
			if (!entered) {
				call.close();
			}
		}
	}

	private synchronized boolean add(GatedCall call) {
		if (this.lost || (this.closed && !call.isInside(this.calls))) {
			return false;
		}
		this.calls = (this.calls instanceof HashSet) ? this.calls : new HashSet<>();
		return this.calls.add(call);
	}

	/** End a call, unless it has ended already. */
	void end(GatedCall call) {
		boolean removed;
		boolean afterLoss;
		synchronized (this) {
			removed = this.calls.remove(call);
			afterLoss = this.lost;
		}
		isDrained();
		if (removed) {
			this.observers.fireEnd(call.startedAt(), (observer, nanos) -> observer
				.onCallEnded(this.leadership.election(), nanos, call.wasTold(afterLoss)));
		}
	}

	/** Let no further call in. */
	void close() {
		synchronized (this) {
			this.closed = true;
		}
		isDrained();
	}

	/** Return whether the gate is closed and no call is in flight. */
	boolean isDrained() {
		boolean empty;
		boolean news;
		synchronized (this) {
			empty = this.closed && this.calls.isEmpty();
			news = empty && !this.drained;
			this.drained |= empty;
		}
		if (news) {
			this.onDrained.run();
		}
		return empty;
	}

	/** Interrupt the calls in flight, each once, and let no further call in. */
	void lose() {
		synchronized (this) {
			this.lost = true;
		}
		inFlight().forEach(GatedCall::lose);
	}

	synchronized int count() {
		return this.calls.size();
	}

	synchronized List<GatedCall> inFlight() {
		return List.copyOf(this.calls);
	}

}
