package io.github.leaderelection.store;

import java.time.Duration;

/**
 * A {@link LeaseStore} for leases that come and go by the thousand: those that nobody has
 * wanted for a long time can be removed. Terms don't start again: a lease that is
 * {@linkplain #create created} where there was one before begins above every term that
 * was ever granted under its name, whatever term its creator asks for.
 */
public interface LockStore extends LeaseStore {

	/**
	 * Remove leases that are vacant, and were taken last some time ago. May be called at
	 * any time, by any number of processes: what is taken meanwhile stays.
	 * @param unusedFor for how long nobody must have taken the lease, by the clock of the
	 * store; positive
	 * @param most how many leases to remove at most, positive
	 * @param timeout how long to wait at most, positive
	 * @return how many were removed; less than were asked for when there are no more
	 * @throws LeaseStoreException if the outcome is unknown
	 */
	int removeUnused(Duration unusedFor, int most, Duration timeout);

}
