package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * The calls in flight under one term, and the gate that lets them in. Once closed it
 * never opens again. One lock guards it all. It is held for a few instructions at a time,
 * and while threads are interrupted, but never while other code of somebody else runs.
 */
final class GatedCalls {

	private static final EngineLog log = EngineLog.of(GatedCalls.class);

	private static final AtomicLong TICKETS = new AtomicLong(GatedCall.REFUSED);

	/** A monitor: where the stack ends, nothing has to be called to leave it. */
	private final Object lock = new Object();

	private final Leadership leadership;

	/** Those in flight come first, and after them those that can be used again. */
	private GatedCall[] calls = {};

	/** How many are in flight. */
	private int entered;

	// Not a linked one: the end of the stack can leave behind in its links what was
	// removed.
	private final Set<DetachedCall> detached = new HashSet<>();

	private final CompletableFuture<Void> drained = new CompletableFuture<>();

	private final Executor lossExecutor;

	private final EngineObservers observers;

	private boolean closed;

	private boolean lost;

	/** Create an open gate. */
	GatedCalls(Leadership leadership, Executor lossExecutor, EngineObservers observers) {
		this.leadership = leadership;
		this.lossExecutor = lossExecutor;
		this.observers = observers;
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
		@Nullable Object[] place = GatedCall.place();
		Thread current = Thread.currentThread();
		long ticket = TICKETS.incrementAndGet();
		synchronized (this.lock) {
			if (this.closed || this.lost) {
				return GatedCall.REFUSED;
			}
			if (this.entered == this.calls.length) {
				grow();
			}
			this.calls[this.entered].begin(place, current, ticket, interruptible, now);
			// Nothing is called between that and this, so that nothing can fail.
			this.entered++;
			return ticket;
		}
	}

	private void grow() {
		GatedCall[] more = Arrays.copyOf(this.calls, 2 * this.calls.length + 4);
		for (int i = this.calls.length; i < more.length; i++) {
			more[i] = new GatedCall(this, i);
		}
		this.calls = more;
	}

	/** End a call, the innermost one of the current thread. */
	void end(GatedCall call, @Nullable Object[] place) {
		boolean interrupted;
		boolean told;
		boolean last;
		long startedAt;
		synchronized (this.lock) {
			told = call.told;
			interrupted = told || call.reminded;
			startedAt = call.startedAt;
			last = this.closed;
			remove(call, place);
		}
		if (interrupted) {
			GatedCall.takeInterruptBack();
		}
		ended(last, startedAt, told);
	}

	/**
	 * Remove a call that its thread leaves. Calls nothing, so that nothing can fail in
	 * the middle of it.
	 */
	private void remove(GatedCall call, @Nullable Object[] place) {
		GatedCall other = this.calls[--this.entered];
		this.calls[call.index] = other;
		this.calls[this.entered] = call;
		other.index = call.index;
		call.index = this.entered;
		place[0] = call.outer;
		call.outer = null;
		call.thread = null;
	}

	private void ended(boolean last, long startedAt, boolean told) {
		if (last) {
			isDrained();
		}
		this.observers.callEnded(this.leadership.election(), startedAt, told);
	}

	/** Let the work of a call of the current thread go on elsewhere. */
	DetachedCall detach(GatedCall call, @Nullable Object[] place, @Nullable Runnable onLoss) {
		DetachedCall work;
		boolean interrupted;
		boolean late;
		synchronized (this.lock) {
			work = new DetachedCall(this, call.startedAt, call.what(), call.told, onLoss);
			interrupted = call.told || call.reminded;
			late = this.lost;
			try {
				// Whatever fails, the work must stay in flight until it is ended.
				this.detached.add(work);
				remove(call, place);
			}
			catch (Throwable ex) {
				this.detached.remove(work);
				throw ex;
			}
		}
		if (interrupted) {
			GatedCall.takeInterruptBack();
		}
		if (late) {
			tell(work);
		}
		return work;
	}

