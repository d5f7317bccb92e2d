package io.github.leaderelection.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

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
public final class GatedCall extends CallInFlight {

	/** What is returned in place of a ticket when a call is not let in. */
	public static final long REFUSED = 0;

	/** The innermost call that the current thread is in. */
	private static final ThreadLocal<@Nullable GatedCall> CURRENT = new ThreadLocal<>();

	/** Holds a call whose thread is not to be interrupted. */
	private static final Object NOBODY = new Object();

	/** Holds a call for good. */
	private static final Object SEAL = new Object();

	private static final AtomicReferenceFieldUpdater<GatedCall, @Nullable Object> HOLDER = AtomicReferenceFieldUpdater
		.newUpdater(GatedCall.class, Object.class, "holder");

	private static final AtomicLong TICKET_RANGES = new AtomicLong();

	private static final int TICKET_RANGE_BITS = 24;

	/**
	 * {@code null} while nobody is in the call; otherwise the thread to be interrupted,
	 * {@link #NOBODY}, or {@link #SEAL}. The thread that makes the call and those that
	 * close the gate meet here and nowhere else: each takes what the other has left.
	 */
	private volatile @Nullable Object holder;

	// For the thread that is in the call only.

	private long ticket = -1;

	private long startedAt;

	private boolean interruptible;

	/** Whether the thread has got an interrupt back that was taken for an inner call. */
	private boolean reminded;

	private @Nullable GatedCall outer;

	// Guarded by the lock of the gate, and not set before the call is sealed.

	private @Nullable Thread target;

	private boolean told;

	// Two threads in two calls must not share a line of the processor's cache.

	@SuppressWarnings("unused")
	private long padding1;

	@SuppressWarnings("unused")
	private long padding2;

	@SuppressWarnings("unused")
	private long padding3;

	@SuppressWarnings("unused")
	private long padding4;

	@SuppressWarnings("unused")
	private long padding5;

	@SuppressWarnings("unused")
	private long padding6;

	@SuppressWarnings("unused")
	private long padding7;

	GatedCall(GatedCalls gate) {
		super(gate);
	}

	/**
	 * Return the leadership under which a call runs.
	 * @param ticket the ticket of a call that the current thread is in
	 * @return the leadership
	 */
	public static Leadership leadership(long ticket) {
		return get(ticket).gate().leadership();
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
		GatedCall call = get(ticket);
		return call.gate().detach(call, onLoss);
	}

	/**
	 * End a call. Has no effect if it has ended before, or was detached.
	 * @param ticket the ticket of a call that the current thread has entered
	 */
	public static void end(long ticket) {
		GatedCall call = find(ticket);
		if (call != null) {
			call.unlink();
			call.end();
		}
	}

	/** Return the innermost call that the current thread is in. */
	static @Nullable GatedCall current() {
		return CURRENT.get();
	}

	/** Return the leadership of the innermost call that the current thread is in. */
	static @Nullable Leadership currentLeadership() {
		GatedCall call = CURRENT.get();
		return (call != null) ? call.gate().leadership() : null;
	}

	private static GatedCall get(long ticket) {
		GatedCall call = find(ticket);
		if (call == null) {
			throw new IllegalStateException("The current thread is not inside this call");
		}
		return call;
	}

	private static @Nullable GatedCall find(long ticket) {
		GatedCall call = CURRENT.get();
		while (call != null && call.ticket != ticket) {
			call = call.outer;
		}
		return call;
	}

	/** Take this call for the current thread, if nobody is in it. */
	boolean take(boolean interruptible) {
		return this.holder == null && HOLDER.compareAndSet(this, null, holder(interruptible));
	}

	/** Give back what was taken, unless it was sealed meanwhile. */
	boolean giveBack(boolean interruptible) {
		return HOLDER.compareAndSet(this, holder(interruptible), null);
	}

	boolean giveBack() {
		return giveBack(this.interruptible);
	}

	private static Object holder(boolean interruptible) {
		return interruptible ? Thread.currentThread() : NOBODY;
	}

	/**
	 * Let nobody take this call any more.
	 * @return whether somebody is in it
	 */
	boolean seal() {
		Object before = HOLDER.getAndSet(this, SEAL);
		if (before == SEAL) {
			return false;
		}
		this.target = (before instanceof Thread thread) ? thread : null;
		return before != null;
	}

	boolean isTaken() {
		Object current = this.holder;
		return current != null && current != SEAL;
	}

	/**
	 * Begin the call, taken by the current thread.
	 * @param outer the innermost call that the thread is in
	 * @return its ticket
	 */
	long begin(@Nullable GatedCall outer, boolean interruptible, long now) {
		this.interruptible = interruptible;
		this.startedAt = now;
		this.reminded = false;
		this.ticket = nextTicket();
		this.outer = outer;
		CURRENT.set(this);
		return this.ticket;
	}

	private long nextTicket() {
		// A range for each object: threads need not agree on each number.
		long next = this.ticket + 1;
		boolean spent = (next & ((1L << TICKET_RANGE_BITS) - 1)) == 0;
		return spent ? TICKET_RANGES.incrementAndGet() << TICKET_RANGE_BITS : next;
	}

	/** Take the call out of those that the current thread is in. */
	void unlink() {
		GatedCall inner = CURRENT.get();
		if (inner == this) {
			CURRENT.set(this.outer);
		}
		else {
			while (inner != null && inner.outer != this) {
				inner = inner.outer;
			}
			if (inner != null) {
				inner.outer = this.outer;
			}
		}
		this.outer = null;
	}

	private void end() {
		// Once given back, it may be another's.
		long began = this.startedAt;
		boolean interrupted = this.reminded;
		if (!giveBack()) {
			gate().remove(this);
			return;
		}
		if (interrupted) {
			takeInterruptBack();
		}
		gate().ended(began, false);
	}

	@Override
	long startedAt() {
		return this.startedAt;
	}

	@Override
	@Nullable Runnable lose() {
		if (this.target != null) {
			this.told = true;
			this.target.interrupt();
		}
		return null;
	}

	@Override
	boolean wasTold() {
		return this.told;
	}

	@Override
	void onEnd() {
		this.target = null;
		if (isInterrupted()) {
			takeInterruptBack();
		}
	}

	/** Return whether the thread has an interrupt that was meant for this call. */
	boolean isInterrupted() {
		return this.told || this.reminded;
	}

	/**
	 * Take back an interrupt that was meant for a call that has ended. An enclosing call,
	 * or candidate, that has lost its leadership must not miss its own interrupt. Asked
	 * after the interrupt was taken back: one that comes later stays.
	 */
	static void takeInterruptBack() {
		Thread.interrupted();
		for (GatedCall each = CURRENT.get(); each != null; each = each.outer) {
			if (each.interruptible && !each.gate().leadership().isHeld()) {
				each.reminded = true;
				Thread.currentThread().interrupt();
				return;
			}
		}
		CandidateCallbacks.repeatInterrupt();
	}

}
