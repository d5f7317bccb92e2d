package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

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

	private static final EngineLog log = EngineLog.of(GatedCalls.class);

	/** So many calls are kept ready that threads rarely want the same. */
	private static final int READY = 4
			* Integer.highestOneBit(Math.min(16, Runtime.getRuntime().availableProcessors()));

	/** So many are tried: work that blocks may hold them all. */
	private static final int TRIES = 4;

	/** A monitor: where the stack ends, nothing has to be called to leave it. */
	private final Object lock = new Object();

	private final Leadership leadership;

	private final GatedCall[] ready;

	// Not a linked one: the end of the stack can leave behind in its links what was
	// removed.
	private final Set<CallInFlight> listed = new HashSet<>();

	/** Calls in flight that are not waited for. */
	private final Set<CallInFlight> leftBehind = new HashSet<>();

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
		@Nullable Object[] place = GatedCall.place();
		Object outer = place[0];
		GatedCall call = take(place, interruptible);
		if (call == null) {
			return GatedCall.REFUSED;
		}
		try {
			return call.begin(now);
		}
		catch (Throwable ex) {
			// As at the end of the stack: nobody has got a ticket that could end it. If
			// this fails too, the call around it does.
			if (!call.giveBack()) {
				remove(call);
			}
			place[0] = outer;
			throw ex;
		}
	}

	private @Nullable GatedCall take(@Nullable Object[] place, boolean interruptible) {
		int first = (int) Thread.currentThread().getId();
		for (int i = 0; i < TRIES; i++) {
			GatedCall call = this.ready[(first + i) & (this.ready.length - 1)];
			if (call.take(place, interruptible)) {
				return call;
			}
		}
		return list(place, interruptible);
	}

	/** Let a call in for which there is none ready, or which is too late. */
	private @Nullable GatedCall list(@Nullable Object[] place, boolean interruptible) {
		Object outer = place[0];
		synchronized (this.lock) {
			if (this.sealed) {
				return null;
			}
			GatedCall call = new GatedCall(this);
			call.take(place, interruptible);
			try {
				call.seal();
				this.listed.add(call);
			}
			catch (Throwable ex) {
				this.listed.remove(call);
				place[0] = outer;
				throw ex;
			}
			return call;
		}
	}

	DetachedCall detach(@Nullable Object[] place, GatedCall call, @Nullable GatedCall outer,
			@Nullable Runnable onLoss) {
		DetachedCall detached;
		boolean interrupted;
		boolean late;
		synchronized (this.lock) {
			// Once given back, it may be another's.
			detached = new DetachedCall(call, onLoss);
			interrupted = call.isInterrupted();
			try {
				// Whatever fails, the work must stay in flight until it is ended.
				this.listed.add(detached);
				if (!call.giveBack()) {
					this.listed.remove(call);
				}
			}
			catch (Throwable ex) {
				this.listed.remove(detached);
				throw ex;
			}
			place[0] = outer;
			late = this.lost;
		}
		if (interrupted) {
			GatedCall.takeInterruptBack();
		}
		if (late) {
			tell(detached);
		}
		return detached;
	}

	/** Remove a call that has ended, if it is listed. */
	void remove(CallInFlight call) {
		if (delist(call)) {
			delisted(call);
		}
	}

	/** Take a call from the list, if it is there. */
	boolean delist(CallInFlight call) {
		synchronized (this.lock) {
			this.leftBehind.remove(call);
			return this.listed.remove(call);
		}
	}

	/** Do what is left when a call has been taken from the list. */
	void delisted(CallInFlight call) {
		call.onEnd();
		isDrained();
		ended(call.startedAt(), call.wasTold());
	}

	/** Let observers know of a call that has ended. */
	void ended(long startedAt, boolean told) {
		this.observers.callEnded(this.leadership.election(), startedAt, told);
	}

	/** Let no further call in. May be tried again if it throws. */
	void close() {
		synchronized (this.lock) {
			seal();
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
			empty = this.closed && (this.listed.isEmpty() || this.leftBehind.containsAll(this.listed));
		}
		if (empty) {
			this.drained.complete(null);
		}
		return empty;
	}

	/**
	 * Tell the calls in flight that leadership is lost, and let no further call in. Tells
	 * those that it has told before no more, and may be tried again if it throws.
	 * @return how many calls are in flight
	 */
	int lose() {
		List<DetachedCall> detached = new ArrayList<>();
		int inFlight;
		synchronized (this.lock) {
			seal();
			this.lost = true;
			inFlight = this.listed.size();
			for (CallInFlight call : this.listed) {
				if (this.leftBehind.contains(call)) {
					continue;
				}
				if (call instanceof GatedCall entered) {
					entered.lose();
				}
				else if (call instanceof DetachedCall elsewhere) {
					detached.add(elsewhere);
				}
			}
		}
		detached.forEach(this::tell);
		return inFlight;
	}

	/** Add the threads that are inside calls. */
	void addCallers(Set<Thread> callers) {
		synchronized (this.lock) {
			inFlight().map(CallInFlight::caller).filter(Objects::nonNull).forEach(callers::add);
		}
	}

	/**
	 * Neither wait for the calls that these threads are in nor interrupt them: they wait
	 * for the end of what would wait for theirs.
	 * @return whether there are any
	 */
	boolean leaveBehind(Set<Thread> threads) {
		boolean any;
		synchronized (this.lock) {
			List<CallInFlight> left = inFlight().filter((call) -> isAmong(call.caller(), threads)).toList();
			any = this.leftBehind.addAll(left);
		}
		isDrained();
		return any;
	}

	private static boolean isAmong(@Nullable Thread thread, Set<Thread> threads) {
		return thread != null && threads.contains(thread);
	}

	private Stream<CallInFlight> inFlight() {
		return Stream.concat(Arrays.stream(this.ready).filter(GatedCall::isTaken), this.listed.stream());
	}

	private void seal() {
		this.sealed = true;
		for (GatedCall call : this.ready) {
			if (!call.isSealed()) {
				// Before: from the moment it is sealed its end is looked for here.
				this.listed.add(call);
				if (!call.seal()) {
					this.listed.remove(call);
				}
			}
		}
	}

	private void tell(DetachedCall call) {
		try {
			call.lose(this.lossExecutor);
		}
		catch (Throwable ex) {
			// Whoever ends the term must get on with it, and tries again.
			log.tell(ex,
					(logger, cause) -> logger.error("A call in flight can't be told that leadership is lost", cause));
		}
	}

	int count() {
		synchronized (this.lock) {
			int count = this.listed.size();
			for (GatedCall call : this.ready) {
				count += call.isTaken() ? 1 : 0;
			}
			return count;
		}
	}

}
