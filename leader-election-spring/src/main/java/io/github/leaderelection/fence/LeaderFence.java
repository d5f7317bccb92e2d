package io.github.leaderelection.fence;

import io.github.leaderelection.Leadership;

/**
 * Guards the transactions of threads that write in the name of a leadership. Safe for use
 * by any thread.
 */
public interface LeaderFence {

	/**
	 * Guards nothing. For tests, and for processes whose terms mean nothing to others, as
	 * when leader election is disabled.
	 */
	LeaderFence NONE = (leadership) -> () -> {
	};

	/**
	 * Guard the current transaction of the calling thread, if it has one, and each one
	 * that it begins until the scope is closed. May call the database.
	 * @param leadership the leadership in whose name the thread writes
	 * @return the scope, to be closed by the same thread
	 * @throws io.github.leaderelection.LeadershipLostException if there is a transaction,
	 * and the leadership has ended, or a later leader has raised the fence
	 * @throws UnusableFenceException if the transaction can't be guarded
	 */
	Scope open(Leadership leadership);

	/**
	 * Require that there are transactions that can be guarded. May call the database, for
	 * a short time. Does nothing by default.
	 * @throws UnusableFenceException if there are none
	 */
	default void requireUsable() {
	}

	/**
	 * The scope in which a thread writes in the name of a leadership.
	 */
	interface Scope extends AutoCloseable {

		/**
		 * Return whether a transaction has been guarded so far. By default this is not
		 * tracked, and the answer is {@code true}, so that no warning is logged.
		 * @return {@code false} if no transaction was guarded
		 */
		default boolean hasGuarded() {
			return true;
		}

		@Override
		void close();

	}

}
