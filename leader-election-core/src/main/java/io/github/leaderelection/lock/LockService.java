package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.EngineThread;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are terms of elections, in an {@link ElectionEngine} of their own. The
 * engine is started when the first lock is requested, so an application without locks
 * pays nothing.
 */
public final class LockService implements DistributedLocks, AutoCloseable {

	/**
	 * The default time without use after which the lease of a lock is removed.
	 */
	public static final Duration DEFAULT_UNUSED_FOR = Duration.ofHours(1);

	/** How many unused leases to remove in one call at most. */
	private static final int MOST_REMOVED = 1_000;

	private static final EngineLog log = EngineLog.of(LockService.class);

	private final Map<String, LockLine> lines = new ConcurrentHashMap<>();

	private final ElectionEngineBuilder builder;

	private final ElectionSettings settings;

	private final Executor threads;

	private final LeaseStore store;

	private final Duration unusedFor;

	/** When to remove unused leases next; monotonic time. */
	private final AtomicLong nextRemoval;

	// Changed while synchronized on this

	private volatile @Nullable ElectionEngine engine;

	private volatile boolean closed;

	/**
	 * Create locks with the settings for the default time to live, and with their own
	 * threads.
	 * @param store where their leases are kept, see {@link LeaseStore#forLocks}
	 */
	public LockService(LeaseStore store) {
		this(store, settings(ElectionSettings.DEFAULT_TTL), DEFAULT_UNUSED_FOR, null,
				ElectionEngineBuilder.daemonThreads("leader-election-lock-"));
	}

	/**
	 * Create locks. Nothing is started before the first lock is requested.
	 * @param store where their leases are kept, see {@link LeaseStore#forLocks}
	 * @param settings the settings of all locks
	 * @param unusedFor the time without use after which the lease of a lock is removed,
	 * positive; terms keep increasing after a removal
	 * @param application the application name with which the ids of holders begin;
	 * {@code null} for {@code application}
	 * @param threads runs each callback on a thread of its own, never the caller's,
	 * without a limit on their number
	 * @throws IllegalArgumentException if the store is not one for locks
	 */
	public LockService(LeaseStore store, ElectionSettings settings, Duration unusedFor, @Nullable String application,
			Executor threads) {
		if (!store.isOfLocks()) {
			throw new IllegalArgumentException(
					"Locks can't be kept among the leases of elections. Use LeaseStore.forLocks(stores, prefix)");
		}
		this.store = store;
		this.settings = settings;
		this.unusedFor = unusedFor;
		this.threads = threads;
		// Spreads the removals of processes that start together.
		this.nextRemoval = new AtomicLong(
				System.nanoTime() + ThreadLocalRandom.current().nextLong(unusedFor.toNanos()));
		this.builder = ElectionEngine.builder(store)
			.settings(settings)
			.application(application)
			.callbackExecutor(threads);
	}

	/**
	 * Return the settings for locks with this time to live: those of elections, but
	 * without a cooldown, so a process can acquire a lock again as soon as it has
	 * released it.
	 * @param ttl the time to live
	 * @return the settings
	 * @throws io.github.leaderelection.engine.InvalidSettingException if the time to live
	 * is out of range
	 */
	public static ElectionSettings settings(Duration ttl) {
		return ElectionSettings.of(ttl).toBuilder().cooldown(Duration.ZERO).build();
	}

	@Override
	public Optional<HeldLock> tryAcquire(String name) {
		Waiter waiter = join(name, Duration.ZERO);
		try {
			return Optional.of(await(waiter));
		}
		catch (LockUnavailableException ex) {
			if (waiter.isBehindOthers()) {
				return Optional.empty();
			}
			throw ex;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted while acquiring lock '%s'".formatted(name));
		}
	}

	@Override
	public HeldLock acquire(String name, Duration wait) throws InterruptedException {
		return await(join(name, wait));
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(String name, Duration wait) {
		return join(name, wait);
	}

	private static HeldLock await(Waiter waiter) throws InterruptedException {
		try {
			return waiter.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				// The stack trace shows where the caller waited, not what ended the wait.
				cause.fillInStackTrace();
				throw cause;
			}
			throw new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			waiter.withdraw();
			throw ex;
		}
	}

