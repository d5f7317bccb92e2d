package io.github.leaderelection.engine;

import org.jspecify.annotations.Nullable;

/**
 * A call in flight, as its gate sees it.
 */
abstract class CallInFlight {

	private final GatedCalls gate;

	CallInFlight(GatedCalls gate) {
		this.gate = gate;
	}

	GatedCalls gate() {
		return this.gate;
	}

	/** Return the thread that is inside the call, if it is known. */
	abstract @Nullable Thread caller();

	/** Return the monotonic time at which the call has begun. */
	abstract long startedAt();

	/** Return whether the call was told. Asked under the lock, or when it has ended. */
	abstract boolean wasTold();

	/** Do in the thread that ends the call what is left to be done. */
	abstract void onEnd();

}
