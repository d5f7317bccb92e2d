package io.github.leaderelection;

/**
 * Why a {@link Leadership} ended.
 */
public enum LossReason {

	/** The lease was not renewed in time. */
	EXPIRED,

	/** The stored lease no longer named this process and term. */
	TAKEN_OVER,

	/** Leadership was given up by {@link LeaderElection#resign(String)}. */
	RESIGNED,

	/** The application was shut down, or the last candidate withdrew. */
	SHUTDOWN,

	/** {@link Candidate#onElected(Leadership)} threw an exception. */
	CALLBACK_FAILED

}
