package io.github.leaderelection.mongodb;

import io.github.leaderelection.store.LeaseStoreException;

/**
 * Thrown when the server refuses a command. The cause can't tell: it may have been
 * replaced.
 */
final class CommandRefusedException extends LeaseStoreException {

	private static final long serialVersionUID = 1L;

	CommandRefusedException(String message, String kind, Throwable cause) {
		super(message, kind, cause);
	}

}
