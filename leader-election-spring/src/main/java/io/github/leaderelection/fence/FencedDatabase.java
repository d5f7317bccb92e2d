package io.github.leaderelection.fence;

import io.github.leaderelection.Leadership;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionStatus;

/**
 * The database of a transaction manager, which stores the fences for its transactions.
 * Unless stated otherwise, methods may call the database, and throw what Spring's
 * templates throw.
 */
interface FencedDatabase {

	/** Return whether the calling thread has a transaction there. */
	boolean inTransaction();

	/**
	 * Return whether the calling thread has a transaction there, or still uses the
	 * connection of one that has just ended.
	 */
	default boolean isBound() {
		return inTransaction();
	}

	/**
	 * Return the resource that is bound to the calling thread for its transaction, or
	 * {@code null} if there is none. Does not call the database.
	 */
	@Nullable Object resource();

	/**
	 * Return whether a transaction that is about to be committed is rolled back instead.
	 * If it was marked too late for its manager to see, it is committed.
	 */
	default boolean isRolledBack(TransactionExecution transaction) {
		return false;
	}

	/** Flush the pending changes of a transaction to the database. */
	default void flush(TransactionStatus transaction) {
	}

	/**
	 * Raise the fence, so that no transaction of an earlier leader can commit any more.
	 * Takes no part in a transaction of the calling thread, but may be called during one.
	 * @throws io.github.leaderelection.LeadershipLostException if a later leader is known
	 * to have raised it
	 */
	void raise(Leadership leadership);

	/**
	 * Require that a transaction can't miss a change that an earlier leader has made
	 * since it began: either the database reports each such change as a conflict, or
	 * there is none, because the fence had been raised before.
	 * @param begunAt when the transaction began, by {@link System#nanoTime()}
	 * @throws org.springframework.dao.ConcurrencyFailureException if the transaction must
	 * be run again
	 */
	default void requireRaisedBefore(Leadership leadership, long begunAt) {
	}

	/**
	 * Open a passage through the fence for the current transaction. Does not call the
	 * database.
	 */
	Passage open(Leadership leadership);

	/**
	 * Require that the database can store fences.
	 * @param alone whether it is the only database; if it is not, a database of a product
	 * that can't store fences is accepted, since it may serve other purposes
	 * @throws UnusableFenceException if it is known that it can't
	 */
	void requireUsable(boolean alone);

	/**
	 * The passage of one transaction through the fence, to be closed when the transaction
	 * has ended.
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
