package io.github.leaderelection.engine;

/**
 * What an engine asks of its stores.
 */
public enum StoreOperation {

	/** Reads leases. */
	READ(false),

	/** Creates a vacant lease. */
	CREATE(true),

	/** Takes a lease. */
	TAKE(true),

	/** Tells that this process lives. */
	RENEW(false),

	/** Reads the sessions of others. */
	WATCH(false),

	/** Creates a tombstone for another process that has no session. */
	BURY(true),

	/** Ends the session of another process. */
	EXPIRE(false),

	/** Gives a lease back. */
	RELEASE(true),

	/** Tells that this process lives no more. */
	CLOSE(false),

	/** Makes this process known, and reads who else is there. */
	ANNOUNCE(false),

	/** Removes this process from those that are known. */
	WITHDRAW(false);

	private final boolean change;

	StoreOperation(boolean change) {
		this.change = change;
	}

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
		return this.change;
	}

}
