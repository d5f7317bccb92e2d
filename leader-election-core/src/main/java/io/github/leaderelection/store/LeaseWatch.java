package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * An open watch of all leases. For use by one thread.
 */
public interface LeaseWatch extends AutoCloseable {

	/**
	 * Wait for a change, for half a minute at most. A call that has not returned long
	 * after that is interrupted.
	 * @return the change, or {@code null} if there was none
	 * @throws LeaseStoreException if the watch is broken
	 */
	@Nullable LeaseChange next();

	@Override
	void close();

}
