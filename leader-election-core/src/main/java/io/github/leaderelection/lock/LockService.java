package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.ReadableDuration;
import org.jspecify.annotations.Nullable;

/**
 * Locks that are terms of elections, in an {@link ElectionEngine} of their own. The
 * engine is started when the first lock is wanted: who needs none pays nothing.
 */
public final class LockService implements DistributedLocks, AutoCloseable {

	private static final EngineLog log = EngineLog.of(LockService.class);

	private final Map<String, LockLine> lines = new ConcurrentHashMap<>();

	private final ElectionEngineBuilder builder;

	private final ElectionSettings settings;

	private final Executor threads;

	private final UnusedLeases unused;

	// Changed with the lock on this held

	private volatile @Nullable ElectionEngine engine;

	private volatile boolean closed;

	private LockService(Builder locks) {
		this.settings = locks.settings;
		this.threads = locks.callbackExecutor;
		this.unused = new UnusedLeases(locks.store, locks.unusedFor, locks.settings.operationTimeout(), log);
		this.builder = ElectionEngine.builder(locks.store)
			.settings(locks.settings)
			.callbackExecutor(locks.callbackExecutor)
			.ephemeral();
		if (locks.application != null) {
			this.builder.application(locks.application);
		}
	}

	/**
	 * Begin to build locks.
	 * @param store where their leases are kept
	 * @return the builder
	 */
	public static Builder builder(LeaseStore store) {
		return new Builder(store);
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
			throw new LockUnavailableException("Interrupted while lock '%s' was acquired".formatted(name));
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
				// It tells where it was waited, not by which thread this was ended.
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
		// It takes no longer than that to find out whether a lock is free.
		Waiter waiter = new Waiter(wait, this.settings.ttl().multipliedBy(2), this.threads);
		LockLine line;
		do {
			line = this.lines.computeIfAbsent(name, (key) -> line(key, started));
		}
		while (!line.join(waiter));
		waiter.limit(line::refuse);
		if (this.closed) {
			// Whoever has closed this may not have seen the line.
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
			this.unused.removeIfDue(this.threads);
		});
		return line;
	}

	private void afterMargin(Runnable action) {
		// Neither blocks nor throws.
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
				// Some of its threads may run already.
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
	 * Return how many wait for locks in this process.
	 * @return the number, which may be out of date when it is returned
	 */
	public int waiting() {
		return this.lines.values().stream().mapToInt(LockLine::waiting).sum();
	}

	/** Return whether nothing is kept of any lock. */
	boolean isIdle() {
		ElectionEngine started = this.engine;
		return this.lines.isEmpty() && (started == null || started.elections().isEmpty());
	}

	/**
	 * Acquire no more locks. Those who wait for one fail; those that are held are waited
	 * for, for the drain timeout at most, and then given back. Has no effect the second
	 * time.
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
			// The engine waits for no work that is left.
			heldLocks().forEach(TermLock::endWork);
			started.close();
		}
	}

	private void awaitHolders() {
		Duration limit = this.settings.drainTimeout();
		try {
			CompletableFuture.allOf(this.lines.values().stream().map(LockLine::over).toArray(CompletableFuture[]::new))
				.get(limit.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			log.tell((logger) -> logger.warn("{} locks are still held {} after shutdown began; releasing them now",
					held(), ReadableDuration.exact(limit)));
		}
		catch (InterruptedException | ExecutionException ex) {
			// None of them fails.
			Thread.currentThread().interrupt();
		}
	}

	private Stream<TermLock> heldLocks() {
		return this.lines.values().stream().map(LockLine::held).filter(Objects::nonNull);
	}

	/**
	 * Builds a {@link LockService}.
	 */
	public static final class Builder {

		/**
		 * For how long nobody must have used a lock by default before its lease is
		 * removed.
		 */
		public static final Duration DEFAULT_UNUSED_FOR = Duration.ofHours(1);

		private final LeaseStore store;

		private ElectionSettings settings = settings(ElectionSettings.DEFAULT_TTL);

		private Duration unusedFor = DEFAULT_UNUSED_FOR;

		private Executor callbackExecutor = threads();

		private @Nullable String application;

		Builder(LeaseStore store) {
			this.store = store;
		}

		/**
		 * Return the settings of locks with this time to live: those of elections, but
		 * who has given a lock back may acquire it again at once.
		 * @param ttl the time to live
		 * @return the settings
		 * @throws io.github.leaderelection.engine.InvalidSettingException if the time to
		 * live is out of range
		 */
		public static ElectionSettings settings(Duration ttl) {
			return ElectionSettings.of(ttl).toBuilder().cooldown(Duration.ZERO).build();
		}

		/**
		 * Set the settings of all locks.
		 * @param newSettings the settings; those of the default time to live if not set
		 * @return this builder
		 */
		public Builder settings(ElectionSettings newSettings) {
			this.settings = newSettings;
			return this;
		}

		/**
		 * Set for how long nobody must have used a lock before its lease is removed.
		 * Terms don't start again for that.
		 * @param duration the duration, an hour if not set; positive
		 * @return this builder
		 */
		public Builder unusedFor(Duration duration) {
			this.unusedFor = duration;
			return this;
		}

		/**
		 * Set the name of the application, with which the ids of holders begin.
		 * @param name the name, {@code application} by default
		 * @return this builder
		 */
		public Builder application(String name) {
			this.application = name;
			return this;
		}

		/**
		 * Set what runs callbacks.
		 * @param executor runs each task on a thread of its own, never the caller's, and
		 * is free of any limit; makes daemon threads that end when they are idle if not
		 * set
		 * @return this builder
		 */
		public Builder callbackExecutor(Executor executor) {
			this.callbackExecutor = executor;
			return this;
		}

		/**
		 * Build locks. Nothing is started before the first one is wanted.
		 * @return the locks, to be closed after use
		 */
		public LockService build() {
			return new LockService(this);
		}

		private static Executor threads() {
			AtomicLong number = new AtomicLong();
			return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(),
					(task) -> {
						Thread thread = new Thread(task, "leader-election-lock-" + number.incrementAndGet());
						thread.setDaemon(true);
						return thread;
					});
		}

	}

}
