package io.github.leaderelection.engine;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * A call that was let in because this process leads. It is in flight until it is
 * {@linkplain #end() ended}, and a graceful change of leader waits for that.
 * <p>
 * At first the call belongs to the thread that entered. A call whose work goes on
 * elsewhere, such as a stage or a publisher, is {@linkplain #detach(Runnable) detached}
 * from it.
 */
public final class GatedCall {

	private final Term term;

	private final @Nullable GatedCall outer;

	private final long startedAt;

	private volatile @Nullable Thread thread;

	private @Nullable Runnable onLoss;

	private boolean interruptible;

	private boolean interrupted;

	/** Whether the call was told, by interrupt or action, that leadership is lost. */
	private volatile boolean told;

	GatedCall(Term term, Thread thread, boolean interruptible, @Nullable GatedCall outer, long startedAt) {
		this.term = term;
		this.thread = thread;
		this.interruptible = interruptible;
		this.outer = outer;
		this.startedAt = startedAt;
	}

	/**
	 * Return the leadership under which the call runs.
	 * @return the leadership
	 */
	public Leadership leadership() {
		return this.term;
	}

	/**
	 * Let the work go on outside the thread that entered: the thread is no longer
	 * interrupted, and the call may be ended by any thread. To be called once, by the
	 * thread that entered.
	 * @param onLoss run once when leadership ends while the call is in flight, on a
	 * thread for callbacks, at once if it has ended already; or {@code null}
	 */
	public void detach(@Nullable Runnable onLoss) {
		leaveThread();
		this.term.calls().detach(this, onLoss);
	}

	/**
	 * End the call; unless detached, by the thread that entered. Has no effect the second
	 * time.
	 */
	public void end() {
		if (this.thread != null) {
			leaveThread();
		}
		this.term.calls().remove(this);
	}

	long startedAt() {
		return this.startedAt;
	}

	boolean wasTold() {
		return this.told;
	}

	private void leaveThread() {
		GatedCalls.CURRENT.set(this.outer);
		this.term.calls().release(this);
	}

	// What follows is guarded by the lock of GatedCalls.

	void interrupt() {
		Thread target = this.thread;
		if (target != null && this.interruptible) {
			this.interrupted = true;
			this.told = true;
			target.interrupt();
		}
	}

	/** Forget the thread, and take back an interrupt that was meant for this call. */
	void forgetThread() {
		this.thread = null;
		if (this.interrupted) {
			Thread.interrupted();
			passInterruptOn();
		}
	}

	/**
	 * An enclosing call, or candidate, that has lost its leadership must not miss its own
	 * interrupt. Asked after the interrupt was taken back: one that comes later stays.
	 */
	private void passInterruptOn() {
		for (GatedCall each = this.outer; each != null; each = each.outer) {
			if (each.interruptible && each.thread != null && !each.leadership().isHeld()) {
				each.interrupted = true;
				Thread.currentThread().interrupt();
				return;
			}
		}
		CandidateCallbacks.repeatInterrupt();
	}

	@Nullable Runnable takeOnLoss() {
		Runnable action = this.onLoss;
		this.onLoss = null;
		this.told |= action != null;
		return action;
	}

	void setOnLoss(@Nullable Runnable onLoss) {
		this.onLoss = onLoss;
	}

}
