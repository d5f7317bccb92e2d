package io.github.leaderelection.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight whose work goes on outside the thread that entered.
 */
public final class DetachedCall extends CallInFlight {

	private final long startedAt;

	/** What is to be run, {@code null} if there is nothing or it has been run. */
	private final AtomicReference<@Nullable Runnable> onLoss;

	/** Whether its thread was told before it was detached. */
	private final boolean toldBefore;

	/** Whether what is to be run has been handed over. */
	private volatile boolean told;

	DetachedCall(GatedCall call, @Nullable Runnable onLoss) {
		super(call.gate());
		this.startedAt = call.startedAt();
		this.toldBefore = call.wasTold();
		this.onLoss = new AtomicReference<>(onLoss);
	}

	/**
	 * Return the leadership under which the call runs.
	 * @return the leadership
	 */
	public Leadership leadership() {
		return gate().leadership();
	}

	/**
	 * End the call, in any thread. Has no effect the second time.
	 */
	public void end() {
		gate().remove(this);
	}

	@Override
	@Nullable Thread caller() {
		return null;
	}

	@Override
	long startedAt() {
		return this.startedAt;
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

	@Override
	boolean wasTold() {
		return this.toldBefore || this.told;
	}

	@Override
	void onEnd() {
		// Its thread has been left alone since it was detached.
	}

}
