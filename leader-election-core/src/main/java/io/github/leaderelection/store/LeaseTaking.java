package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

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
	 * Return the takings that are valid: each claim may follow the lease that it expects.
	 * One that is not keeps no other from being made.
	 * @param takings the takings
	 * @return those to be made
	 * @throws IllegalArgumentException if there are some, and none is valid
	 * @see LeaseClaim#succeeds(Lease)
	 */
	public static List<LeaseTaking> valid(Collection<LeaseTaking> takings) {
		List<LeaseTaking> valid = takings.stream().filter((each) -> each.claim.succeeds(each.expected)).toList();
		if (valid.isEmpty()) {
			takings.forEach((each) -> each.claim.requireSucceeds(each.expected));
		}
		return valid;
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
