package io.github.leaderelection.engine;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.store.LeaseStoreException;

/**
 * One call of a store that is due, kept apart from the thread that makes it: whoever runs
 * it performs it, and hands the reply back, or reports that there was none. The time from
 * which deadlines count is noted when the call becomes due, before anyone could send it.
 */
final class StoreCall {

	private final Moment sentAt;

	private final StoreOperation operation;

	private final Set<String> elections;

	private final Supplier<Reply> request;

	private final Consumer<Moment> onFailure;

	StoreCall(Moment sentAt, StoreOperation operation, Set<String> elections, Supplier<Reply> request,
			Consumer<Moment> onFailure) {
		this.sentAt = sentAt;
		this.operation = operation;
		this.elections = Set.copyOf(elections);
		this.request = request;
		this.onFailure = onFailure;
	}

	/** Return a time before the call was sent. */
	Moment sentAt() {
		return this.sentAt;
	}

	StoreOperation operation() {
		return this.operation;
	}

	/** Return the elections whose leases the call changes or reads. */
	Set<String> elections() {
		return this.elections;
	}

	/**
	 * Make the call. Blocks.
	 * @return takes notice of the answer, when given the present time
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Consumer<Moment> perform() {
		Reply reply = this.request.get();
		return (now) -> reply.accept(this.sentAt, now);
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
