package io.github.leaderelection;

/**
 * Why a {@link Leadership} ended.
 */
public enum LossReason {

	/**
	 * No heartbeat of this process was acknowledged in time, or its lease could not be
	 * read in time.
	 */
	EXPIRED,

	/**
	 * Another process has ended the session of this one, or the session was gone; or the
	 * stored lease no longer named this process and term, or was damaged or removed. It
	 * need not mean that another process leads.
	 */
	TAKEN_OVER,

	/**
	 * Leadership was given up: {@linkplain LeaderElection#resign(String) resigned},
	 * transferred, paused, handed over on request, or, of a lock, closed.
	 */
	RESIGNED,

	/** The application was shut down, or the last candidate withdrew. */
	SHUTDOWN,

	/** {@link Candidate#onElected(Leadership)} threw an exception. */
	CALLBACK_FAILED

}
