package io.github.leaderelection.store;

import java.time.Duration;

/**
 * A lease to be taken, if it is still as it was seen.
 *
 * @param expected the lease that is replaced
 * @param claim the new holder and its term, which is greater than that of the expected
 * lease
 * @param ttl the time to live that the new holder asks for, positive
 */
public record LeaseTaking(Lease expected, LeaseClaim claim, Duration ttl) {

	/**
	 * Require that the claim may follow the expected lease.
	 * @throws IllegalArgumentException if it may not
	 * @see LeaseClaim#requireSucceeds(Lease)
	 */
	public void requireValid() {
		this.claim.requireSucceeds(this.expected);
	}

	/**
	 * Return the lease as it will be when it has been taken, but for its dates.
	 * @return the lease
	 */
	public Lease taken() {
		return new Lease(this.expected.election(), this.claim.holder(), this.claim.term(), this.expected.revision() + 1,
				this.ttl, null, null);
	}

}
