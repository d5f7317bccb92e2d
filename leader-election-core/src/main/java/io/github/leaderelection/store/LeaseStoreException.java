package io.github.leaderelection.store;

import java.util.stream.Stream;

import io.github.leaderelection.LeaderElectionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store did not answer: the outcome of the call is unknown. The message
 * never contains credentials. Messages, including those of causes, are fit for a log even
 * where they quote what is stored.
 */
public class LeaseStoreException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	/** Enough for a sentence, or for the message of a driver. */
	private static final int MAX_LENGTH = 4000;

	/** How far causes are followed, as they may form a circle. */
	private static final int MAX_DEPTH = 10;

	private final String kind;

	/**
	 * Create an exception.
	 * @param message what failed, and why
	 * @param cause the cause, or {@code null}. It is left out if its message, or that of
	 * one of its causes, could forge lines of a log: servers quote what is stored.
	 */
	public LeaseStoreException(String message, @Nullable Throwable cause) {
		this(message, message, cause);
	}

	/**
	 * Create an exception.
	 * @param message what failed, and why
	 * @param kind the kind of failure; failures of one kind have the same remedy,
	 * whatever has failed
	 * @param cause the cause, or {@code null}, as in the other constructor
	 */
	public LeaseStoreException(String message, String kind, @Nullable Throwable cause) {
		super(StoredText.printable(message, MAX_LENGTH),
				(cause != null && isPrintable(cause, MAX_DEPTH)) ? cause : null);
		this.kind = kind;
	}

	private static boolean isPrintable(Throwable failure, int depth) {
		String text = failure.toString();
		Throwable cause = failure.getCause();
		return depth > 0 && text.length() <= MAX_LENGTH && StoredText.isPrintable(text)
				&& (cause == null || isPrintable(cause, depth - 1))
				&& Stream.of(failure.getSuppressed()).allMatch((each) -> isPrintable(each, depth - 1));
	}

	/**
	 * Return the kind of failure. During an outage each kind is reported once.
	 * @return the kind, or the message if nothing else is known; not for people
	 */
	public String kind() {
		return this.kind;
	}

}
