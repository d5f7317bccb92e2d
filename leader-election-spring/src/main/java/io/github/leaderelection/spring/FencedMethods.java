package io.github.leaderelection.spring;

import java.util.function.Supplier;

import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.UnusableFenceException;
import org.jspecify.annotations.Nullable;

/**
 * The fence for methods that ask for one. It is looked for when all singletons exist,
 * since gates are made before it. From then on each method that asks for it fails its
 * bean if there is none.
 */
final class FencedMethods {

	private final Supplier<? extends @Nullable LeaderFence> supplier;

	/** One for which the fence is to be looked for. Guarded by this. */
	private @Nullable LeaderOnlyMethod waiting;

	/** Present once it has been found usable. */
	private volatile @Nullable LeaderFence fence;

	// Guarded by this
	private boolean ready;

	/**
	 * Create an instance.
	 * @param supplier supplies the fence, or {@code null} when there is none
	 */
	FencedMethods(Supplier<? extends @Nullable LeaderFence> supplier) {
		this.supplier = supplier;
	}

	/**
	 * Return the fence for the calls of a method.
	 * @param method the method
	 * @return the fence
	 * @throws InvalidLeaderOnlyException if it is known that there is none
	 */
	FencedCalls add(LeaderOnlyMethod method) {
		boolean late;
		synchronized (this) {
			late = this.ready;
			this.waiting = method;
		}
		if (late) {
			verify();
		}
		return new FencedCalls(method.shortName(), this::get);
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

	private LeaderFence get() {
		LeaderFence present = this.fence;
		if (present == null) {
			present = this.supplier.get();
			if (present == null) {
				throw new UnusableFenceException("there is no Spring Data MongoDB, whose transactions it is about",
						"Add spring-boot-starter-data-mongodb, and declare a bean of type MongoTransactionManager");
			}
			present.requireUsable();
			this.fence = present;
		}
		return present;
	}

}
