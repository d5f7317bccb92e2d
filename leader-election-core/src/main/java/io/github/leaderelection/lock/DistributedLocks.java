package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Locks under names that are made up at run time: one per customer, file or tenant. At
 * any time one {@link HeldLock} per name exists at most among all processes that use the
 * same store, this one included. It is kept alive by itself until it is closed, for as
 * long as this process runs and reaches the store. Names need not be declared, and leave
 * nothing behind in this process when they are not used any more.
 * <p>
 * Locks are not bound to threads and not reentrant: whoever has the {@link HeldLock}, on
 * whatever thread, holds the lock. Within a process those who wait get the lock in the
 * order in which they came. Between processes whoever sees first that it is free gets it.
 * <p>
 * Names have 1 to 200 characters, without control characters, line breaks and marks of
 * text direction. They have nothing to do with the names of elections.
 * <p>
 * Safe for use by any thread. Methods that block may be interrupted. None of them may be
 * called where the calling thread must not wait for the store.
 */
public interface DistributedLocks {

	/**
	 * Acquire the lock if nobody holds it. Does not wait for anybody who does, but for
	 * the store: a few round trips as a rule, and no longer than for twice the time to
	 * live.
	 * <p>
	 * The lock of a process that has crashed is free when its time to live is over.
	 * Whoever asks for it later than that may wait for another time to live, and gets it
	 * then: the holder must be seen to be silent for so long, unless its time to live is
	 * longer than that of this process: then the lock is found held once more.
	 * @param name the name of the lock
	 * @return the lock, held, or empty if somebody else holds it or waits for it here
	 * @throws IllegalArgumentException if the name is not valid
	 * @throws LockUnavailableException if it could not be found out in time whether it is
	 * free, or the thread was interrupted meanwhile; its interrupt status is set then
	 * @throws IllegalStateException if locks have been shut down
	 */
	Optional<HeldLock> tryAcquire(String name);

	/**
	 * Acquire the lock, and wait for it if need be. A free lock is acquired, however
	 * short the wait: until it is known whether the lock is free, this method waits for
	 * as long as {@link #tryAcquire}.
	 * @param name the name of the lock
	 * @param wait how long to wait at most for whoever holds it, not negative; zero to
	 * wait for nobody, as {@link #tryAcquire}
	 * @return the lock, held
	 * @throws IllegalArgumentException if the name is not valid, or the wait negative
	 * @throws LockUnavailableException if it could not be acquired in time
	 * @throws InterruptedException if the thread was interrupted while it waited
	 * @throws IllegalStateException if locks have been shut down, also while this waited
	 */
	HeldLock acquire(String name, Duration wait) throws InterruptedException;

	/**
	 * Acquire the lock, and let nobody wait for it. Whoever cancels the result leaves the
	 * line; if the lock was acquired at that moment, it is given back. That holds for the
	 * result itself only: what was derived from it, as by {@code thenCompose}, and is
	 * cancelled or timed out before the lock is there, is left out by
	 * {@link CompletableFuture} then, so that nobody closes the lock. Give others a
	 * {@linkplain CompletableFuture#copy() copy} of what is derived.
	 * @param name the name of the lock
	 * @param wait as for {@link #acquire}
	 * @return completed on a thread for callbacks, unless there is none: with the lock,
	 * or with a {@link LockUnavailableException} if it could not be acquired in time, or
	 * an {@link IllegalStateException} if locks are shut down
	 * @throws IllegalArgumentException if the name is not valid, or the wait negative
	 * @throws IllegalStateException if locks have been shut down
	 */
	CompletableFuture<HeldLock> acquireAsync(String name, Duration wait);

}
