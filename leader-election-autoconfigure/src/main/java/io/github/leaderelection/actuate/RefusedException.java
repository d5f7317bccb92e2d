package io.github.leaderelection.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Thrown when an operation is refused. Its message is a sentence for whoever asked.
 */
final class RefusedException extends InvalidEndpointRequestException {

	private static final long serialVersionUID = 1L;

	private final Kind kind;

	private final String sentence;

	RefusedException(Kind kind, String sentence) {
		super(sentence, sentence);
		this.kind = kind;
		this.sentence = sentence;
	}

	String sentence() {
		return this.sentence;
	}

	Kind kind() {
		return this.kind;
	}

	enum Kind {

		/** What is asked for makes no sense. */
		INVALID,

		/** This instance does not stand in the election, or has no such job. */
		UNKNOWN,

		/** What is asked for can't be done as things are now. */
		CONFLICT,

		/** The store, which it takes to do what is asked for, does not answer. */
		UNREACHABLE

	}

}
