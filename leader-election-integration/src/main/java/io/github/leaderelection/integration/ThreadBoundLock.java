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
 * A lock of a registry. What threads hold is kept there, by name.
 * <p>
 * A thread that locks again what it has lost meanwhile is told so, once: by {@code false}
 * where it only tries, and an exception otherwise. After that it can acquire the lock
 * anew. What it has lost it must still unlock.
 *
 * @param locks the locks of the registry
 * @param grips what each of its threads holds, and has lost without unlocking it, by name
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
	 * @throws LockUnavailableException if that could not be found out
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
	 * Lock again what the calling thread has locked, or acquire it.
	 * @return {@code false} if the thread has lost it, or could not acquire it in time
	 */
	private boolean enter(Duration wait, @Nullable Duration ttl) throws InterruptedException {
		Grip grip = grip();
		return grip.isLocked() ? grip.again(ttl) : acquire(wait, ttl);
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
			throw new IllegalStateException("Lock '%s' can't be renewed: it is not held any more".formatted(this.name));
		}
	}

	/** Conditions are not supported. */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A lock that is shared by processes has no conditions");
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
		return this.grips.get().computeIfAbsent(this.name, (key) -> new Grip());
	}

	/** Keep nothing where the calling thread has nothing to do with the lock. */
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

	/** Tries to acquire the lock. */
	private interface Attempt {

		boolean run() throws InterruptedException;

	}

}
