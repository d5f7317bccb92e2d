package io.github.leaderelection.fence;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;

/**
 * The database of a transaction manager, which keeps the fences of its transactions. All
 * methods but {@link #open} may call it, and throw what Spring's templates throw.
 */
interface FencedDatabase {

	/** Return whether the calling thread has a transaction there. */
	boolean inTransaction();

	/**
	 * Return whether the calling thread has a transaction there, or one that has ended
	 * just now, whose connection it still uses.
	 */
	default boolean isBound() {
		return inTransaction();
	}

	/**
	 * Return what is bound to the calling thread for its transaction, {@code null} if
	 * nothing is. Does not call the database.
	 */
	@Nullable Object resource();

	/**
	 * Return whether a transaction that is about to be committed is rolled back instead.
	 * One that is marked so late that its manager has not seen it is committed.
	 */
	default boolean isRolledBack(TransactionExecution transaction) {
		return false;
	}

	/** Write what a transaction has kept back so far. */
	default void flush(TransactionStatus transaction) {
	}

	/**
	 * Let no transaction of an earlier leader commit any more. Is no part of a
	 * transaction of the calling thread, and may be called during one.
	 * @throws io.github.leaderelection.LeadershipLostException if a later leader is known
	 * to have done so
	 */
	void raise(Leadership leadership);

	/**
	 * Require that the database sees all that earlier leaders have changed since a
	 * transaction began as a conflict, or that there is nothing of that kind, since the
	 * fence had been raised before.
	 * @param begunAt when it began, by {@link System#nanoTime()}
	 * @throws org.springframework.dao.ConcurrencyFailureException if it is to be run
	 * again
	 */
	default void requireRaisedBefore(Leadership leadership, long begunAt) {
	}

	/** Return the way through the fence for the current transaction. */
	Passage open(Leadership leadership);

	/**
	 * Require that there can be fences.
	 * @param alone whether it is the only database; another of a product that can't have
	 * any may be there for other things
	 * @throws UnusableFenceException if it is known that there can't
	 */
	void requireUsable(boolean alone);

	/**
	 * The way of one transaction through the fence, to be closed when it has ended.
	 */
	interface Passage extends AutoCloseable {

		/**
		 * Pass the fence, as part of the transaction, so that a later leader that raises
		 * it waits for the end of the transaction.
		 * @throws io.github.leaderelection.LeadershipLostException if a later leader has
		 * raised it; the transaction must be rolled back
		 */
		void pass();

		@Override
		default void close() {
		}

	}

}
