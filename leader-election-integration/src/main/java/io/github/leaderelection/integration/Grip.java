package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.lock.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lock for one thread: how often the thread has locked what it holds,
 * and how often it still has to unlock what it has lost. Used by that thread only.
 */
final class Grip {

	private @Nullable HeldLock held;

	private int count;

	/** Lost locks still to be unlocked, after the one held: they are older. */
	private int lost;

	private @Nullable CompletableFuture<Boolean> limit;

	/** Return whether it is locked and not unlocked, even if no longer held. */
	boolean isLocked() {
		return this.held != null;
	}

	/** Hold an acquired lock, for the given time or without a limit. */
	void take(HeldLock lock, @Nullable Duration ttl) {
		this.held = lock;
		this.count = 1;
		limit(ttl);
	}

	/**
	 * Lock once more what the thread has locked.
	 * @return {@code false} if it is no longer held; unlocking it then reports this, too
	 */
	boolean again(@Nullable Duration ttl) {
		if ((ttl != null) ? !renew(ttl) : !isHeld()) {
			this.lost += this.count;
			drop();
			return false;
		}
		this.count++;
		return true;
	}

	/**
	 * Hold the lock for the given time from now, or without a limit.
	 * @return {@code false} if it is no longer held, or is just being released
	 */
	boolean renew(@Nullable Duration ttl) {
		return isHeld() && limit(ttl);
	}

	/** Return whether the lock is still held. */
	private boolean isHeld() {
		return this.held != null && this.held.isHeld();
	}

	/**
	 * Unlock once.
	 * @return {@code false} if the lock was lost; {@code true} without a check if it is
	 * to stay locked
	 */
	boolean unlock() {
		HeldLock present = this.held;
		if (present == null) {
			this.lost--;
			return false;
		}
		if (--this.count > 0) {
			return true;
		}
		boolean intact = present.isHeld();
		drop();
		return intact;
	}

	private void drop() {
		HeldLock dropped = this.held;
		this.held = null;
		this.count = 0;
		CompletableFuture<Boolean> timer = this.limit;
		this.limit = null;
		if (timer != null) {
			timer.complete(false);
		}
		if (dropped != null) {
			dropped.close();
		}
	}

	/** Return whether there is nothing left to unlock. */
	boolean isOver() {
		return this.held == null && this.lost == 0;
	}

	/**
	 * Release the lock when the time has passed, or remove the limit.
	 * @return {@code false} if the previous limit has passed: the lock is just being
	 * released, although it may still look held
	 */
	private boolean limit(@Nullable Duration ttl) {
		CompletableFuture<Boolean> before = this.limit;
		if (before != null && !before.complete(false)) {
			return false;
		}
		this.limit = null;
		HeldLock present = this.held;
		if (ttl != null && present != null) {
			this.limit = closeAfter(ttl, present);
		}
		return true;
	}

	/**
	 * Close a lock when some time has passed.
	 * @return a future that completes with {@code true} then; complete it with
	 * {@code false} before to keep the lock from being closed
	 */
	static CompletableFuture<Boolean> closeAfter(Duration time, HeldLock lock) {
		// Completed rather than canceled: before Java 21, the timer of a canceled future
		// is kept until its time is over.
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
		// This neither blocks nor throws.
		CompletableFuture<Void> unused = timer.thenAccept((over) -> {
			if (over) {
				lock.close();
			}
		});
		return timer;
	}

}
