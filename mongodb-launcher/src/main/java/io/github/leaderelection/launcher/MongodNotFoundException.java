package io.github.leaderelection.launcher;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when no {@code mongod} can be found or fetched. The message says what to do.
 */
public class MongodNotFoundException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	MongodNotFoundException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
