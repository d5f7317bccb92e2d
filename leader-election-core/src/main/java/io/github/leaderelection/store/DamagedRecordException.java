package io.github.leaderelection.store;

/**
 * Thrown when a record can't be understood. The message is the end of a sentence, and fit
 * for a log.
 */
public final class DamagedRecordException extends Exception {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what is wrong, as the end of a sentence
	 */
	public DamagedRecordException(String message) {
		super(message, null, false, false);
	}

}
