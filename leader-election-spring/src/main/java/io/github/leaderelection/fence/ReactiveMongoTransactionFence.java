package io.github.leaderelection.fence;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.data.mongodb.ReactiveMongoTransactionManager;

/**
 * Guards the transactions of each {@link FencedReactiveMongoTransactionManager} with a
 * fence in its database. Others offer no place to do it: these are refused.
 */
public final class ReactiveMongoTransactionFence implements ReactiveLeaderFence {

	/** Where the scope of a subscriber is. Micrometer knows it by the same. */
	private static final Object SCOPE = FencedScope.class;

	private final Supplier<? extends Stream<ReactiveMongoTransactionManager>> supplier;

	private volatile List<FencedReactiveMongoTransactionManager> managers = List.of();

	/**
	 * Create a fence.
	 * @param managers supplies the managers to guard when the fence is required to be
	 * usable
	 */
	public ReactiveMongoTransactionFence(Supplier<? extends Stream<ReactiveMongoTransactionManager>> managers) {
		this.supplier = managers;
	}

	@Override
	public <T> Mono<T> guard(Leadership leadership, Function<LeaderFence.Scope, Mono<T>> work) {
		return Mono.deferContextual((context) -> {
			OpenTransactions open = OpenTransactions.in(context);
			return enter(context, leadership, open)
				.flatMap((scope) -> work.apply(scope).contextWrite((inner) -> open.within(inner).put(SCOPE, scope)));
		});
	}

	@Override
	public <T> Flux<T> guardMany(Leadership leadership, Function<LeaderFence.Scope, Flux<T>> work) {
		return Flux.deferContextual((context) -> {
			OpenTransactions open = OpenTransactions.in(context);
			return enter(context, leadership, open).flatMapMany(
					(scope) -> work.apply(scope).contextWrite((inner) -> open.within(inner).put(SCOPE, scope)));
		});
	}

	private Mono<FencedScope> enter(ContextView context, Leadership leadership, OpenTransactions open) {
		FencedScope outer = scopeIn(context);
		if (FencedScope.leaderships(outer).contains(leadership)) {
			// Then so is the current transaction, if there is one.
			return Mono.fromSupplier(() -> FencedScope.within(outer, leadership, true));
		}
		return Flux.fromIterable(this.managers)
			.concatMap((manager) -> manager.join(leadership, open))
			.reduce(false, Boolean::logicalOr)
			.map((joined) -> FencedScope.within(outer, leadership, joined));
	}

	static @Nullable FencedScope scopeIn(ContextView context) {
		return context.getOrDefault(SCOPE, null);
	}

	@Override
	public void requireUsable() {
		List<ReactiveMongoTransactionManager> present = this.supplier.get().toList();
		this.managers = present.stream().map(ReactiveMongoTransactionFence::fenced).toList();
		if (present.isEmpty()) {
			throw new UnusableFenceException("there is no reactive transaction manager for MongoDB",
					"Declare a bean: new FencedReactiveMongoTransactionManager(databaseFactory)");
		}
		this.managers.forEach(FencedReactiveMongoTransactionManager::requireUsable);
	}

	static FencedReactiveMongoTransactionManager fenced(Object manager) {
		if (manager instanceof FencedReactiveMongoTransactionManager fenced) {
			return fenced;
		}
		throw new UnusableFenceException(
				"transactions of a " + manager.getClass().getName() + " offer no place to do it",
				"Use a FencedReactiveMongoTransactionManager, which is the same but for that");
	}

}
