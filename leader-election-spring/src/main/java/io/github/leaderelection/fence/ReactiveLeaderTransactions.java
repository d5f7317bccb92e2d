package io.github.leaderelection.fence;

import io.github.leaderelection.Leadership;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;

/**
 * Runs reactive work in transactions that are fenced with a leadership, as
 * {@link LeaderTransactions} does: once a later leader has raised the fence of the
 * election, they do not commit. Each subscription is a transaction of its own, or part of
 * the subscriber's. Safe for use by any thread.
 */
public final class ReactiveLeaderTransactions {

	private final ReactiveLeaderFence fence;

	private final TransactionalOperator transactions;

	/**
	 * Create an instance. May call the database, for a short time.
	 * @param fence guards the transactions
	 * @param manager the manager of the transactions
	 * @throws UnusableFenceException if the fence can't guard transactions of this
	 * manager, or MongoDB is a standalone server, which has none
	 */
	public ReactiveLeaderTransactions(ReactiveLeaderFence fence, ReactiveTransactionManager manager) {
		if (fence != ReactiveLeaderFence.NONE) {
			ReactiveMongoTransactionFence.fenced(manager).requireUsable();
		}
		this.fence = fence;
		this.transactions = TransactionalOperator.create(manager);
	}

	/**
	 * Let work be done in a transaction: the subscriber's, if it has one, or a new one.
	 * @param <T> the type of the result
	 * @param leadership the leadership in whose name the work is done
	 * @param work the work
	 * @return the work in a transaction; fails with
	 * {@link io.github.leaderelection.LeadershipLostException} if the leadership has
	 * ended, as far as this process knows, or a later leader has raised the fence:
	 * nothing of the work is stored then
	 */
	public <T> Mono<T> transactional(Leadership leadership, Mono<T> work) {
		return Mono.defer(() -> {
			leadership.requireHeld();
			return this.fence.guard(leadership, (scope) -> this.transactions.transactional(work));
		});
	}

	/**
	 * Let work with many results be done in a transaction, as {@link #transactional} for
	 * one.
	 * @param <T> the type of the results
	 * @param leadership the leadership in whose name the work is done
	 * @param work the work
	 * @return the work in a transaction
	 */
	public <T> Flux<T> transactional(Leadership leadership, Flux<T> work) {
		return Flux.defer(() -> {
			leadership.requireHeld();
			return this.fence.guardMany(leadership, (scope) -> this.transactions.transactional(work));
		});
	}

}
