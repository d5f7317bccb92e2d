package io.github.leaderelection.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight whose work goes on outside the thread that entered.
 */
public final class DetachedCall {

	private final GatedCalls gate;

	private final long startedAt;

	private final @Nullable String what;

	/** Whether its thread was told before it was detached. */
	private final boolean toldBefore;

	/** What is to be run, {@code null} if there is nothing or it has been run. */
	private final AtomicReference<@Nullable Runnable> onLoss;

	/** Whether what is to be run has been handed over. */
	private volatile boolean told;

	DetachedCall(GatedCalls gate, long startedAt, @Nullable String what, boolean toldBefore,
			@Nullable Runnable onLoss) {
		this.gate = gate;
		this.startedAt = startedAt;
		this.what = what;
		this.toldBefore = toldBefore;
		this.onLoss = new AtomicReference<>(onLoss);
	}

	/**
	 * Return the leadership under which the call runs.
	 * @return the leadership
	 */
	public Leadership leadership() {
		return this.gate.leadership();
	}

	/**
	 * End the call, in any thread. Has no effect the second time.
	 */
	public void end() {
		this.gate.end(this);
	}

	/** Return the monotonic time at which the call has begun. */
	long startedAt() {
		return this.startedAt;
	}

	@Nullable String what() {
		return this.what;
	}

	/**
	 * Let be run what is to be run when leadership is lost: once, however often this is
	 * asked for.
	 */
	void lose(Executor executor) {
		if (!this.told && this.onLoss.get() != null) {
			executor.execute(this::runOnLoss);
			this.told = true;
		}
	}

	private void runOnLoss() {
		Runnable action = this.onLoss.getAndSet(null);
		if (action != null) {
			action.run();
		}
	}

	/** Return whether the call was told that leadership is lost. */
	boolean wasTold() {
		return this.toldBefore || this.told;
	}

}
