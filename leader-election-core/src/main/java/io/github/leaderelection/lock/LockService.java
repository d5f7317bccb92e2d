package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionNames;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.store.LockStore;
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

	/** Changed with the lock on this held. */
	private volatile @Nullable ElectionEngine engine;

	private volatile boolean closed;

	LockService(ElectionEngineBuilder builder, ElectionSettings settings, Executor threads, UnusedLeases unused) {
		this.builder = builder;
		this.settings = settings;
		this.threads = threads;
		this.unused = unused;
	}

	/**
	 * Begin to build locks.
	 * @param store where their leases are kept
	 * @return the builder
	 */
	public static LockServiceBuilder builder(LockStore store) {
		return new LockServiceBuilder(store);
	}

	@Override
	public Optional<HeldLock> tryAcquire(String name) {
		Waiter waiter = join(name, new Waiter(false, Runnable::run));
		Duration limit = decision();
		try {
			return Optional.of(await(waiter, limit));
		}
		catch (LockUnavailableException ex) {
			return Optional.empty();
		}
		catch (TimeoutException ex) {
			HeldLock late = leave(name, waiter);
			if (late != null) {
				return Optional.of(late);
			}
			throw new LockUnavailableException("It could not be found out within %s whether lock '%s' is free"
				.formatted(ReadableDuration.exact(limit), name));
		}
		catch (InterruptedException ex) {
			closeLate(leave(name, waiter));
			Thread.currentThread().interrupt();
			throw new LockUnavailableException("Interrupted while lock '%s' was acquired".formatted(name));
		}
	}

	@Override
	public HeldLock acquire(String name, Duration wait) throws InterruptedException {
		requireNotNegative(wait);
		if (wait.isZero()) {
			return tryAcquire(name).orElseThrow(() -> notInTime(name, wait));
		}
		Waiter waiter = join(name, new Waiter(true, Runnable::run));
		try {
			return awaitDecided(waiter, wait);
		}
		catch (TimeoutException | LockUnavailableException ex) {
			LockUnavailableException failure = notInTime(name, wait);
			HeldLock late = leave(name, waiter);
			if (late != null) {
				return late;
			}
			throw failure;
		}
		catch (InterruptedException ex) {
			closeLate(leave(name, waiter));
			throw ex;
		}
	}

	/** Return how long it may take to find out whether a lock is free. */
	private Duration decision() {
		return this.settings.ttl().multipliedBy(2);
	}

	/** Wait for so long, and then until it is known whether the lock is free. */
	private HeldLock awaitDecided(Waiter waiter, Duration wait) throws InterruptedException, TimeoutException {
		try {
			return await(waiter, wait);
		}
		catch (TimeoutException ex) {
			if (!waiter.losePatience()) {
				throw ex;
			}
			return await(waiter, decision().minus(wait));
		}
	}

	private static void closeLate(@Nullable HeldLock late) {
		if (late != null) {
			late.close();
		}
	}

	@Override
	public CompletableFuture<HeldLock> acquireAsync(String name, Duration wait) {
		requireNotNegative(wait);
		Waiter waiter = join(name, new Waiter(!wait.isZero(), this.threads));
		try {
			CompletableFuture<HeldLock> unused = waiter.whenComplete((lock, failure) -> leave(name, waiter));
			expire(waiter, name, wait);
			return waiter;
		}
		catch (Throwable ex) {
			closeLate(leave(name, waiter));
			throw ex;
		}
	}

	/** As {@link #awaitDecided} does it. */
	private void expire(Waiter waiter, String name, Duration wait) {
		after(waiter, wait, () -> {
			Runnable end = () -> waiter.refuse(notInTime(name, wait));
			if (waiter.losePatience()) {
				after(waiter, decision().minus(wait), end);
			}
			else {
				end.run();
			}
		});
	}

	/** Let something follow when the waiter was neither served nor refused in time. */
	private static void after(Waiter waiter, Duration time, Runnable action) {
		CompletableFuture<Boolean> timer = new CompletableFuture<Boolean>().completeOnTimeout(true,
				TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
		CompletableFuture<Void> unused = timer.thenAccept((over) -> {
			if (over) {
				action.run();
			}
		}).whenComplete((done, failure) -> {
			if (failure != null) {
				waiter.refuse(failure);
			}
		});
		// Before Java 21 one that is cancelled is kept until its time is over.
		CompletableFuture<HeldLock> unusedToo = waiter.whenComplete((lock, failure) -> timer.complete(false));
	}

	private static void requireNotNegative(Duration wait) {
		if (wait.isNegative()) {
			throw new IllegalArgumentException(
					"Can't wait for %s. Use a duration that is not negative".formatted(ReadableDuration.exact(wait)));
		}
	}

	private static HeldLock await(Waiter waiter, Duration wait) throws InterruptedException, TimeoutException {
		try {
			return waiter.get(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new IllegalStateException(ex.getCause());
		}
	}

	private Waiter join(String name, Waiter waiter) {
		ElectionNames.requireValid("Lock", name);
		LineElections started = new EngineElections(engine());
		LockLine line;
		do {
			line = this.lines.computeIfAbsent(name, (key) -> new LockLine(key, started, () -> over(key)));
		}
		while (!line.join(waiter));
		if (this.closed) {
			// Whoever has closed this may not have seen the line.
			line.abandon(shutDown());
		}
		return waiter;
	}

	/**
	 * Leave the line, unless it was the waiter's turn in that very moment.
	 * @return the lock that it was given
	 */
	private @Nullable HeldLock leave(String name, Waiter waiter) {
		boolean left = waiter.cancel(false);
		LockLine line = this.lines.get(name);
		if (line != null) {
			line.leave(waiter);
		}
		return (left || waiter.isCompletedExceptionally()) ? null : waiter.getNow(null);
	}

	private void over(String name) {
		this.lines.remove(name);
		this.unused.removeIfDue(this.threads);
	}

	private LockUnavailableException notInTime(String name, Duration wait) {
		return new LockUnavailableException("Lock '%s' could not be acquired within %s%s".formatted(name,
				ReadableDuration.exact(wait), holder(name)));
	}

	private String holder(String name) {
		ElectionEngine started = this.engine;
		try {
			return (started != null) ? started.leader(name).map("; it is held by %s"::formatted).orElse("") : "";
		}
		catch (RuntimeException ex) {
			// Nobody stands for it any more.
			return "";
		}
	}

	private ElectionEngine engine() {
		ElectionEngine present = this.engine;
		return (present != null && !this.closed) ? present : start();
	}

	private synchronized ElectionEngine start() {
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
		return (int) this.lines.values().stream().filter(LockLine::isHeld).count();
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
			if (this.closed) {
				return;
			}
			this.closed = true;
			started = this.engine;
		}
		if (started == null) {
			return;
		}
		try {
			this.lines.values().forEach((line) -> line.abandon(shutDown()));
			awaitHolders();
		}
		finally {
			started.close();
		}
	}

	private void awaitHolders() {
		CompletableFuture<?>[] ends = this.lines.values()
			.stream()
			.map(LockLine::over)
			.toArray(CompletableFuture[]::new);
		Duration limit = this.settings.drainTimeout();
		try {
			CompletableFuture.allOf(ends).get(limit.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			log.tell((logger) -> logger.warn(
					"Locks were not given back within {} after they have been shut down; they are given back now: {}",
					ReadableDuration.exact(limit), held()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			// None of them fails.
			throw new IllegalStateException(ex);
		}
	}

	/** The elections of an engine. */
	private record EngineElections(ElectionEngine engine) implements LineElections {

		@Override
		public void register(Candidate candidate) {
			this.engine.register(candidate);
		}

		@Override
		public void unregister(Candidate candidate) {
			this.engine.unregister(candidate);
		}

		@Override
		public void giveUp(Leadership term) {
			this.engine.giveUp(term);
		}

	}

}
