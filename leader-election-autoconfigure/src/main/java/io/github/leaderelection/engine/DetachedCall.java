package io.github.leaderelection.engine;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight whose work goes on outside the thread that entered.
 */
public final class DetachedCall extends CallInFlight {

	private final long startedAt;

	private @Nullable Runnable onLoss;

	private boolean told;

	DetachedCall(GatedCall call, @Nullable Runnable onLoss) {
		super(call.gate());
		this.startedAt = call.startedAt();
		this.told = call.wasTold();
		this.onLoss = onLoss;
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
	long startedAt() {
		return this.startedAt;
	}

	@Override
	@Nullable Runnable lose() {
		Runnable action = this.onLoss;
		this.onLoss = null;
		this.told |= action != null;
		return action;
	}

	@Override
	boolean wasTold() {
		return this.told;
	}

	@Override
	void onEnd() {
		// Its thread has been left alone since it was detached.
	}

}
