package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.lock.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * What one thread has to do with one lock: how often it has locked what it holds, and how
 * often what it has lost and not unlocked since. Used by that thread alone.
 */
final class Grip {

	private @Nullable HeldLock held;

	private int count;

	/** Those that are to be unlocked after what is held: they came first. */
	private int lost;

	private @Nullable CompletableFuture<Boolean> limit;

	/** Return whether it was locked and not unlocked, whether it is held still or not. */
	boolean isLocked() {
		return this.held != null;
	}

	/** Hold a lock that was acquired, for this time or without a limit. */
	void take(HeldLock lock, @Nullable Duration ttl) {
		this.held = lock;
		this.count = 1;
		limit(ttl);
	}

	/**
	 * Lock again what is held.
	 * @return {@code false} if it is not held any more, of which whoever unlocks it is
	 * told, too
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
	 * Hold what is held for this time from now, or without a limit.
	 * @return {@code false} if it is not held any more, or is given back just now
	 */
	boolean renew(@Nullable Duration ttl) {
		return isHeld() && limit(ttl);
	}

	/** Return whether it is really held. */
	private boolean isHeld() {
		return this.held != null && this.held.isHeld();
	}

	/**
	 * Unlock once.
	 * @return whether the lock was held until now, as far as it was to be given back
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

	/** Return whether there is nothing left to be unlocked. */
	boolean isOver() {
		return this.held == null && this.lost == 0;
	}

	/**
	 * Give back what is held when the time has passed, or let it be held without end.
	 * @return {@code false} if the time that was set before has passed: it is given back
	 * just now, though it may still be held
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
	 * @return completed with {@code true} when it has; whoever completes it with
	 * {@code false} before keeps the lock from being closed
	 */
	static CompletableFuture<Boolean> closeAfter(Duration time, HeldLock lock) {
		// Before Java 21 a timer that is cancelled is kept until its time is over.
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
		// Neither blocks nor throws.
		CompletableFuture<Void> unused = timer.thenAccept((over) -> {
			if (over) {
				lock.close();
			}
		});
		return timer;
	}

}
