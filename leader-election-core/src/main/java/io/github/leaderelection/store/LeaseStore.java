package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps one lease per election, and the sessions of the processes that hold them, and
 * changes both by compare-and-set only: every change names what it replaces, and changes
 * nothing if something else is stored. What a method reports as done is durable: no
 * failover takes it back, and every later read shows it.
 * <p>
 * Each call blocks for at most its timeout. {@link LeaseStoreException} means that the
 * outcome is <em>unknown</em>: a change may have been made, may still be made later, or
 * never. Implementations are safe for use by several threads.
 */
public interface LeaseStore {

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
	 * Remove leases of locks that are vacant, and were taken last some time ago. May be
	 * called at any time, by any number of processes: what is taken meanwhile stays.
	 * Terms don't start again for that: a lease that is {@linkplain #create created}
	 * where there was one before begins above every term that was ever granted under its
	 * name, whatever term its creator asks for. By default there is nothing to remove.
	 * @param unusedFor for how long nobody must have taken the lease, by the clock of the
	 * store; positive
	 * @param most how many leases to remove at most, positive
	 * @param timeout how long to wait at most, positive
	 * @return how many were removed; less than were asked for when there are no more
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	default int removeUnused(Duration unusedFor, int most, Duration timeout) {
		return 0;
	}

	// Sessions

	/**
	 * Insert a session, or a tombstone, unless there is one with its id.
	 * @param session the session; its date is of no importance
	 * @param timeout how long to wait at most, positive
	 * @return whether it was inserted by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean create(Session session, Duration timeout);

	/**
	 * Renew a session, if what is stored has the revision before this one. Never inserts
	 * it.
	 * @param renewed the session with its next revision; its date is of no importance
	 * @param timeout how long to wait at most, positive
	 * @return whether it was replaced by this call. Others count the time from when they
	 * first see it, so a renewal that others can't see must not be reported as done.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean renew(Session renewed, Duration timeout);

	/**
	 * End a session for good, if it is exactly as it was seen.
	 * @param seen the session as it was seen, alive
	 * @param timeout how long to wait at most, positive
	 * @return whether it was as expected, and has {@linkplain Session#expired() ended}
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean expire(Session seen, Duration timeout);

	/**
	 * Remove a session, if it is as it was renewed last.
	 * @param own a session of the process that calls this, which leads nothing under it
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	void close(Session own, Duration timeout);

	/**
	 * Read sessions: those that are named, and others that are alive.
	 * @param ids the ids of those that must not be left out
	 * @param others whether to read others, too, as many as can be of use
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if they could not be read
	 */
	SessionReading sessions(Collection<String> ids, boolean others, Duration timeout);

	/**
	 * Return what was left out when sessions were read last, because it can't be
	 * understood. It counts as missing. For people only; does no I/O.
	 * @return where it is and what is wrong with it, fit for one line each; of very many,
	 * some
	 */
	default List<String> damaged() {
		return List.of();
	}

	// Changes

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
