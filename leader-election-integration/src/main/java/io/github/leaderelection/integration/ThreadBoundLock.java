package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import io.github.leaderelection.lock.LockUnavailableException;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.util.Assert;

/**
 * A lock of a registry. What threads hold is kept there, by name.
 * <p>
 * A thread that locks again what it has lost meanwhile is told so, once: by {@code false}
 * where it only tries, and an exception otherwise. After that it can acquire the lock
 * anew. What it has lost it must still unlock.
 *
 * @param locks the locks of the registry
 * @param grips what its threads hold, by name
 * @param name the name of the lock
 */
record ThreadBoundLock(DistributedLocks locks, Grips grips, String name) implements DistributedLock {

	private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

	@Override
	public void lock() {
		if (!lockAgain(null)) {
			uninterruptibly(() -> acquire(FOREVER, null));
		}
	}

	@Override
	public void lock(Duration ttl) {
		if (!lockAgain(positive(ttl))) {
			uninterruptibly(() -> acquire(FOREVER, ttl));
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		requireUninterrupted();
		if (!lockAgain(null)) {
			acquire(FOREVER, null);
		}
	}

	/**
	 * Acquire the lock if nobody holds it.
	 * @throws LockUnavailableException if that could not be found out
	 */
	@Override
	public boolean tryLock() {
		Grip grip = grip();
		return grip.isLocked() ? tryAgain(grip, null) : uninterruptibly(() -> acquire(Duration.ZERO, null));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLockFor(Duration.ofNanos(unit.toNanos(time)), null);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return tryLockFor(waitTime, positive(ttl));
	}

	private boolean tryLockFor(Duration wait, @Nullable Duration ttl) throws InterruptedException {
		requireUninterrupted();
		Grip grip = grip();
		try {
			return grip.isLocked() ? tryAgain(grip, ttl) : acquire(wait, ttl);
		}
		catch (LockUnavailableException ex) {
			return false;
		}
	}

	/** Acquire what the calling thread has not locked. */
	private boolean acquire(Duration wait, @Nullable Duration ttl) throws InterruptedException {
		try {
			Optional<HeldLock> lock = (wait.isNegative() || wait.isZero()) ? this.locks.tryAcquire(this.name)
					: Optional.of(this.locks.acquire(this.name, wait));
			lock.ifPresent((held) -> grip().take(held, ttl));
			return lock.isPresent();
		}
		catch (LockUnavailableException ex) {
			// An attempt that does not wait is not told that it was interrupted.
			requireUninterrupted();
			throw ex;
		}
		finally {
			this.grips.forgetIfOver(this.name);
		}
	}

	@Override
	public void unlock() {
		Grip grip = ours();
		boolean intact = grip.unlock();
		this.grips.forgetIfOver(this.name);
		if (!intact) {
			throw lost();
		}
	}

	/** Let the calling thread hold it for this time from now, or without a limit. */
	void renew(@Nullable Duration ttl) {
		if (ttl != null) {
			positive(ttl);
		}
		Grip grip = ours();
		if (!grip.isHeld() || !grip.limit(ttl)) {
			throw new IllegalStateException("Lock '%s' can't be renewed: it is not held any more".formatted(this.name));
		}
	}

	/** Conditions are not supported. */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A lock that is shared by processes has no conditions");
	}

	/** Return whether the calling thread holds the lock, and has locked it once more. */
	private boolean lockAgain(@Nullable Duration ttl) {
		Grip grip = grip();
		if (grip.isLocked() && !tryAgain(grip, ttl)) {
			throw lost();
		}
		return grip.isLocked();
	}

	private static boolean tryAgain(Grip grip, @Nullable Duration ttl) {
		if (!grip.isHeld() || (ttl != null && !grip.limit(ttl))) {
			grip.lose();
			return false;
		}
		grip.again();
		return true;
	}

	private static boolean uninterruptibly(Attempt attempt) {
		// An attempt that is broken off at once would be in the way of the next.
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					return attempt.run();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private Grip grip() {
		return this.grips.of(this.name);
	}

	private Grip ours() {
		Grip grip = grip();
		if (grip.isOver()) {
			this.grips.forgetIfOver(this.name);
			throw new IllegalMonitorStateException("Lock '%s' was not locked by this thread".formatted(this.name));
		}
		return grip;
	}

	private ConcurrentModificationException lost() {
		return new ConcurrentModificationException(
				"Lock '%s' was lost before it was unlocked: others may have held it meanwhile".formatted(this.name));
	}

	private static Duration positive(Duration ttl) {
		Assert.isTrue(!ttl.isNegative() && !ttl.isZero(), () -> "A time to live of %s is not positive".formatted(ttl));
		return ttl;
	}

	private static void requireUninterrupted() throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	/** Tries to acquire the lock. */
	private interface Attempt {

		boolean run() throws InterruptedException;

	}

}
