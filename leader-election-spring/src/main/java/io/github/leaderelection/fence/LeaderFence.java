package io.github.leaderelection.fence;

import io.github.leaderelection.Leadership;

/**
 * Guards what threads write in the name of a leadership. Safe for use by any thread.
 */
public interface LeaderFence {

	/**
	 * Guards nothing. For processes whose terms mean nothing to others, as where leader
	 * election is disabled, and in tests.
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
	 * Require that there is something to guard. May call the database, for a short time.
	 * @throws UnusableFenceException if there is not
	 */
	default void requireUsable() {
	}

	/**
	 * A time in which a thread writes in the name of a leadership.
	 */
	interface Scope extends AutoCloseable {

		/**
		 * Return whether there was a transaction to guard so far. By default there is
		 * nothing to find out, and nobody to be told.
		 * @return {@code false} if no transaction was guarded
		 */
		default boolean hasGuarded() {
			return true;
		}

		@Override
		void close();

	}

}
