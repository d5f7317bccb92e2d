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
 * A {@link LockRegistry} of Spring Integration whose locks are {@link DistributedLocks}.
 * They belong to the thread that has locked them, and can be locked by it again.
 * <p>
 * Keys are strings. One that is the valid name of a lock is its name, so that code that
 * uses {@link DistributedLocks} can exclude code that uses the registry; others are
 * hashed. Locks of one key are equal, and as good as each other.
 * <p>
 * Locks renew themselves until they are unlocked. With a time to live, as
 * {@link DistributedLock#lock(Duration)} takes it, a lock is given back when that has
 * passed since it was locked or {@linkplain #renewLock(Object, Duration) renewed}. A
 * thread that unlocks what it does not hold any more, since that or the store was out of
 * reach for too long, gets a {@link java.util.ConcurrentModificationException}: others
 * may have held the lock meanwhile. So does one that locks it again; {@code tryLock}
 * returns {@code false} then. While the store can't be reached, {@code lock} waits, and
 * {@code tryLock()} throws {@link io.github.leaderelection.lock.LockUnavailableException}
 * after twice the time to live. There are no conditions.
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
	 * Return the lock of a key. Does no I/O.
	 * @param lockKey the key, a string
	 * @return the lock
	 * @throws IllegalArgumentException if the key is not a string
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return lock(lockKey);
	}

	private ThreadBoundLock lock(Object lockKey) {
		Assert.isInstanceOf(String.class, lockKey, "Keys of locks must be strings");
		return new ThreadBoundLock(this.locks, this.grips, name((String) lockKey));
	}

	/**
	 * Require that the calling thread holds the lock, and let it hold it without a limit.
	 * Does no I/O: locks renew themselves.
	 * @param lockKey the key
	 * @throws IllegalMonitorStateException if the calling thread has not locked it
	 * @throws IllegalStateException if it was lost, or its time to live has passed
	 */
	@Override
	public void renewLock(Object lockKey) {
		lock(lockKey).renew(null);
	}

	/**
	 * Require that the calling thread holds the lock, and let it hold it for some more
	 * time. Does no I/O.
	 * @param lockKey the key
	 * @param ttl the time from now after which the lock is given back, positive
	 * @throws IllegalMonitorStateException if the calling thread has not locked it
	 * @throws IllegalStateException if it was lost, or its time to live has passed
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		lock(lockKey).renew(ttl);
	}

	/** Does nothing: there are no unused locks. */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/** Return whether the calling thread holds or has lost nothing. */
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
			// Every Java has it.
			throw new IllegalStateException(ex);
		}
	}

}
