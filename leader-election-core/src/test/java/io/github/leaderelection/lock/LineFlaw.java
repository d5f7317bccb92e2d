package io.github.leaderelection.lock;

/**
 * Ways to break locks, each of which the simulation must detect.
 */
public enum LineFlaw {

	/** Locks as they are. */
	NONE,

	/** Two waiters are served in one term. */
	SERVES_TWO,

	/** The next waiter gets the lock in the term of the last holder. */
	KEEPS_THE_TERM,

	/** A term that could not be given up at once is not given up later. */
	GIVES_UP_ONCE,

	/** A lock is closed, but its term goes on. */
	GIVES_NOTHING_UP,

	/** A line stays in its election though nobody waits any more. */
	STAYS_WHEN_EMPTY,

	/** Waiters are forgotten when the lock is lost. */
	FORGETS_WHO_WAITS,

	/** A lost lock that is still open does not count as work of its term. */
	GIVES_NO_MARGIN,

	/** A lock that was lost blocks its name until it is closed. */
	STAYS_WHILE_OPEN,

	/** Leases are removed, and their terms begin again. */
	REMOVES_WITHOUT_FLOOR

}
