package io.github.leaderelection.mongodb;

/**
 * Thrown when a stored lease can't be understood. The message is a sentence without its
 * full stop that says what is wrong with it.
 */
class DamagedLeaseException extends Exception {

	private static final long serialVersionUID = 1L;

	DamagedLeaseException(String message) {
		super(message);
	}

}
