package io.github.leaderelection;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of the exceptions of leader election.
 */
public abstract class LeaderElectionException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	protected LeaderElectionException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
