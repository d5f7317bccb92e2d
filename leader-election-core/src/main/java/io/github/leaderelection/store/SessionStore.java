package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Keeps the sessions of processes, and changes them by compare-and-set only: there is an
 * insert, which fails if the id is there, and a replacement of exactly one revision. What
 * a method reports as done is durable: no failover takes it back, and every later read
 * shows it.
 * <p>
 * Each call blocks for at most its timeout. {@link LeaseStoreException} means that the
 * outcome is <em>unknown</em>: a change may have been made, may still be made later, or
 * never. Implementations are safe for use by several threads.
 */
public interface SessionStore {

	/**
	 * Insert a session, or a tombstone, unless there is one with its id.
	 * @param session the session; its date is of no importance
	 * @param timeout how long to wait at most, positive
	 * @return whether it was inserted by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean create(Session session, Duration timeout);

	/**
	 * Renew a session, if what is stored is alive and has the revision before this one.
	 * Never inserts it.
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
	 * Remove a session, whatever its revision.
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

}
