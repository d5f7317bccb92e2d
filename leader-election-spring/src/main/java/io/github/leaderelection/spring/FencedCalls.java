package io.github.leaderelection.spring;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.fence.LeaderFence;

/**
 * Fences the calls of one method, and tells if there was nothing to fence: a transaction
 * that was forgotten, or belongs to somebody else, is not noticed otherwise. It is no
 * error, since a call may find that it has nothing to write.
 */
final class FencedCalls {

	/** For a method that does not ask for it. */
	static final FencedCalls NONE = new FencedCalls("", () -> LeaderFence.NONE);

	private static final EngineLog log = EngineLog.of(FencedCalls.class);

	private final String what;

	private final Supplier<LeaderFence> fence;

	private final AtomicReference<Known> known = new AtomicReference<>(Known.NOTHING);

	/**
	 * Create an instance.
	 * @param what the method, as messages name it
	 * @param fence supplies what guards its calls
	 */
	FencedCalls(String what, Supplier<LeaderFence> fence) {
		this.what = what;
		this.fence = fence;
	}

	LeaderFence.Scope open(Leadership leadership) {
		return this.fence.get().open(leadership);
	}

	/**
	 * Take notice of a call that has returned, and has nothing going on elsewhere.
	 * @param scope the scope of the call
	 */
	void returned(LeaderFence.Scope scope) {
		if (this.known.get() == Known.GUARDED) {
			return;
		}
		if (scope.hasGuarded()) {
			if (this.known.getAndSet(Known.GUARDED) == Known.UNGUARDED) {
				log.tell((logger) -> logger.info("A call of {} has made a transaction, which was fenced: the call "
						+ "that was warned of may have had nothing to write", this.what));
			}
		}
		else if (this.known.compareAndSet(Known.NOTHING, Known.UNGUARDED)) {
			log.tell(
					(logger) -> logger.warn(
							"{}: fenced = true had no effect, because the call used no transaction that can be "
									+ "fenced. Check @Transactional and its transaction manager. (Logged once.)",
							this.what));
		}
	}

	/** What calls of the method have done so far. */
	private enum Known {

		/** None has returned. */
		NOTHING,

		/** None has made a transaction, and that was told. */
		UNGUARDED,

		/**
		 * One has made a transaction, so others may find that they have no use for one.
		 */
		GUARDED

	}

}
