package io.github.leaderelection.fence;

import java.util.function.Function;

import io.github.leaderelection.Leadership;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Guards what subscribers write in the name of a leadership. Safe for use by any thread,
 * none of which it blocks.
 */
public interface ReactiveLeaderFence {

	/** Guards nothing, as {@link LeaderFence#NONE}. */
	ReactiveLeaderFence NONE = new ReactiveLeaderFence() {

		@Override
		public <T> Mono<T> guard(Leadership leadership, Function<LeaderFence.Scope, Mono<T>> work) {
			return Mono.defer(() -> work.apply(LeaderFence.NONE.open(leadership)));
		}

		@Override
		public <T> Flux<T> guardMany(Leadership leadership, Function<LeaderFence.Scope, Flux<T>> work) {
			return Flux.defer(() -> work.apply(LeaderFence.NONE.open(leadership)));
		}

	};

	/**
	 * Guard the current transaction of a subscriber, if it has one, and each one that the
	 * work begins.
	 * @param <T> the type of the result
	 * @param leadership the leadership in whose name the subscriber writes
	 * @param work makes the work of a scope, which it has not to close
	 * @return the guarded work
	 */
	<T> Mono<T> guard(Leadership leadership, Function<LeaderFence.Scope, Mono<T>> work);

	/**
	 * Guard work with many results, as {@link #guard} does.
	 * @param <T> the type of the results
	 * @param leadership the leadership in whose name the subscriber writes
	 * @param work makes the work of a scope, which it has not to close
	 * @return the guarded work
	 */
	<T> Flux<T> guardMany(Leadership leadership, Function<LeaderFence.Scope, Flux<T>> work);

	/**
	 * Require that there is something to guard. May call the database, for a short time.
	 * @throws UnusableFenceException if there is not
	 */
	default void requireUsable() {
	}

}
