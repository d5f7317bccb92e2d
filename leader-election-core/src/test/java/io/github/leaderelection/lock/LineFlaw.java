package io.github.leaderelection.lock;

/**
 * Ways to break locks, each of which a simulation must notice.
 */
public enum LineFlaw {

	/** Locks as they are. */
	NONE,

	/** Two who wait are served in one term. */
	SERVES_TWO,

	/** The next in line gets the lock in the term of the last. */
	KEEPS_THE_TERM,

	/** A term that could not be given up at once is not given up later. */
	GIVES_UP_ONCE,

	/** A lock is closed, and its term goes on. */
	GIVES_NOTHING_UP,

	/** Nobody waits any more, and the line stands on. */
	STAYS_WHEN_EMPTY,

	/** Who waits is forgotten when the lock is lost. */
	FORGETS_WHO_WAITS,

	/** A lock that was lost and not closed is no work of its term. */
	GIVES_NO_MARGIN,

	/** A lock that was lost blocks its name until it is closed. */
	STAYS_WHILE_OPEN,

	/** Leases are removed, and terms begin again. */
	REMOVES_WITHOUT_FLOOR

}
