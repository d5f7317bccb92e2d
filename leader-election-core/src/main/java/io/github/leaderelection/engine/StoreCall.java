package io.github.leaderelection.engine;

import java.util.Collections;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.protocol.Moment;
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

	private final Supplier<Consumer<Moment>> request;

	private final Consumer<Moment> onFailure;

	/**
	 * Create a call that is due.
	 * @param sentAt a time before it is sent
	 * @param elections the elections whose leases it changes or reads
	 * @param request makes the call, and returns what takes notice of its answer when
	 * given the present time
	 * @param onFailure takes notice that the outcome is unknown
	 */
	StoreCall(Moment sentAt, StoreOperation operation, Set<String> elections, Supplier<Consumer<Moment>> request,
			Consumer<Moment> onFailure) {
		this.sentAt = sentAt;
		this.operation = operation;
		this.elections = Collections.unmodifiableSet(elections);
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
		return this.request.get();
	}

	/** Take notice that the outcome is unknown. */
	void fail(Moment now) {
		this.onFailure.accept(now);
	}

}
