package io.github.leaderelection.store;

import java.util.stream.Stream;

import io.github.leaderelection.LeaderElectionException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a store did not answer: the outcome of the call is unknown. The message
 * never contains credentials. Messages, those of the causes too, are fit for a log,
 * whatever was stored that they quote.
 */
public class LeaseStoreException extends LeaderElectionException {

	private static final long serialVersionUID = 1L;

	/** Of a whole sentence, or of what a driver says. */
	private static final int MAX_LENGTH = 4000;

	/** How far causes are looked at, of which there may be circles. */
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
	 * @param kind what kind of failure it is: those of one kind have one remedy, whatever
	 * has failed
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
	 * Return what kind of failure it is. An outage tells each kind once.
	 * @return the kind, the message where nothing else is known; not for people
	 */
	public String kind() {
		return this.kind;
	}

}
