package io.github.leaderelection.spring;

import java.util.function.Supplier;

import io.github.leaderelection.fence.UnusableFenceException;
import org.jspecify.annotations.Nullable;

/**
 * A fence that is looked for when all singletons exist, since gates are made before it.
 * From then on each method that asks for it fails its bean if there is none.
 *
 * @param <F> the type of the fence
 */
final class LateFence<F> {

	private final Supplier<F> supplier;

	/** One for which the fence is to be looked for. Guarded by this. */
	private @Nullable LeaderOnlyMethod waiting;

	/** Present once it has been found usable. */
	private volatile @Nullable F fence;

	// Guarded by this
	private boolean ready;

	/**
	 * Create an instance.
	 * @param supplier of a usable fence, which throws {@link UnusableFenceException} if
	 * there is none
	 */
	LateFence(Supplier<F> supplier) {
		this.supplier = supplier;
	}

	/**
	 * Take a method in mind.
	 * @param method the method
	 * @throws InvalidLeaderOnlyException if it is known that there is no fence
	 */
	void add(LeaderOnlyMethod method) {
		boolean late;
		synchronized (this) {
			late = this.ready;
			this.waiting = method;
		}
		if (late) {
			verify();
		}
	}

	/**
	 * Look for the fence, if any method needs one.
	 * @throws InvalidLeaderOnlyException if there is none
	 */
	void verify() {
		LeaderOnlyMethod method;
		synchronized (this) {
			this.ready = true;
			method = this.waiting;
			this.waiting = null;
		}
		if (method != null) {
			// Outside the lock: the supplier may create beans.
			try {
				get();
			}
			catch (UnusableFenceException ex) {
				throw method.invalidAttribute("it can't be fenced: " + ex.getReason(), ex.getRemedy());
			}
		}
	}

	F get() {
		F present = this.fence;
		if (present == null) {
			present = this.supplier.get();
			this.fence = present;
		}
		return present;
	}

}
