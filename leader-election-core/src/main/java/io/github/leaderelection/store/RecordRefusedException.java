package io.github.leaderelection.store;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store answers, but takes none of the records that it was to keep, or
 * holds one that can't be used: nothing was changed, and nothing will be.
 */
public class RecordRefusedException extends LeaseStoreException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what was refused, and why
	 * @param cause the cause, or {@code null}
	 */
	public RecordRefusedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
