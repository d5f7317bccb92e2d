package io.github.leaderelection.engine;

/**
 * What an engine asks of its stores.
 */
public enum StoreOperation {

	/** Reads leases. */
	READ,

	/** Creates a vacant lease. */
	CREATE,

	/** Takes a lease. */
	TAKE,

	/** Tells that this process lives. */
	RENEW,

	/** Reads the sessions of others. */
	WATCH,

	/** Creates a tombstone for another process that has no session. */
	BURY,

	/** Ends the session of another process. */
	EXPIRE,

	/** Gives a lease back. */
	RELEASE,

	/** Tells that this process lives no more. */
	CLOSE,

	/** Makes this process known, and reads who else is there. */
	ANNOUNCE,

	/** Removes this process from those that are known. */
	WITHDRAW;

	/**
	 * Return whether the operation is made again and again for as long as this process
	 * takes part, so that nothing but its own success tells that it works.
	 */
	boolean isRepeated() {
		return this == READ || this == WATCH;
	}

	/**
	 * Return whether the operation makes a change for the sake of certain leases, rather
	 * than reads, or concerns a process as a whole.
	 */
	boolean isChange() {
		return this == CREATE || this == TAKE || this == BURY || this == RELEASE;
	}

}
