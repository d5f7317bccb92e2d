package io.github.leaderelection.spring;

import java.util.function.Supplier;

import io.github.leaderelection.fence.LeaderFence;
import io.github.leaderelection.fence.ReactiveLeaderFence;
import io.github.leaderelection.fence.UnusableFenceException;
import org.jspecify.annotations.Nullable;

/**
 * The fences for methods that ask for one.
 */
final class FencedMethods {

	private final LateFence<LeaderFence> ofThreads;

	private final LateFence<ReactiveLeaderFence> ofSubscribers;

	/**
	 * Create an instance.
	 * @param ofThreads supplies the fence for calls, or {@code null} when there is none
	 * @param ofSubscribers supplies the fence for subscriptions, or {@code null} when
	 * there is none; not asked where there is no Reactor
	 */
	FencedMethods(Supplier<? extends @Nullable LeaderFence> ofThreads,
			Supplier<? extends @Nullable ReactiveLeaderFence> ofSubscribers) {
		this.ofThreads = new LateFence<>(() -> {
			LeaderFence fence = required(ofThreads.get(), "spring-boot-starter-data-mongodb",
					"MongoTransactionManager");
			fence.requireUsable();
			return fence;
		});
		this.ofSubscribers = new LateFence<>(() -> {
			ReactiveLeaderFence fence = required(ofSubscribers.get(), "spring-boot-starter-data-mongodb-reactive",
					"FencedReactiveMongoTransactionManager");
			fence.requireUsable();
			return fence;
		});
	}

	private static <F> F required(@Nullable F fence, String starter, String manager) {
		if (fence == null) {
			throw new UnusableFenceException("there is no Spring Data MongoDB, whose transactions it is about",
					"Add %s, and declare a bean of type %s".formatted(starter, manager));
		}
		return fence;
	}

	/**
	 * Return the fence for the calls of a method.
	 * @param method the method
	 * @return the fence
	 * @throws InvalidLeaderOnlyException if it is known that there is none
	 */
	FencedCalls add(LeaderOnlyMethod method) {
		this.ofThreads.add(method);
		return new FencedCalls(method.shortName(), this.ofThreads::get);
	}

	/**
	 * Return the fence for the subscriptions of a method that returns a reactive type.
	 * @param method the method
	 * @return the fence
	 * @throws InvalidLeaderOnlyException if it is known that there is none
	 */
	FencedSubscriptions addReactive(LeaderOnlyMethod method) {
		this.ofSubscribers.add(method);
		return new FencedSubscriptions(this.ofSubscribers::get,
				new FencedCalls(method.shortName(), () -> LeaderFence.NONE));
	}

	/**
	 * Look for the fences, if any method needs one.
	 * @throws InvalidLeaderOnlyException if there is none
	 */
	void verify() {
		this.ofThreads.verify();
		this.ofSubscribers.verify();
	}

}
