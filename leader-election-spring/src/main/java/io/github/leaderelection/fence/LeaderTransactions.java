package io.github.leaderelection.fence;

import java.util.function.Consumer;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs work in transactions that are fenced with a leadership: once a later leader has
 * raised the fence of the election, they do not commit. For code without annotations,
 * such as a {@link io.github.leaderelection.Candidate}; otherwise use
 * {@link io.github.leaderelection.LeaderOnly#fenced()}.
 * <p>
 * Transactions that the work itself begins are fenced, too, for example by a method with
 * {@code @Transactional(propagation = REQUIRES_NEW)}. Safe for use by any thread.
 */
public final class LeaderTransactions {

	private final LeaderFence fence;

	private final TransactionTemplate transactions;

	/**
	 * Create an instance. May call the database, for a short time.
	 * @param fence guards the transactions
	 * @param manager the manager of the transactions
	 * @throws UnusableFenceException if the fence can't guard transactions of this
	 * manager, for example because its database has no table for fences or is a
	 * standalone MongoDB server
	 */
	public LeaderTransactions(LeaderFence fence, PlatformTransactionManager manager) {
		if (fence instanceof TransactionFence transactionFence) {
			transactionFence.requireUsable(manager);
		}
		this.fence = fence;
		this.transactions = new TransactionTemplate(manager);
	}

	/**
	 * Run the work in a transaction: the current one, if there is one, or a new one.
	 * @param <T> the type of the result
	 * @param leadership the leadership in whose name the work is done
	 * @param work the work
	 * @return what the work returns
	 * @throws io.github.leaderelection.LeadershipLostException if the leadership is known
	 * to have ended, or a later leader has raised the fence; nothing of the transaction
	 * is stored. If the work takes part in a transaction that was there before, the
	 * commit of that transaction may throw it instead
	 * @throws org.springframework.dao.DataAccessException if the database fails, or asks
	 * for the transaction to be run again
	 */
	public <T extends @Nullable Object> T execute(Leadership leadership, TransactionCallback<T> work) {
		leadership.requireHeld();
		try (LeaderFence.Scope scope = this.fence.open(leadership)) {
			return this.transactions.execute(work);
		}
	}

	/**
	 * Run work that has no result, as {@link #execute} does.
	 * @param leadership the leadership in whose name the work is done
	 * @param work the work
	 */
	public void executeWithoutResult(Leadership leadership, Consumer<TransactionStatus> work) {
		this.<@Nullable Object>execute(leadership, (status) -> {
			work.accept(status);
			return null;
		});
	}

}
