package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

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
 * @param registry the registry
 * @param name the name of the lock
 */
record ThreadBoundLock(DistributedLockRegistry registry, String name) implements DistributedLock {

	private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

	@Override
	public void lock() {
		lockUninterruptibly(null);
	}

	@Override
	public void lock(Duration ttl) {
		lockUninterruptibly(positive(ttl));
	}

	private void lockUninterruptibly(@Nullable Duration ttl) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					if (!lockAgain(ttl)) {
						take(this.registry.locks().acquire(this.name, FOREVER), ttl);
					}
					return;
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

	@Override
	public void lockInterruptibly() throws InterruptedException {
		requireUninterrupted();
		if (!lockAgain(null)) {
			take(this.registry.locks().acquire(this.name, FOREVER), null);
		}
	}

	/**
	 * Acquire the lock if nobody holds it.
	 * @throws LockUnavailableException if that could not be found out
	 */
	@Override
	public boolean tryLock() {
		Grip grip = this.registry.grip(this.name);
		if (grip != null && grip.isLocked()) {
			return tryAgain(grip, null);
		}
		boolean interrupted = false;
		try {
			while (true) {
				interrupted |= Thread.interrupted();
				try {
					Optional<HeldLock> lock = this.registry.locks().tryAcquire(this.name);
					lock.ifPresent((held) -> take(held, null));
					return lock.isPresent();
				}
				catch (LockUnavailableException ex) {
					if (!Thread.interrupted()) {
						throw ex;
					}
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
		Grip grip = this.registry.grip(this.name);
		if (grip != null && grip.isLocked()) {
			return tryAgain(grip, ttl);
		}
		try {
			if (!wait.isNegative() && !wait.isZero()) {
				take(this.registry.locks().acquire(this.name, wait), ttl);
				return true;
			}
			Optional<HeldLock> lock = this.registry.locks().tryAcquire(this.name);
			lock.ifPresent((held) -> take(held, ttl));
			return lock.isPresent();
		}
		catch (LockUnavailableException ex) {
			// Also where it was interrupted, which an attempt that does not wait is not
			// told of.
			requireUninterrupted();
			return false;
		}
	}

	@Override
	public void unlock() {
		Grip grip = this.registry.grip(this.name);
		if (grip == null) {
			throw notOurs();
		}
		boolean intact = grip.unlock();
		if (grip.isOver()) {
			this.registry.forget(this.name);
		}
		if (!intact) {
			throw lost();
		}
	}

	/** Let the calling thread hold it for this time from now, or without a limit. */
	void renew(@Nullable Duration ttl) {
		if (ttl != null) {
			positive(ttl);
		}
		Grip grip = this.registry.grip(this.name);
		if (grip == null) {
			throw notOurs();
		}
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
		Grip grip = this.registry.grip(this.name);
		if (grip == null || !grip.isLocked()) {
			return false;
		}
		if (!tryAgain(grip, ttl)) {
			throw lost();
		}
		return true;
	}

	private static boolean tryAgain(Grip grip, @Nullable Duration ttl) {
		if (!grip.isHeld() || (ttl != null && !grip.limit(ttl))) {
			grip.lose();
			return false;
		}
		grip.again();
		return true;
	}

	private void take(HeldLock lock, @Nullable Duration ttl) {
		Grip grip = this.registry.newGrip(this.name);
		grip.take(lock);
		grip.limit(ttl);
	}

	private ConcurrentModificationException lost() {
		return new ConcurrentModificationException(
				"Lock '%s' was lost before it was unlocked: others may have held it meanwhile".formatted(this.name));
	}

	private IllegalMonitorStateException notOurs() {
		return new IllegalMonitorStateException("Lock '%s' was not locked by this thread".formatted(this.name));
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

}