	/** End a call that was detached, if it has not ended before. */
	void end(DetachedCall work) {
		boolean removed;
		boolean last;
		synchronized (this.lock) {
			removed = this.detached.remove(work);
			last = this.closed;
		}
		if (removed) {
			ended(last, work.startedAt(), work.wasTold());
		}
	}

	/** Let no further call in. May be tried again if it throws. */
	void close() {
		synchronized (this.lock) {
			this.closed = true;
		}
		isDrained();
	}

	/**
	 * Return a stage that completes when the gate is closed and the last call in flight
	 * has ended, in the thread that ended it, or that {@linkplain #isDrained found out}.
	 */
	CompletableFuture<Void> drained() {
		return this.drained;
	}

	/** Return whether the gate is closed and no call in flight that is waited for. */
	boolean isDrained() {
		boolean empty;
		synchronized (this.lock) {
			empty = this.closed && this.detached.isEmpty() && isEmpty();
		}
		if (empty) {
			this.drained.complete(null);
		}
		return empty;
	}

	/** Return whether no thread is in a call that is waited for. Allocates nothing. */
	private boolean isEmpty() {
		for (int i = 0; i < this.entered; i++) {
			if (!this.calls[i].leftBehind) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Tell the calls in flight that leadership is lost, and let no further call in. Tells
	 * those that it has told before no more, and may be tried again if it throws.
	 * @return how many calls are in flight
	 */
	int lose() {
		List<DetachedCall> elsewhere;
		int inFlight;
		synchronized (this.lock) {
			this.lost = true;
			for (int i = 0; i < this.entered; i++) {
				this.calls[i].lose();
			}
			elsewhere = new ArrayList<>(this.detached);
			inFlight = count();
		}
		elsewhere.forEach(this::tell);
		return inFlight;
	}

	private void tell(DetachedCall work) {
		try {
			work.lose(this.lossExecutor);
		}
		catch (Throwable ex) {
			// Whoever ends the term must get on with it, and tries again.
			log.tell(ex,
					(logger, cause) -> logger.error("A call in flight can't be told that leadership is lost", cause));
		}
	}

	/** Add the threads that are inside calls. */
	void addCallers(Set<Thread> callers) {
		synchronized (this.lock) {
			for (int i = 0; i < this.entered; i++) {
				this.calls[i].addCaller(callers);
			}
		}
	}

	/**
	 * Neither wait for the calls that these threads are in nor interrupt them: they wait
	 * for the end of what would wait for theirs.
	 * @return whether there are any
	 */
	boolean leaveBehind(Set<Thread> threads) {
		boolean any = false;
		synchronized (this.lock) {
			for (int i = 0; i < this.entered; i++) {
				any |= this.calls[i].leaveBehind(threads);
			}
		}
		isDrained();
		return any;
	}

	/** Return the calls that are waited for, each such as "Jobs.run for 12 s". */
	List<String> describe(long now) {
		List<Waiting> waiting = new ArrayList<>();
		synchronized (this.lock) {
			for (int i = 0; i < this.entered; i++) {
				if (!this.calls[i].leftBehind) {
					waiting.add(new Waiting(this.calls[i].what(), this.calls[i].startedAt));
				}
			}
			this.detached.forEach((each) -> waiting.add(new Waiting(each.what(), each.startedAt())));
		}
		String unnamed = "a call under '%s'".formatted(this.leadership.election());
		return waiting.stream()
			.map((each) -> Objects.requireNonNullElse(each.what, unnamed) + " for "
					+ ReadableDuration.of(Duration.ofNanos(now - each.startedAt)))
			.toList();
	}

	int count() {
		synchronized (this.lock) {
			return this.entered + this.detached.size();
		}
	}

	/** A call that is waited for. */
	private record Waiting(@Nullable String what, long startedAt) {

	}

}
