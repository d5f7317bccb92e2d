package io.github.leaderelection.store;

/**
 * What the holder of a lease claims, and names at every change: a renewal or release that
 * no longer matches what is stored changes nothing.
 *
 * @param election the election name
 * @param holder the id of the candidate
 * @param term the term that it was granted
 */
public record LeaseClaim(String election, String holder, long term) {

	/**
	 * Require that this claim may follow the given lease: the same election, and a
	 * greater term.
	 * @param lease the lease that the claim would replace
	 * @throws IllegalArgumentException if it may not
	 */
	public void requireSucceeds(Lease lease) {
		if (!this.election.equals(lease.election()) || this.term <= lease.term()) {
			throw new IllegalArgumentException(
					"%s can't follow %s: it must have the same election and a greater term".formatted(this, lease));
		}
	}

}
