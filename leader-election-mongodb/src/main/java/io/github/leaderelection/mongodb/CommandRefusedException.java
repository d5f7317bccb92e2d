package io.github.leaderelection.mongodb;

import io.github.leaderelection.store.LeaseStoreException;

/**
 * Thrown when the server does not do what a command asks for, and may do something
 * simpler instead. The cause can't tell: it may have been replaced.
 */
final class CommandRefusedException extends LeaseStoreException {

	private static final long serialVersionUID = 1L;

	CommandRefusedException(String message, String kind, Throwable cause) {
		super(message, kind, cause);
	}

}
