package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

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
	 * Read the leases of the given elections in one round trip.
	 * @param elections the election names
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if the leases could not be read
	 */
	LeaseReading read(Collection<String> elections, Duration timeout);

	/**
	 * Create a vacant lease for an election that has none. Quietly does nothing if there
	 * is one.
	 * @param election the election name
	 * @param term the last term granted as far as the caller knows, 0 if there was none
	 * @param ttl the time to live for which others shall treat the lease as held should
	 * it vanish, positive
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was created by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean create(String election, long term, Duration ttl, Duration timeout);

	/**
	 * Take the lease if it is exactly as expected. The outcome is the answer to this very
	 * call: an implementation must not report a lease as taken because a later read shows
	 * the claimant as holder.
	 * @param expected the lease that is replaced
	 * @param claim the new holder and its term, which is greater than that of the
	 * expected lease
	 * @param ttl the time to live that the new holder asks for, positive
	 * @param timeout how long to wait at most, positive
	 * @return the lease as taken, or empty if the stored lease is another
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Optional<Lease> take(Lease expected, LeaseClaim claim, Duration ttl, Duration timeout);

	/**
	 * Renew all given leases in one round trip, two where some were refused.
	 * @param claims what is claimed
	 * @param timeout how long to wait at most, positive
	 * @return which claims were renewed and which refused
	 * @throws LeaseStoreException if the outcome is unknown for all
	 */
	LeaseRenewal renew(Collection<LeaseClaim> claims, Duration timeout);

	/**
	 * Make the lease vacant if it is as claimed, for anyone to take.
	 * @param claim what is claimed
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was as claimed and is vacant now
	 * @throws LeaseStoreException if the outcome is unknown
	 * @see #release(LeaseClaim, String, Duration)
	 */
	default boolean release(LeaseClaim claim, Duration timeout) {
		return release(claim, null, timeout);
	}

	/**
	 * Make the lease vacant if it is as claimed; its term stays.
	 * @param claim what is claimed
	 * @param successor the candidate to leave it to, or {@code null}; noted in the lease
	 * until it is taken, and up to the candidates to respect
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was as claimed and is vacant now
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean release(LeaseClaim claim, @Nullable String successor, Duration timeout);

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
