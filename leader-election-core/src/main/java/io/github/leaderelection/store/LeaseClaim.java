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
	 * Return whether this claim may follow the given lease: the same election, and a
	 * greater term, which is none beyond the greatest.
	 * @param lease the lease that the claim would replace
	 * @return whether it may
	 */
	public boolean succeeds(Lease lease) {
		return this.election.equals(lease.election()) && this.term > lease.term() && this.term <= Lease.MAX_TERM;
	}

	/**
	 * Require that this claim may follow the given lease.
	 * @param lease the lease that the claim would replace
	 * @throws IllegalArgumentException if it may not
	 * @see #succeeds(Lease)
	 */
	public void requireSucceeds(Lease lease) {
		if (!succeeds(lease)) {
			throw new IllegalArgumentException(
					"%s can't follow %s: it must have the same election and a greater term, %d at most".formatted(this,
							lease, Lease.MAX_TERM));
		}
	}

	@Override
	public String toString() {
		return "LeaseClaim[election=%s, holder=%s, term=%d]".formatted(StoredText.printable(this.election),
				StoredText.printable(this.holder), this.term);
	}

}
