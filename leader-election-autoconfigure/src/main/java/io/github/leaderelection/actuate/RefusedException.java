package io.github.leaderelection.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Thrown when an operation is refused. The message is a sentence for the caller.
 */
final class RefusedException extends InvalidEndpointRequestException {

	/** The request makes no sense. */
	static final int INVALID = 400;

	/** This instance does not stand in the election, or has no such job. */
	static final int UNKNOWN = 404;

	/** The operation is not possible at present. */
	static final int CONFLICT = 409;

	/** The store is needed for the operation and does not answer. */
	static final int UNREACHABLE = 503;

	private static final long serialVersionUID = 1L;

	private final int status;

	/**
	 * Create an exception.
	 * @param status the status of an HTTP response
	 * @param sentence why the operation is refused
	 */
	RefusedException(int status, String sentence) {
		super(sentence, sentence);
		this.status = status;
	}

	int status() {
		return this.status;
	}

}