	private Waiter join(String name, Duration wait) {
		if (wait.isNegative()) {
			throw new IllegalArgumentException(
					"Can't wait for %s. Use a duration that is not negative".formatted(ReadableDuration.exact(wait)));
		}
		ElectionNames.requireValid("Lock", name);
		ElectionEngine started = engine();
		// It takes at most twice the time to live to find out whether a lock is free.
		Waiter waiter = new Waiter(wait, this.settings.ttl().multipliedBy(2), this.threads);
		LockLine line;
		do {
			line = this.lines.computeIfAbsent(name, (key) -> line(key, started));
		}
		while (!line.join(waiter));
		// In an outage, a call has failed by then. Failures before the request don't
		// count: an engine without requests does not notice that the store answers again.
		Duration known = this.settings.operationTimeout().multipliedBy(2).plus(this.settings.pollInterval());
		waiter.limit(known, () -> started.hasFailedWithin(known), line::refuse);
		if (this.closed) {
			// A concurrent close may have missed the line.
			line.abandon(shutDown());
		}
		return waiter;
	}

	private LockLine line(String name, ElectionEngine started) {
		LockLine line = new LockLine(name, new ElectionAccess(started::register, started::unregister,
				(election) -> started.enter(election, false), started::giveUp, started::leader, this::afterMargin),
				log);
		CompletableFuture<Void> unused = line.over().thenRun(() -> {
			this.lines.remove(name);
			removeUnusedIfDue();
		});
		return line;
	}

	/**
	 * Remove leases of locks that have not been used for a long time, whichever process
	 * created them.
	 */
	private void removeUnusedIfDue() {
		long now = System.nanoTime();
		long due = this.nextRemoval.get();
		if (now - due >= 0 && this.nextRemoval.compareAndSet(due, now + this.unusedFor.toNanos())) {
			this.threads.execute(this::removeUnused);
		}
	}

	private void removeUnused() {
		try {
			int removed;
			do {
				removed = this.store.removeUnused(this.unusedFor, MOST_REMOVED, this.settings.operationTimeout());
			}
			while (removed > 0);
		}
		catch (Throwable ex) {
			log.tell(ex, (logger, cause) -> logger.warn(
					"Leases of locks that were unused for {} could not be removed; retrying after the same time",
					ReadableDuration.exact(this.unusedFor), cause));
		}
	}

	private void afterMargin(Runnable action) {
		// The action runs on a shared timer thread. It neither blocks nor throws.
		CompletableFuture.delayedExecutor(this.settings.safetyMargin().toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
			.execute(action);
	}

	private synchronized ElectionEngine engine() {
		if (this.closed) {
			throw shutDown();
		}
		ElectionEngine present = this.engine;
		if (present == null) {
			present = this.builder.build();
			try {
				present.start();
			}
			catch (Throwable ex) {
				// Some of its threads may be running already.
				present.close();
				throw ex;
			}
			this.engine = present;
		}
		return present;
	}

	private static IllegalStateException shutDown() {
		return new IllegalStateException("Locks have been shut down");
	}

	/**
	 * Return how many locks are held in this process.
	 * @return the number, which may be out of date when it is returned
	 */
	public int held() {
		return (int) heldLocks().count();
	}

	/**
	 * Return how many requests wait for locks in this process.
	 * @return the number, which may be out of date when it is returned
	 */
	public int waiting() {
		return this.lines.values().stream().mapToInt(LockLine::waiting).sum();
	}

	/** Return whether this process keeps no state of any lock. */
	boolean isIdle() {
		ElectionEngine started = this.engine;
		return this.lines.isEmpty() && (started == null || started.elections().isEmpty());
	}

	/**
	 * Shut down the locks. Waiting requests fail. Held locks have up to the drain timeout
	 * to be closed, and are then released. A second call has no effect.
	 */
	@Override
	public void close() {
		ElectionEngine started;
		synchronized (this) {
			started = this.closed ? null : this.engine;
			this.closed = true;
		}
		if (started == null) {
			return;
		}
		try {
			this.lines.values().forEach((line) -> line.abandon(shutDown()));
			awaitHolders();
		}
		finally {
			// End the remaining work, so that the engine does not wait for it.
			heldLocks().forEach(TermLock::endWork);
			started.close();
		}
	}

	private void awaitHolders() {
		Duration limit = this.settings.drainTimeout();
		CompletableFuture<?>[] over = this.lines.values()
			.stream()
			.map(LockLine::over)
			.toArray(CompletableFuture[]::new);
		if (!EngineThread.await(CompletableFuture.allOf(over), limit)) {
			log.tell((logger) -> logger.warn("{} locks are still held {} after shutdown began; releasing them now",
					held(), ReadableDuration.exact(limit)));
		}
	}

	private Stream<TermLock> heldLocks() {
		return this.lines.values().stream().map(LockLine::held).filter(Objects::nonNull);
	}

}
