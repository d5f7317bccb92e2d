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

	/**
	 * Where each thread keeps the innermost call that it is in. Asked for before a call
	 * is taken, so that nothing can fail between that and noting it. An array of objects
	 * keeps no class of this library alive in a thread that outlives it.
	 */
	private static final ThreadLocal<@Nullable Object[]> CURRENT = ThreadLocal.withInitial(() -> new Object[1]);

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

	/**
	 * The thread that is in a call that {@link #NOBODY} holds. Read by another thread
	 * only if this one is not to return before.
	 */
	private @Nullable Thread hidden;

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
		@Nullable Object[] place = CURRENT.get();
		GatedCall call = get(ticket);
		endInside(place, call);
		return call.gate().detach(place, call, call.outer, onLoss);
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
			call.end(place);
		}
	}

	/** End what the thread has left without ending it. */
	private static void endInside(@Nullable Object[] place, GatedCall call) {
		GatedCall innermost = (GatedCall) place[0];
		while (innermost != null && innermost != call) {
			innermost.end(place);
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
		return (call != null) ? call.gate().leadership() : null;
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
	 * Take this call for the current thread, if nobody is in it.
	 * @param place where the thread keeps the innermost call that it is in: this one from
	 * now on
	 */
	boolean take(@Nullable Object[] place, boolean interruptible) {
		Thread current = Thread.currentThread();
		if (this.holder != null || !HOLDER.compareAndSet(this, null, holder(interruptible))) {
			return false;
		}
		// Nothing is called between this and that, so that nothing can fail.
		this.interruptible = interruptible;
		this.hidden = interruptible ? null : current;
		this.outer = (GatedCall) place[0];
		place[0] = this;
		return true;
	}

	/** Give back what was taken, unless it was sealed meanwhile. */
	boolean giveBack() {
		this.hidden = null;
		return HOLDER.compareAndSet(this, holder(this.interruptible), null);
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

	boolean isSealed() {
		return this.holder == SEAL;
	}

	/**
	 * Begin the call, taken by the current thread.
	 * @return its ticket
	 */
	long begin(long now) {
		this.startedAt = now;
		this.reminded = false;
		this.ticket = nextTicket();
		return this.ticket;
	}

	private long nextTicket() {
		// A range for each object: threads need not agree on each number.
		long next = this.ticket + 1;
		boolean spent = (next & ((1L << TICKET_RANGE_BITS) - 1)) == 0;
		return spent ? TICKET_RANGES.incrementAndGet() << TICKET_RANGE_BITS : next;
	}

	/**
	 * End the call, the innermost one of the current thread. If this fails before it has
	 * ended, it is still there, and ends with the one around it.
	 */
	private void end(@Nullable Object[] place) {
		// Once given back, it may be another's.
		long began = this.startedAt;
		boolean interrupted = this.reminded;
		GatedCall around = this.outer;
		if (giveBack()) {
			place[0] = around;
			if (interrupted) {
				takeInterruptBack();
			}
			gate().ended(began, false);
			return;
		}
		boolean ended = gate().delist(this);
		place[0] = around;
		if (ended) {
			gate().delisted(this);
		}
	}

	@Override
	@Nullable Thread caller() {
		if (this.target != null) {
			return this.target;
		}
		return (this.holder instanceof Thread thread) ? thread : this.hidden;
	}

	@Override
	long startedAt() {
		return this.startedAt;
	}

	/**
	 * Interrupt the thread that is in the call, unless it is interrupted already. Called
	 * under the lock of the gate, so that nobody is interrupted who has left.
	 */
	void lose() {
		if (this.target != null && !this.told) {
			this.told = Interrupts.interrupt(this.target);
		}
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
		boolean unused = Thread.interrupted();
		for (GatedCall each = (GatedCall) CURRENT.get()[0]; each != null; each = each.outer) {
			if (each.interruptible && !each.gate().leadership().isHeld()) {
				each.reminded = true;
				Thread.currentThread().interrupt();
				return;
			}
		}
		CandidateCallbacks.repeatInterrupt();
	}

}
