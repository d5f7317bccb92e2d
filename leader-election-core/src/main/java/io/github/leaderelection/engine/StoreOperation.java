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

	/** Renews leases. */
	RENEW(true),

	/** Gives a lease back. */
	RELEASE(true),

	/** Makes this process known, and reads who else is there. */
	ANNOUNCE(false),

	/** Removes this process from those that are known. */
	WITHDRAW(false);

	private final boolean change;

	StoreOperation(boolean change) {
		this.change = change;
	}

	/** Return whether the operation changes leases, rather than reads. */
	boolean isChange() {
		return this.change;
	}

}
