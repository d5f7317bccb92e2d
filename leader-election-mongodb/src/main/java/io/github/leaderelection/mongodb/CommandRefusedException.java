package io.github.leaderelection.mongodb;

import io.github.leaderelection.store.LeaseStoreException;

/**
 * Thrown when the server refuses a command. A type of its own, since the cause may have
 * been left out of the exception; see {@link LeaseStoreException}.
 */
final class CommandRefusedException extends LeaseStoreException {

	private static final long serialVersionUID = 1L;

	CommandRefusedException(String message, String kind, Throwable cause) {
		super(message, kind, cause);
	}

}
