package io.github.leaderelection.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Thrown when an operation is refused. Its message is a sentence for whoever asked.
 */
final class RefusedException extends InvalidEndpointRequestException {

	/** What is asked for makes no sense. */
	static final int INVALID = 400;

	/** This instance does not stand in the election, or has no such job. */
	static final int UNKNOWN = 404;

	/** What is asked for can't be done as things are now. */
	static final int CONFLICT = 409;

	/** The store, which it takes to do what is asked for, does not answer. */
	static final int UNREACHABLE = 503;

	private static final long serialVersionUID = 1L;

	private final int status;

	/**
	 * Create an exception.
	 * @param status the status of an answer over HTTP
	 * @param sentence why it is refused
	 */
	RefusedException(int status, String sentence) {
		super(sentence, sentence);
		this.status = status;
	}

	int status() {
		return this.status;
	}

}
