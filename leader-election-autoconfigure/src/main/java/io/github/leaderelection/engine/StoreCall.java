package io.github.leaderelection.engine;

import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.store.LeaseStoreException;

/**
 * One call of a store that is due, kept apart from the thread that makes it: whoever runs
 * it notes the time before, performs it, and hands the reply back, or reports that there
 * was none.
 */
final class StoreCall {

	private final boolean change;

	private final Supplier<Reply> operation;

	private final Consumer<Moment> onFailure;

	StoreCall(boolean change, Supplier<Reply> operation, Consumer<Moment> onFailure) {
		this.change = change;
		this.operation = operation;
		this.onFailure = onFailure;
	}

	/** Return whether the call changes leases, rather than reads. */
	boolean isChange() {
		return this.change;
	}

	/**
	 * Make the call. Blocks.
	 * @return the reply, not yet taken notice of
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Reply perform() {
		return this.operation.get();
	}

	/** Take notice that the outcome is unknown. */
	void fail(Moment now) {
		this.onFailure.accept(now);
	}

	/** An answer of the store. */
	@FunctionalInterface
	interface Reply {

		/**
		 * Take notice of the answer.
		 * @param sentAt a time before the call was sent
		 * @param now the present time
		 */
		void accept(Moment sentAt, Moment now);

	}

}
