package io.github.leaderelection.store;

import io.github.leaderelection.LeaderElectionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store did not answer: the outcome of the call is unknown. The message
 * never contains credentials.
 */
public class LeaseStoreException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	public LeaseStoreException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
