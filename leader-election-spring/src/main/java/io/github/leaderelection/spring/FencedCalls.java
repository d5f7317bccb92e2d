package io.github.leaderelection.spring;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.fence.LeaderFence;

/**
 * Fences the calls of one method, and warns if the first of them had no transaction to
 * fence. Otherwise a transaction that was forgotten, or belongs to another manager, would
 * go unnoticed. This is no error, since a call may have nothing to write.
 */
final class FencedCalls {

	/** For methods that are not fenced. */
	static final FencedCalls NONE = new FencedCalls("", () -> LeaderFence.NONE);

	private static final EngineLog log = EngineLog.of(FencedCalls.class);

	private final String what;

	private final Supplier<LeaderFence> fence;

	/** Whether a call has been checked. */
	private final AtomicBoolean settled = new AtomicBoolean();

	/**
	 * Create an instance.
	 * @param what the name of the method, for messages
	 * @param fence supplies the fence for its calls
	 */
	FencedCalls(String what, Supplier<LeaderFence> fence) {
		this.what = what;
		this.fence = fence;
	}

	LeaderFence.Scope open(Leadership leadership) {
		return this.fence.get().open(leadership);
	}

	/**
	 * Check a call that has returned and has no work in progress elsewhere.
	 * @param scope the scope of the call
	 */
	void returned(LeaderFence.Scope scope) {
		if (!this.settled.get() && !this.settled.getAndSet(true) && !scope.hasGuarded()) {
			log.tell((logger) -> logger.warn(
					"{}: fenced = true had no effect, because the call used no transaction that can be fenced. Unless it "
							+ "had nothing to write, check @Transactional and its transaction manager. (Logged once.)",
					this.what));
		}
	}

}
