package io.github.leaderelection.store;

/**
 * A lease to be taken, if it is still as it was seen.
 *
 * @param expected the lease that is replaced
 * @param taken the lease as it will be but for its date: the same election, the next
 * revision, a greater term, and a holder
 */
public record LeaseTaking(Lease expected, Lease taken) {

	/**
	 * Return the taking of a lease.
	 * @param expected the lease that is replaced
	 * @param session what vouches for it from now on
	 * @param term the new term
	 * @return the taking
	 */
	public static LeaseTaking of(Lease expected, Session session, long term) {
		return new LeaseTaking(expected, new Lease(expected.election(), session.candidate(), session.number(), term,
				expected.revision() + 1, session.ttl(), null, null));
	}

	/**
	 * Return whether the term may follow that of the lease which is expected.
	 * @return whether it is greater, and none beyond the greatest
	 */
	public boolean isValid() {
		return this.taken.election().equals(this.expected.election()) && this.taken.term() > this.expected.term()
				&& this.taken.term() <= Lease.MAX_TERM;
	}

}
