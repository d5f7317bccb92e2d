package io.github.leaderelection.mongodb;

/**
 * Thrown when a stored document can't be understood. The message is a sentence without
 * its full stop that says what is wrong with it.
 */
class DamagedDocumentException extends Exception {

	private static final long serialVersionUID = 1L;

	DamagedDocumentException(String message) {
		super(message);
	}

}
