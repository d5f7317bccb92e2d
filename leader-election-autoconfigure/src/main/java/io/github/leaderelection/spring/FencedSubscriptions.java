package io.github.leaderelection.spring;

import java.util.function.Supplier;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.ReactiveLeaderFence;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Fences the subscriptions of one method. Needs Reactor: not to be loaded without.
 */
final class FencedSubscriptions {

	/** For a method that does not ask for it. */
	static final FencedSubscriptions NONE = new FencedSubscriptions(() -> ReactiveLeaderFence.NONE, FencedCalls.NONE);

	private final Supplier<ReactiveLeaderFence> fence;

	private final FencedCalls calls;

	/**
	 * Create an instance.
	 * @param fence supplies what guards them
	 * @param calls is told of those that have ended
	 */
	FencedSubscriptions(Supplier<ReactiveLeaderFence> fence, FencedCalls calls) {
		this.fence = fence;
		this.calls = calls;
	}

	/**
	 * Return work that ends when its leadership does, but never in the middle of a
	 * transaction that is guarded: what is under way while it is cancelled could be done
	 * after the rollback, outside of the transaction. It does not commit anyway.
	 * @param <T> the type of the result
	 * @param leadership the leadership in whose name the subscriber writes
	 * @param work the work
	 * @param lost completes when the leadership has ended
	 * @return the guarded work
	 */
	<T> Mono<T> guard(Leadership leadership, Mono<T> work, Mono<?> lost) {
		return (this == NONE) ? work.takeUntilOther(lost) : this.fence.get()
			.guard(leadership,
					(scope) -> work.doOnSuccess((result) -> returned(scope)).takeUntilOther(lost.then(idle(scope))));
	}

	/** As {@link #guard(Leadership, Mono, Mono)} does. */
	<T> Flux<T> guard(Leadership leadership, Flux<T> work, Mono<?> lost) {
		return (this == NONE) ? work.takeUntilOther(lost)
				: this.fence.get()
					.guardMany(leadership,
							(scope) -> work.doOnComplete(() -> returned(scope)).takeUntilOther(lost.then(idle(scope))));
	}

	private static Mono<Void> idle(LeaderFence.Scope scope) {
		return Mono.create((sink) -> scope.whenIdle(sink::success));
	}

	private void returned(LeaderFence.Scope scope) {
		this.calls.returned(scope);
	}

}
