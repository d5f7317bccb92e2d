package io.github.leaderelection.autoconfigure;

/**
 * Thrown at startup when leader election is enabled and there is nowhere to keep leases.
 */
class NoLeaseStoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	NoLeaseStoreException() {
		super("Leader election is enabled, but there is no LeaseStore to keep its leases");
	}

}
