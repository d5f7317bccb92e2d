package io.github.leaderelection.engine;

import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Moment;

/**
 * A store call that is due, independent of the thread that makes it: that thread performs
 * the request, and hands the reply back or reports that there was none.
 *
 * @param sentAt a time before it is sent, from which deadlines count: noted when the call
 * is created
 * @param operation the kind of call
 * @param elections the elections that it concerns; none if a failure says nothing about
 * leases
 * @param request makes the call, which blocks, and returns a function that handles the
 * answer, given the present time; throws a
 * {@link io.github.leaderelection.store.LeaseStoreException} if the outcome is unknown
 * @param onFailure handles an unknown outcome, given the present time
 */
record StoreCall(Moment sentAt, StoreOperation operation, Set<String> elections, Supplier<Consumer<Moment>> request,
		Consumer<Moment> onFailure) {

}
