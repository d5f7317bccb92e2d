package io.github.leaderelection.engine;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Moment;

/**
 * One call of a store that is due, kept apart from the thread that makes it: whoever runs
 * it performs it, and hands the reply back, or reports that there was none.
 *
 * @param sentAt a time before it is sent, from which deadlines count: noted when the call
 * becomes due
 * @param operation what is asked
 * @param elections the elections whose leases it changes or reads
 * @param request makes the call, which blocks, and returns what takes notice of its
 * answer when given the present time; throws a
 * {@link io.github.leaderelection.store.LeaseStoreException} if the outcome is unknown
 * @param onFailure takes notice, at the present time, that the outcome is unknown
 */
record StoreCall(Moment sentAt, StoreOperation operation, Set<String> elections, Supplier<Consumer<Moment>> request,
		Consumer<Moment> onFailure) {

}
