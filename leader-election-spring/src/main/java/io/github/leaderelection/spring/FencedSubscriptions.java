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

	<T> Mono<T> guard(Leadership leadership, Mono<T> work) {
		return (this == NONE) ? work
				: this.fence.get().guard(leadership, (scope) -> work.doOnSuccess((result) -> returned(scope)));
	}

	<T> Flux<T> guard(Leadership leadership, Flux<T> work) {
		return (this == NONE) ? work
				: this.fence.get().guardMany(leadership, (scope) -> work.doOnComplete(() -> returned(scope)));
	}

	private void returned(LeaderFence.Scope scope) {
		this.calls.returned(scope);
	}

}
