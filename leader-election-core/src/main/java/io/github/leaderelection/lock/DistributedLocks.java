package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Locks whose names are only known at run time, such as one per customer, file or tenant.
 * At any time, at most one {@link HeldLock} per name is held among all processes that use
 * the same store, including this one. It is renewed automatically until it is closed, for
 * as long as this process runs and reaches the store. Names need not be declared, and use
 * no resources of this process when they are not used any more.
 * <p>
 * Locks are not bound to threads and not reentrant: the code that has the
 * {@link HeldLock}, on any thread, holds the lock. Within a process, locks are granted in
 * the order of the requests. Between processes there is no order: the first process to
 * see that a lock is free gets it.
 * <p>
 * Names have 1 to 200 characters, without control characters, line breaks and text
 * direction marks. They are independent of the names of elections.
 * <p>
 * Safe for use by any thread. Methods that block can be interrupted. Do not call these on
 * a thread that must not wait for the store.
 */
public interface DistributedLocks {

	/**
	 * Acquire the lock if it is free. Does not wait for a holder, only for the store:
	 * usually a few round trips, and at most twice the time to live; in an outage of the
	 * store, usually twice the operation timeout and a poll interval.
	 * <p>
	 * The lock of a process that has crashed becomes free when its time to live is over.
	 * Even after that, the first call of a process can take another time to live, since
	 * the process must observe for that long that the holder is silent. It then gets the
	 * lock. If the time to live of the holder is longer than that of the caller, the
	 * first call still finds the lock held.
	 * @param name the name of the lock
	 * @return the held lock, or empty if it is held elsewhere, or others in this process
	 * hold it or wait for it
	 * @throws IllegalArgumentException if the name is not valid
	 * @throws LockUnavailableException if it could not be found out in time whether the
	 * lock is free, or if the thread was interrupted; its interrupt status is set then
	 * @throws IllegalStateException if locks have been shut down
	 */
	Optional<HeldLock> tryAcquire(String name);

	/**
	 * Acquire the lock, waiting for it if necessary. A free lock is acquired, however
	 * short the wait: until it is known whether the lock is free, this method waits as
	 * long as {@link #tryAcquire}.
	 * @param name the name of the lock
	 * @param wait how long to wait at most while the lock is held, not negative; zero to
	 * wait for no holder, as {@link #tryAcquire} does
	 * @return the held lock
	 * @throws IllegalArgumentException if the name is not valid, or the wait negative
	 * @throws LockUnavailableException if the lock could not be acquired in time
	 * @throws InterruptedException if the thread was interrupted while it waited
	 * @throws IllegalStateException if locks have been shut down, also during the wait
	 */
	HeldLock acquire(String name, Duration wait) throws InterruptedException;

	/**
	 * Acquire the lock without a thread that waits for it. Cancel the result to stop
	 * waiting; if the lock is acquired at that very moment, it is released. That holds
	 * for the result itself only: if a stage that depends on it, such as one made by
	 * {@code thenCompose}, is canceled or times out before the lock is acquired,
	 * {@link CompletableFuture} skips that stage, and nothing closes the lock. So give
	 * other code a {@linkplain CompletableFuture#copy() copy} of the last stage.
	 * @param name the name of the lock
	 * @param wait as for {@link #acquire}
	 * @return a future that is completed on a thread for callbacks, unless none is
	 * available: with the lock, with a {@link LockUnavailableException} if it could not
	 * be acquired in time, or with an {@link IllegalStateException} if locks are shut
	 * down
	 * @throws IllegalArgumentException if the name is not valid, or the wait negative
	 * @throws IllegalStateException if locks have been shut down
	 */
	CompletableFuture<HeldLock> acquireAsync(String name, Duration wait);

}
