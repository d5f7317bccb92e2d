package io.github.leaderelection.engine;

import java.util.Set;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * A call that was let in because this process leads. It is in flight until it is
 * {@linkplain #end(long) ended}, and a graceful change of leader waits for that.
 * <p>
 * A call belongs to the thread that entered, which knows it by its ticket: a number that
 * no other call ever has. The objects themselves are used again and again, and nobody but
 * the gate has them. A call whose work goes on elsewhere, such as a stage or a publisher,
 * is {@linkplain #detach(long, Runnable) detached} from its thread.
 */
public final class GatedCall {

	/** What is returned in place of a ticket when a call is not let in. */
	public static final long REFUSED = 0;

	/**
	 * Where each thread keeps the innermost call that it is in. Asked for before a call
	 * is taken, so that nothing can fail between that and noting it. An array of objects
	 * keeps no class of this library alive in a thread that outlives it.
	 */
	private static final ThreadLocal<@Nullable Object[]> CURRENT = ThreadLocal.withInitial(() -> new Object[1]);

	private final GatedCalls gate;

	// Guarded by the lock of the gate.

	/** Where the gate keeps this call. */
	int index;

	/** The thread that is in the call. */
	@Nullable Thread thread;

	long startedAt;

	/** Whether the thread was interrupted for this call. */
	boolean told;

	/** Whether the call is not waited for, and its thread not interrupted. */
	boolean leftBehind;

	// For the thread that is in the call only.

	/** Whether the thread has got an interrupt back that was taken for an inner call. */
	boolean reminded;

	@Nullable GatedCall outer;

	private long ticket;

	private boolean interruptible;

	/** What is called, {@code null} if nobody has said so. */
	private volatile @Nullable String what;

	GatedCall(GatedCalls gate, int index) {
		this.gate = gate;
		this.index = index;
	}

	/**
	 * Return the leadership under which a call runs.
	 * @param ticket the ticket of a call that the current thread is in
	 * @return the leadership
	 */
	public static Leadership leadership(long ticket) {
		return get(ticket).gate.leadership();
	}

	/**
	 * Say what a call is of, for the log.
	 * @param ticket the ticket of a call that the current thread is in
	 * @param what the method that is called, such as {@code Jobs.run}
	 */
	public static void describe(long ticket, String what) {
		get(ticket).what = what;
	}

	/**
	 * Let the work of a call go on outside the current thread, which is interrupted for
	 * it no longer.
	 * @param ticket the ticket of a call that the current thread is in; to be used no
	 * more
	 * @param onLoss run once when leadership ends while the call is in flight, on a
	 * thread for callbacks, at once if it has ended already; or {@code null}
	 * @return the call from now on
	 */
	public static DetachedCall detach(long ticket, @Nullable Runnable onLoss) {
		@Nullable Object[] place = CURRENT.get();
		GatedCall call = get(ticket);
		endInside(place, call);
		return call.gate.detach(call, place, onLoss);
	}

	/**
	 * End a call, and those inside it that the thread has left without ending them, as
	 * where the stack was at its end. Has no effect if the call has ended before, or was
	 * detached.
	 * @param ticket the ticket of a call that the current thread has entered
	 */
	public static void end(long ticket) {
		@Nullable Object[] place = CURRENT.get();
		GatedCall call = find(place, ticket);
		if (call != null) {
			endInside(place, call);
			call.gate.end(call, place);
		}
	}

	/** End what the thread has left without ending it. */
	private static void endInside(@Nullable Object[] place, GatedCall call) {
		GatedCall innermost = (GatedCall) place[0];
		while (innermost != null && innermost != call) {
			innermost.gate.end(innermost, place);
			innermost = (GatedCall) place[0];
		}
	}

	/** Return where the current thread keeps the innermost call that it is in. */
	static @Nullable Object[] place() {
		return CURRENT.get();
	}

	/** Return the leadership of the innermost call that the current thread is in. */
	static @Nullable Leadership currentLeadership() {
		GatedCall call = (GatedCall) CURRENT.get()[0];
		return (call != null) ? call.gate.leadership() : null;
	}

	/**
	 * Return the ticket of the innermost call that the current thread is in, or
	 * {@link #REFUSED}.
	 */
	static long currentTicket() {
		GatedCall call = (GatedCall) CURRENT.get()[0];
		return (call != null) ? call.ticket : REFUSED;
	}

	private static GatedCall get(long ticket) {
		GatedCall call = find(CURRENT.get(), ticket);
		if (call == null) {
			throw new IllegalStateException("The current thread is not inside this call");
		}
		return call;
	}

	private static @Nullable GatedCall find(@Nullable Object[] place, long ticket) {
		GatedCall call = (GatedCall) place[0];
		while (call != null && call.ticket != ticket) {
			call = call.outer;
		}
		return call;
	}

	/**
	 * Begin the call. Calls nothing, so that nothing can fail in the middle of it.
	 * @param place where the thread keeps the innermost call that it is in: this one from
	 * now on
	 */
	void begin(@Nullable Object[] place, Thread current, long number, boolean interrupt, long now) {
		this.thread = current;
		this.startedAt = now;
		this.told = false;
		this.leftBehind = false;
		this.reminded = false;
		this.ticket = number;
		this.interruptible = interrupt;
		this.what = null;
		this.outer = (GatedCall) place[0];
		place[0] = this;
	}

	/**
	 * Interrupt the thread that is in the call, unless it is interrupted already. Called
	 * under the lock of the gate, so that nobody is interrupted who has left.
	 */
	void lose() {
		if (this.thread != null && this.interruptible && !this.told && !this.leftBehind) {
			this.told = Interrupts.interrupt(this.thread);
		}
	}

	@Nullable String what() {
		return this.what;
	}

	void addCaller(Set<Thread> callers) {
		if (this.thread != null) {
			callers.add(this.thread);
		}
	}

	/**
	 * Neither wait for the call nor interrupt its thread, if it is one of these.
	 * @return whether it is
	 */
	boolean leaveBehind(Set<Thread> threads) {
		boolean left = this.thread != null && threads.contains(this.thread);
		this.leftBehind |= left;
		return left;
	}

	/**
	 * Take back an interrupt that was meant for a call that has ended. An enclosing call,
	 * or candidate, that has lost its leadership must not miss its own interrupt. Asked
	 * after the interrupt was taken back: one that comes later stays.
	 */
	static void takeInterruptBack() {
		boolean unused = Thread.interrupted();
		for (GatedCall each = (GatedCall) CURRENT.get()[0]; each != null; each = each.outer) {
			if (each.interruptible && !each.gate.leadership().isHeld()) {
				each.reminded = true;
				Thread.currentThread().interrupt();
				return;
			}
		}
		CandidateCallbacks.repeatInterrupt();
	}

}
