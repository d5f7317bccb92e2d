package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
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
 * A lock of a registry, which keeps what each thread holds, by name.
 * <p>
 * A thread that locks a lost lock again is told so once: {@code tryLock} returns
 * {@code false}, and {@link #lock()} throws an exception. After that, the thread can
 * acquire the lock anew. It must still unlock what it has lost.
 *
 * @param locks the locks of the registry
 * @param grips the locks that each thread holds, or has lost and not yet unlocked, by
 * name
 * @param name the name of the lock
 */
record ThreadBoundLock(DistributedLocks locks, ThreadLocal<Map<String, Grip>> grips,
		String name) implements DistributedLock {

	private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

	@Override
	public void lock() {
		requireNotLost(uninterruptibly(() -> enter(FOREVER, null)));
	}

	@Override
	public void lock(Duration ttl) {
		requirePositive(ttl);
		requireNotLost(uninterruptibly(() -> enter(FOREVER, ttl)));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		requireUninterrupted();
		requireNotLost(enter(FOREVER, null));
	}

	/**
	 * Acquire the lock if nobody holds it.
	 * @throws LockUnavailableException if it could not be found out whether it is free
	 */
	@Override
	public boolean tryLock() {
		return uninterruptibly(() -> enter(Duration.ZERO, null));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLockFor(Duration.ofNanos(unit.toNanos(time)), null);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		requirePositive(ttl);
		return tryLockFor(waitTime, ttl);
	}

	private boolean tryLockFor(Duration wait, @Nullable Duration ttl) throws InterruptedException {
		requireUninterrupted();
		try {
			return enter(wait, ttl);
		}
		catch (LockUnavailableException ex) {
			return false;
		}
	}

	/**
	 * Lock the lock again if the calling thread has locked it, or else acquire it.
	 * @return {@code false} if the thread has lost it, or could not acquire it in time
	 */
	private boolean enter(Duration wait, @Nullable Duration ttl) throws InterruptedException {
		Grip grip = grip();
		return grip.isLocked() ? grip.again(ttl) : acquire(wait, ttl);
	}

	/** Acquire a lock that the calling thread has not locked. */
	private boolean acquire(Duration wait, @Nullable Duration ttl) throws InterruptedException {
		try {
			Optional<HeldLock> lock = (wait.isNegative() || wait.isZero()) ? this.locks.tryAcquire(this.name)
					: Optional.of(this.locks.acquire(this.name, wait));
			lock.ifPresent((held) -> grip().take(held, ttl));
			return lock.isPresent();
		}
		catch (LockUnavailableException ex) {
			// tryAcquire() reports an interrupt like any other failure.
			requireUninterrupted();
			throw ex;
		}
		finally {
			forgetIfOver();
		}
	}

	@Override
	public void unlock() {
		Grip grip = ours();
		boolean held = grip.unlock();
		forgetIfOver();
		requireNotLost(held);
	}

	/** Let the calling thread hold it for this time from now, or without a limit. */
	void renew(@Nullable Duration ttl) {
		if (ttl != null) {
			requirePositive(ttl);
		}
		if (!ours().renew(ttl)) {
			throw new IllegalStateException("Lock '%s' can't be renewed: it is no longer held".formatted(this.name));
		}
	}

	/** Conditions are not supported. */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock does not support conditions");
	}

	private static boolean uninterruptibly(Attempt attempt) {
		// Clear the interrupt: an attempt that it ends at once would be in the way of the
		// next one.
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
		return this.grips.get().computeIfAbsent(this.name, (key) -> new Grip());
	}

	/** Keep nothing for a thread that has nothing left to unlock. */
	private void forgetIfOver() {
		Map<String, Grip> own = this.grips.get();
		own.computeIfPresent(this.name, (key, grip) -> grip.isOver() ? null : grip);
		if (own.isEmpty()) {
			this.grips.remove();
		}
	}

	private Grip ours() {
		Grip grip = grip();
		if (grip.isOver()) {
			forgetIfOver();
			throw new IllegalMonitorStateException("Lock '%s' was not locked by this thread".formatted(this.name));
		}
		return grip;
	}

	private void requireNotLost(boolean held) {
		if (!held) {
			throw new ConcurrentModificationException(
					"Lock '%s' was lost before it was unlocked: others may have held it meanwhile"
						.formatted(this.name));
		}
	}

	private static void requirePositive(Duration ttl) {
		Assert.isTrue(!ttl.isNegative() && !ttl.isZero(), () -> "A time to live of %s is not positive".formatted(ttl));
	}

	private static void requireUninterrupted() throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
	}

	/** An attempt to acquire the lock. */
	private interface Attempt {

		boolean run() throws InterruptedException;

	}

}
