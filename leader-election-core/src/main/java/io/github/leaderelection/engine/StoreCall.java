package io.github.leaderelection.engine;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.LeaseStoreException;

/**
 * One call of a store that is due, kept apart from the thread that makes it: whoever runs
 * it performs it, and hands the reply back, or reports that there was none.
 *
 * @param sentAt a time before it is sent, from which deadlines count: noted when the call
 * becomes due
 * @param operation what is asked
 * @param elections the elections whose leases it changes or reads
 * @param request makes the call, and returns what takes notice of its answer when given
 * the present time
 * @param onFailure takes notice that the outcome is unknown
 */
record StoreCall(Moment sentAt, StoreOperation operation, Set<String> elections, Supplier<Consumer<Moment>> request,
		Consumer<Moment> onFailure) {

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
