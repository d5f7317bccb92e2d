package io.github.leaderelection;

/**
 * Why a {@link Leadership} ended.
 */
public enum LossReason {

	/**
	 * No heartbeat of this process was acknowledged in time, or its lease could not be
	 * looked at in time.
	 */
	EXPIRED,

	/**
	 * Others have ended the session of this process, or it was gone; or the stored lease
	 * no longer named this process and term, or was damaged or removed. Nobody else need
	 * lead.
	 */
	TAKEN_OVER,

	/**
	 * Leadership was given up: {@linkplain LeaderElection#resign(String) resigned},
	 * transferred, paused, asked for by somebody else, or, of a lock, closed.
	 */
	RESIGNED,

	/** The application was shut down, or the last candidate withdrew. */
	SHUTDOWN,

	/** {@link Candidate#onElected(Leadership)} threw an exception. */
	CALLBACK_FAILED

}
