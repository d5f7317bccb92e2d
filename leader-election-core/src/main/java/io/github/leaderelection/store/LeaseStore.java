package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * Keeps one lease per election, beside the sessions of those who hold them, and changes
 * it by compare-and-set only: every change names what it replaces, and changes nothing if
 * something else is stored. What a method reports as done is durable: no failover takes
 * it back, and every later read shows it.
 * <p>
 * Each call blocks for at most its timeout. {@link LeaseStoreException} means that the
 * outcome is <em>unknown</em>: a change may have been made, may still be made later, or
 * never. Implementations are safe for use by several threads.
 */
public interface LeaseStore extends SessionStore {

	/**
	 * As many leases are read whatever the caller knows of them.
	 */
	int FEW = 16;

	/**
	 * Return the id under which this store keeps the lease of an election. Does no I/O.
	 * @param election the election name
	 * @return the id, by default the name itself
	 */
	default String leaseId(String election) {
		return election;
	}

	/**
	 * Tell people where leases are kept, as in "database 'shop' of MongoDB". Does no I/O.
	 * @return a phrase, without any credentials; by default the name of the class
	 */
	default String place() {
		return getClass().getSimpleName();
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
	 * Read the leases of the given elections, of many of which the caller knows how they
	 * were. An implementation may find out that they are still so instead of reading
	 * them, and needs two round trips at most; by default it reads them.
	 * @param elections the election names
	 * @param known the leases as they were last seen of all elections that have, as far
	 * as the caller knows, the same holders as those which are asked for
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if the leases could not be read
	 */
	default LeaseReading read(Collection<String> elections, Collection<Lease> known, Duration timeout) {
		return read(elections, timeout);
	}

	/**
	 * Create leases, in one round trip, for elections that have none. Where there is one
	 * already it is left as it is.
	 * @param leases vacant leases; the term is the last one granted as far as the caller
	 * knows, and the time to live that for which others shall treat the lease as held
	 * should it vanish. Revision and date are of no importance.
	 * @param timeout how long to wait at most, positive
	 * @return the elections whose lease was created by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> create(Collection<Lease> leases, Duration timeout);

	/**
	 * Take leases, those which are exactly as expected, in one round trip if all of them
	 * are. What is granted follows from the answer to this very call: an implementation
	 * must not report a lease as taken because a later read shows the claimant as holder.
	 * @param takings what to take, one for each election at most. One that is not
	 * {@linkplain LeaseTaking#isValid() valid} is left out.
	 * @param timeout how long to wait at most, positive
	 * @return the leases known to have been taken, by election. Of the others some may
	 * have been taken, too, without proof: they show the claimant as holder.
	 * @throws LeaseStoreException if the outcome is unknown for all
	 * @throws IllegalArgumentException if all would have to be left out
	 */
	Map<String, Lease> take(Collection<LeaseTaking> takings, Duration timeout);

	/**
	 * Make leases vacant, those which are exactly as expected, in one round trip; their
	 * terms stay.
	 * @param releases what to release
	 * @param timeout how long to wait at most, positive
	 * @return the elections whose leases are known to have been as expected, and are
	 * vacant now. Of the others some may be, too, without proof.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	Set<String> release(Collection<LeaseRelease> releases, Duration timeout);

	/**
	 * Ask the holder of a lease for something, in one round trip, if the lease is exactly
	 * as expected. What was asked for before is forgotten. The next taking or release
	 * does away with it.
	 * @param expected the lease, held by somebody
	 * @param request what is asked for
	 * @param timeout how long to wait at most, positive
	 * @return whether the lease was as expected, and shows the request from now on
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean ask(Lease expected, HandoverRequest request, Duration timeout);

	/**
	 * Let nobody take the lease of an election until that is taken back, or take it back,
	 * in a few round trips. Who holds the lease keeps it until it gives it back by
	 * itself. Takings and releases change nothing about it.
	 * @param election the election name
	 * @param paused whether nobody may take the lease
	 * @param timeout how long to wait at most, positive
	 * @return whether that was changed; not if there is no lease, or it was so before
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean pause(String election, boolean paused, Duration timeout);

	/**
	 * Start to watch all leases. What it shows is a hint: changes may arrive late, more
	 * than once, or not at all.
	 * @return the watch, to be closed after use
	 * @throws LeaseStoreException if changes can't be watched now
	 * @throws UnsupportedOperationException if this store can't tell of changes at all;
	 * the message says why
	 */
	LeaseWatch watch();

}
