package io.github.leaderelection.integration;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.HeldLock;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * A ShedLock lock provider whose locks are {@link DistributedLocks}, under the same
 * names.
 * <p>
 * A lock renews itself. It is released when it is unlocked, but not before
 * {@code lockAtLeastFor} has passed. When {@code lockAtMostFor} has passed, it is
 * released in any case. This process measures both, from when it acquired or extended the
 * lock: after a crash they have no effect, see {@link DistributedLocks#tryAcquire}.
 * <p>
 * {@link #lock} throws what {@link DistributedLocks#tryAcquire} throws. Safe for use by
 * any thread.
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

	private final DistributedLocks locks;

	/**
	 * Create a provider.
	 * @param locks the locks; not closed with the provider
	 */
	public DistributedLockProvider(DistributedLocks locks) {
		this.locks = locks;
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		return this.locks.tryAcquire(configuration.getName()).map((lock) -> new TimedLock(configuration, lock));
	}

	/** A lock that is released after its configured time at the latest. */
	private static final class TimedLock extends AbstractSimpleLock {

		private final long since = System.nanoTime();

		private final HeldLock lock;

		private final CompletableFuture<Boolean> limit;

		TimedLock(LockConfiguration configuration, HeldLock lock) {
			super(configuration);
			this.lock = lock;
			this.limit = Grip.closeAfter(configuration.getLockAtMostFor(), lock);
		}

		@Override
		protected void doUnlock() {
			long rest = restNanos(this.lockConfiguration.getLockAtLeastFor());
			if (rest > 0) {
				CompletableFuture<Boolean> unused = Grip.closeAfter(Duration.ofNanos(rest), this.lock);
			}
			else {
				this.lock.close();
			}
			this.limit.complete(false);
		}

		@Override
		protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
			boolean extended = restNanos(this.lockConfiguration.getLockAtMostFor()) > 0 && this.lock.isHeld()
					&& this.limit.complete(false);
			return extended ? Optional.of(new TimedLock(configuration, this.lock)) : Optional.empty();
		}

		private long restNanos(Duration time) {
			return TimeUnit.NANOSECONDS.convert(time) - (System.nanoTime() - this.since);
		}

	}

}
