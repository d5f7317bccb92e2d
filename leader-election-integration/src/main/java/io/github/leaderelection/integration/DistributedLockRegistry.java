package io.github.leaderelection.integration;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.lock.DistributedLocks;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.util.Assert;

/**
 * A Spring Integration {@link LockRegistry} whose locks are {@link DistributedLocks}. A
 * lock belongs to the thread that has locked it, and is reentrant.
 * <p>
 * Keys are strings. A key that is a valid name of a lock is used as the name, so that
 * code that uses {@link DistributedLocks} can exclude code that uses the registry. Other
 * keys are hashed. Locks for the same key are equal and interchangeable.
 * <p>
 * Locks renew themselves until they are unlocked. A lock with a time to live, as
 * {@link DistributedLock#lock(Duration)} takes it, is released when that time has passed
 * since the lock was locked or {@linkplain #renewLock(Object, Duration) renewed}. A
 * thread can lose a lock in this way, or because the store was unreachable for too long.
 * If it then unlocks the lock, it gets a
 * {@link java.util.ConcurrentModificationException}: others may have held the lock
 * meanwhile. If it locks the lock again, {@code lock} throws the same exception, and
 * {@code tryLock} returns {@code false}. While the store is unreachable, {@code lock}
 * waits, and {@code tryLock()} throws
 * {@link io.github.leaderelection.lock.LockUnavailableException} after twice the
 * operation timeout and a poll interval. Conditions are not supported.
 * <p>
 * Nothing is kept of locks that no thread holds or waits for. Safe for use by any thread.
 */
public final class DistributedLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private static final String HASHED = "sha256:";

	private final DistributedLocks locks;

	@SuppressWarnings("ThreadLocalUsage") // Each registry has locks of its own
	private final ThreadLocal<Map<String, Grip>> grips = ThreadLocal.withInitial(HashMap::new);

	/**
	 * Create a registry.
	 * @param locks the locks; not closed with the registry
	 */
	public DistributedLockRegistry(DistributedLocks locks) {
		this.locks = locks;
	}

	/**
	 * Return the lock for a key. Does no I/O.
	 * @param lockKey the key, a string
	 * @return the lock
	 * @throws IllegalArgumentException if the key is not a string
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return lock(lockKey);
	}

	private ThreadBoundLock lock(Object lockKey) {
		Assert.isInstanceOf(String.class, lockKey, "Lock keys must be strings");
		return new ThreadBoundLock(this.locks, this.grips, name((String) lockKey));
	}

	/**
	 * Remove the time limit from a lock that the calling thread holds. Does no I/O: locks
	 * renew themselves.
	 * @param lockKey the key
	 * @throws IllegalMonitorStateException if the calling thread has not locked it
	 * @throws IllegalStateException if it was lost, or its time to live has passed
	 */
	@Override
	public void renewLock(Object lockKey) {
		lock(lockKey).renew(null);
	}

	/**
	 * Set a new time limit for a lock that the calling thread holds. Does no I/O.
	 * @param lockKey the key
	 * @param ttl the time from now after which the lock is released, positive
	 * @throws IllegalMonitorStateException if the calling thread has not locked it
	 * @throws IllegalStateException if it was lost, or its time to live has passed
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		lock(lockKey).renew(ttl);
	}

	/** Do nothing: unused locks are not kept. */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/** Return whether the calling thread has no locks left to unlock, held or lost. */
	boolean isIdle() {
		return this.grips.get().isEmpty();
	}

	private static String name(String key) {
		try {
			ElectionNames.requireValid(key);
			return key;
		}
		catch (IllegalArgumentException ex) {
			return HASHED + HexFormat.of().formatHex(sha256(key));
		}
	}

	private static byte[] sha256(String key) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
		}
		catch (NoSuchAlgorithmException ex) {
			// Every Java platform supports SHA-256.
			throw new IllegalStateException(ex);
		}
	}

}
