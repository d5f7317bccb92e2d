package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps one lease per election, and changes it by compare-and-set only: every change
 * names what it replaces, and changes nothing if something else is stored. What a method
 * reports as done is durable: no failover takes it back, and every later read shows it.
 * <p>
 * Each call blocks for at most its timeout. {@link LeaseStoreException} means that the
 * outcome is <em>unknown</em>: a change may have been made, may still be made later, or
 * never. Implementations are safe for use by several threads.
 */
public interface LeaseStore {

	/**
	 * Return the id under which this store keeps the lease of an election. Does no I/O.
	 * @param election the election name
	 * @return the id, by default the name itself
	 */
	default String leaseId(String election) {
		return election;
	}

	/**
	 * Read the leases of the given elections in one round trip.
	 * @param elections the election names
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if the leases could not be read
	 */
	LeaseReading read(Collection<String> elections, Duration timeout);

	/**
	 * Create leases, in one round trip, for elections that have none. Where there is one
	 * already it is left as it is.
	 * @param leases vacant leases; the term is the last one granted as far as the caller
	 * knows, and the time to live that for which others shall treat the lease as held
	 * should it vanish. Revision and dates are of no importance.
	 * @param timeout how long to wait at most, positive
	 * @return the elections whose lease was created by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> create(Collection<Lease> leases, Duration timeout);

	/**
	 * Create a vacant lease for an election that has none.
	 * @param election the election name
	 * @param term the last term granted as far as the caller knows, 0 if there was none
	 * @param ttl the time to live for which others shall treat the lease as held should
	 * it vanish, positive
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was created by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	default boolean create(String election, long term, Duration ttl, Duration timeout) {
		return !create(List.of(new Lease(election, null, term, 0, ttl, null, null)), timeout).isEmpty();
	}

	/**
	 * Take leases, those which are exactly as expected, in one round trip if all of them
	 * are. What is granted follows from the answer to this very call: an implementation
	 * must not report a lease as taken because a later read shows the claimant as holder.
	 * @param takings what to take, one for each election at most. One whose term is not
	 * greater than that of the lease that it expects, or greater than
	 * {@link Lease#MAX_TERM}, is left out.
	 * @param timeout how long to wait at most, positive
	 * @return the leases known to have been taken, by election. Of the others some may
	 * have been taken, too, without proof: they show the claimant as holder.
	 * @throws LeaseStoreException if the outcome is unknown for all
	 * @throws IllegalArgumentException if all would have to be left out
	 */
	Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout);

	/**
	 * Take the lease if it is exactly as expected.
	 * @param expected the lease that is replaced
	 * @param claim the new holder and its term, which is greater than that of the
	 * expected lease
	 * @param ttl the time to live that the new holder asks for, positive
	 * @param timeout how long to wait at most, positive
	 * @return the lease as taken, or empty if the stored lease is another
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	default Optional<Lease> take(Lease expected, LeaseClaim claim, Duration ttl, Duration timeout) {
		return Optional
			.ofNullable(take(List.of(new LeaseTaking(expected, claim, ttl)), timeout).get(expected.election()));
	}

	/**
	 * Renew all given leases in one round trip, two where some were refused.
	 * @param claims what is claimed
	 * @param timeout how long to wait at most, positive
	 * @return which claims were renewed and which refused
	 * @throws LeaseStoreException if the outcome is unknown for all
	 */
	LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout);

	/**
	 * Make leases vacant, those which are as claimed, in one round trip; their terms
	 * stay.
	 * @param releases what to release
	 * @param timeout how long to wait at most, positive
	 * @return how many were as claimed and are vacant now
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	int release(Collection<LeaseRelease> releases, Duration timeout);

	/**
	 * Make the lease vacant if it is as claimed, for anyone to take.
	 * @param claim what is claimed
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was as claimed and is vacant now
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	default boolean release(LeaseClaim claim, Duration timeout) {
		return release(List.of(new LeaseRelease(claim, null)), timeout) == 1;
	}

	/**
	 * Start to watch all leases. What it shows is a hint: changes may arrive late, more
	 * than once, or not at all. Of use are those that make a leader, or leave a lease
	 * without one; renewals need not be shown.
	 * @return the watch, to be closed after use
	 * @throws LeaseStoreException if changes can't be watched now
	 * @throws UnsupportedOperationException if this store can't tell of changes at all;
	 * the message says why
	 */
	LeaseWatch watch();

}
