package io.github.leaderelection.store;

import io.github.leaderelection.LeaderElectionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store did not answer: the outcome of the call is unknown. The message
 * never contains credentials. Messages, those of the causes too, are fit for a log,
 * whatever was stored that they quote.
 */
public class LeaseStoreException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	private final String kind;

	/**
	 * Create an exception.
	 * @param message what failed, and why
	 * @param cause the cause, or {@code null}. One whose message could forge lines of a
	 * log is replaced by another that tells the same.
	 */
	public LeaseStoreException(String message, @Nullable Throwable cause) {
		this(message, message, cause);
	}

	/**
	 * Create an exception.
	 * @param message what failed, and why
	 * @param kind what kind of failure it is: those of one kind have one remedy, whatever
	 * has failed
	 * @param cause the cause, or {@code null}, as in the other constructor
	 */
	public LeaseStoreException(String message, String kind, @Nullable Throwable cause) {
		super(StoredText.printable(message, PrintableFailure.MAX_LENGTH), PrintableFailure.of(cause));
		this.kind = kind;
	}

	/**
	 * Return what kind of failure it is. An outage tells each kind once.
	 * @return the kind, the message where nothing else is known; not for people
	 */
	public String kind() {
		return this.kind;
	}

}
