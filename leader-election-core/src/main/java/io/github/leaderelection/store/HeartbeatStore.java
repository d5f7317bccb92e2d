package io.github.leaderelection.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Keeps one heartbeat per process and time to live, and changes it by compare-and-set
 * only. What a method reports as done is durable: no failover takes it back, and every
 * later read shows it.
 * <p>
 * Each call blocks for at most its timeout. {@link LeaseStoreException} means that the
 * outcome is <em>unknown</em>: a change may have been made, may still be made later, or
 * never. Implementations are safe for use by several threads.
 */
public interface HeartbeatStore {

	/**
	 * Enter a heartbeat, unless one with its id is there.
	 * @param first the heartbeat; its date is of no importance
	 * @param timeout how long to wait at most, positive
	 * @return whether it was entered by this call
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean enter(Heartbeat first, Duration timeout);

	/**
	 * Beat, if the stored heartbeat has the same epoch and no later beat. Never enters
	 * one that is not there.
	 * @param next the heartbeat with its next beat; its date is of no importance
	 * @param timeout how long to wait at most, positive
	 * @return whether the stored heartbeat shows this very beat now, and what its process
	 * is asked for. Others count the time from when they first see it, so a beat that
	 * others can't see must not be reported as done. A request that can't be understood
	 * is left out, and changes nothing about the beat.
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	BeatReply beat(Heartbeat next, Duration timeout);

	/**
	 * Leave a request at a heartbeat, whatever its epoch and beat, which stay. Each beat
	 * shows it from now on, and of those that were left before as many of the last as
	 * there is room for: however often somebody asks, the heartbeat stays one that can be
	 * beaten and read.
	 * @param id the id of the heartbeat
	 * @param request what is asked for
	 * @param timeout how long to wait at most, positive
	 * @return whether it was left; not if there is no heartbeat with this id, or one that
	 * can't be understood, or has no room for it
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean ask(String id, PauseRequest request, Duration timeout);

	/**
	 * Give a heartbeat another epoch, if it is exactly as it was seen.
	 * @param seen the heartbeat as it was seen
	 * @param epoch the new epoch, which is greater
	 * @param timeout how long to wait at most, positive
	 * @return whether it was as expected, and has the new epoch now
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	boolean end(Heartbeat seen, long epoch, Duration timeout);

	/**
	 * Remove a heartbeat, if it still has this epoch.
	 * @param own the heartbeat
	 * @param timeout how long to wait at most, positive
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	void leave(Heartbeat own, Duration timeout);

	/**
	 * Read heartbeats in one round trip: those that are named, and as many others as can
	 * be of use.
	 * @param ids the ids of those that must not be left out
	 * @param timeout how long to wait at most, positive
	 * @return what was found, including every change reported as done before this call
	 * @throws LeaseStoreException if they could not be read
	 */
	HeartbeatReading heartbeats(Collection<String> ids, Duration timeout);

	/**
	 * Return what was left out when heartbeats were read last, because it can't be
	 * understood. It counts as missing. For people only; does no I/O.
	 * @return where it is and what is wrong with it, fit for one line each; of very many,
	 * some
	 */
	default List<String> damaged() {
		return List.of();
	}

}
