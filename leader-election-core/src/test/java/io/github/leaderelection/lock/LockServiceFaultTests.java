package io.github.leaderelection.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.CapturedLog;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.InterceptedLeaseStore;
import io.github.leaderelection.engine.LogCapture;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(LogCapture.class)
class LockServiceFaultTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration TTL = Duration.ofSeconds(2);

	private static final ElectionSettings SETTINGS = LockServiceTests.settings(TTL, Duration.ZERO);

	private final InMemoryRecordStores stores = new InMemoryRecordStores();

	private final LeaseStore store = LeaseStore.forLocks(this.stores, "");

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final List<LockService> services = new ArrayList<>();

	private final LockService locks = service(new Way(), this.threads);

	private LockService service(Way way, Executor callbacks) {
		return service(way, callbacks, SETTINGS);
	}

	private LockService service(Way way, Executor callbacks, ElectionSettings settings) {
		LockService service = new LockService(way.store(this.store), settings, LockService.DEFAULT_UNUSED_FOR, null,
				callbacks);
		this.services.add(service);
		return service;
	}

	@AfterEach
	void close() {
		this.services.forEach(LockService::close);
		this.threads.shutdownNow();
	}

	// Waiters

	@Test
	void interruptDuringAcquisitionLeavesNoLockBehind() throws InterruptedException {
		AtomicReference<Thread> trying = new AtomicReference<>();
		LockService service = service(new Way(), (task) -> this.threads.execute(() -> {
			Thread thread = trying.getAndSet(null);
			if (thread != null) {
				long until = System.nanoTime() + ThreadLocalRandom.current().nextInt(100_000);
				thread.interrupt();
				while (System.nanoTime() < until) {
					Thread.onSpinWait();
				}
			}
			task.run();
		}));
		for (int i = 0; i < 500; i++) {
			String name = "lock-" + i;
			Thread thread = new Thread(() -> {
				trying.set(Thread.currentThread());
				try {
					service.tryAcquire(name).ifPresent(HeldLock::close);
				}
				catch (LockUnavailableException ex) {
					assertThat(Thread.currentThread().isInterrupted()).isTrue();
				}
			});
			thread.start();
			thread.join();
		}
		Awaitility.await().until(service::isIdle);
	}

	@Test
	void waitTimesOutWithoutThreads() {
		AtomicBoolean rejecting = new AtomicBoolean();
		LockService service = service(new Way(), (task) -> {
			if (rejecting.get()) {
				throw new RejectedExecutionException("no threads, as the test wants");
			}
			this.threads.execute(task);
		});
		HeldLock held = this.locks.tryAcquire("a").orElseThrow();
		rejecting.set(true);
		CompletableFuture<HeldLock> waiting = service.acquireAsync("a", Duration.ofMillis(50));
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> waiting.orTimeout(60, TimeUnit.SECONDS).join())
			.withCauseInstanceOf(LockUnavailableException.class);
		held.close();
		CompletableFuture<HeldLock> next = service.acquireAsync("a", LONG);
		rejecting.set(false);
		next.orTimeout(60, TimeUnit.SECONDS).join().close();
		Awaitility.await().until(service::isIdle);
	}

	// Stores

	@Test
	void unavailableStoreIsReportedInTime() throws InterruptedException {
		Way way = new Way();
		LockService service = service(way, this.threads);
		way.down = true;
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> service.tryAcquire("a"))
			.withMessageContaining("'a'");
		CompletableFuture<HeldLock> waiting = service.acquireAsync("a", LONG);
		assertThat(waiting).isNotDone();
		way.down = false;
		waiting.orTimeout(60, TimeUnit.SECONDS).join().close();
		Awaitility.await().until(service::isIdle);
	}

	/** A caller that waits for a second does not want to wait for two TTLs. */
	@Test
	void shortWaitEndsSoonInAnOutage() {
		Way way = new Way();
		LockService service = service(way, this.threads,
				LockServiceTests.settings(Duration.ofMinutes(1), Duration.ZERO)
					.toBuilder()
					.operationTimeout(Duration.ofMillis(200))
					.pollInterval(Duration.ofMillis(100))
					.build());
		way.down = true;
		for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(10))) {
			assertThatExceptionOfType(CompletionException.class)
				.isThrownBy(() -> service.acquireAsync("a", wait).orTimeout(60, TimeUnit.SECONDS).join())
				.withCauseInstanceOf(LockUnavailableException.class)
				.withMessageContaining("Could not determine in time whether lock 'a' is free. Does the store answer?");
		}
		Awaitility.await().until(service::isIdle);
		// No call shows that the outage is over until somebody wants a lock.
		way.down = false;
		way.slownessNanos = TimeUnit.MILLISECONDS.toNanos(600);
		service.acquireAsync("a", Duration.ZERO).orTimeout(60, TimeUnit.SECONDS).join().close();
		Awaitility.await().until(service::isIdle);
	}

	/** The engine of elections reports the same outage, as it affects elections. */
	@Test
	void outageIsLoggedAsOneOfLocks(CapturedLog log) {
		Way way = new Way();
		LockService service = service(way, this.threads);
		HeldLock lock = service.tryAcquire("a").orElseThrow();
		way.down = true;
		Awaitility.await().until(() -> log.toString().contains("can't be reached"));
		way.down = false;
		Awaitility.await().until(() -> log.toString().contains("can be reached again"));
		lock.close();
		Awaitility.await().until(service::isIdle);
		assertThat(log).containsOnlyOnce("Leases of locks can't be reached: ")
			.containsOnlyOnce("Leases of locks can be reached again, after ")
			.doesNotContain("Leases can", "gated methods", "Lost lock");
	}

	/** As with no wait at all: until then, it is unknown whether the lock is held. */
	@Test
	void shortWaitLastsUntilTheLockStateIsKnown() throws InterruptedException {
		Way way = new Way();
		LockService service = service(way, this.threads);
		way.slownessNanos = TimeUnit.MILLISECONDS.toNanos(20);
		HeldLock lock = service.acquire("a", Duration.ofNanos(1));
		HeldLock other = service.acquireAsync("b", Duration.ofNanos(1)).orTimeout(60, TimeUnit.SECONDS).join();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.locks.acquire("a", Duration.ofNanos(1)))
			.withMessageContaining("'a' could not be acquired within");
		assertThatExceptionOfType(CompletionException.class)
			.isThrownBy(() -> this.locks.acquireAsync("b", Duration.ofNanos(1)).orTimeout(60, TimeUnit.SECONDS).join())
			.withCauseInstanceOf(LockUnavailableException.class);
		lock.close();
		other.close();
		Awaitility.await().until(() -> service.isIdle() && this.locks.isIdle());
	}

	@Test
	void lockIsLostBeforeAnotherProcessHoldsIt(CapturedLog log) throws InterruptedException {
		Way way = new Way();
		LockService service = service(way, this.threads);
		HeldLock lock = service.tryAcquire("a").orElseThrow();
		ConcurrentLinkedQueue<LossReason> told = new ConcurrentLinkedQueue<>();
		lock.onLost(told::add);
		CompletableFuture<HeldLock> next = this.locks.acquireAsync("a", LONG);
		way.down = true;
		long sent = System.nanoTime();
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> !lock.isHeld());
		assertThat(next).isNotDone();
		HeldLock after = next.orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(Duration.ofNanos(System.nanoTime() - sent)).isLessThan(TTL.multipliedBy(10));
		assertThat(lock.isHeld()).isFalse();
		assertThat(after.term()).isGreaterThan(lock.term());
		assertThat(lock.lossReason()).contains(LossReason.EXPIRED);
		Awaitility.await().until(() -> !told.isEmpty());
		Awaitility.await().until(() -> service.held() == 0);
		assertThat(told).containsExactly(LossReason.EXPIRED);
		Awaitility.await().until(() -> log.toString().contains("Lost lock"));
		lock.close();
		assertThat(lock.lossReason()).contains(LossReason.EXPIRED);
		after.close();
		way.down = false;
		Awaitility.await().until(() -> service.isIdle() && this.locks.isIdle());
		assertThat(log)
			.containsOnlyOnce("Lost lock 'a', term %d, before it was given back: EXPIRED".formatted(lock.term()));
	}

	/** Its user may not have checked it since, for example while waiting for a device. */
	@Test
	void lostLockKeepsItsSafetyMarginUntilClosed() {
		Duration ttl = Duration.ofMillis(2_000);
		Duration margin = Duration.ofMillis(1_200);
		ElectionSettings settings = new ElectionSettings(ttl, Duration.ofMillis(200), margin, Duration.ofMillis(200),
				Duration.ofMillis(100), Duration.ZERO, Duration.ZERO);
		Way way = new Way();
		LockService service = service(way, this.threads, settings);
		HeldLock lock = service.tryAcquire("a").orElseThrow();
		CompletableFuture<HeldLock> next = service.acquireAsync("a", LONG);
		CompletableFuture<HeldLock> other = this.locks.acquireAsync("a", LONG);
		way.down = true;
		// A renewal that is under way may extend it, but it is not lost earlier.
		long lostAt = System.nanoTime() + lock.remaining().toNanos();
		Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> !lock.isHeld());
		way.down = false;
		HeldLock first = (HeldLock) CompletableFuture.anyOf(next, other).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(Duration.ofNanos(System.nanoTime() - lostAt)).isGreaterThanOrEqualTo(margin);
		first.close();
		next.orTimeout(60, TimeUnit.SECONDS).join().close();
		other.orTimeout(60, TimeUnit.SECONDS).join().close();
		Awaitility.await().until(() -> service.isIdle() && this.locks.isIdle());
		assertThat(lock.lossReason()).contains(LossReason.EXPIRED);
	}

	// Processes that have crashed

	@Test
	void oneAttemptAcquiresALockAbandonedLongAgo() {
		Way way = new Way();
		HeldLock held = service(way, this.threads).tryAcquire("a").orElseThrow();
		way.down = true;
		awaitSilence(held);
		assertThat(this.locks.tryAcquire("a")).isPresent();
	}

	@Test
	void lockIsAcquiredAfterAHolderSeenAliveHasCrashed() {
		Way way = new Way();
		HeldLock held = service(way, this.threads).tryAcquire("a").orElseThrow();
		assertThat(this.locks.tryAcquire("a")).isEmpty();
		awaitTtl();
		assertThat(this.locks.tryAcquire("a")).isEmpty();
		awaitTtl();
		way.down = true;
		awaitSilence(held);
		assertThat(this.locks.tryAcquire("a")).isPresent();
	}

	/** Wait until a lock has been lost for a time to live. */
	private static void awaitSilence(HeldLock held) {
		Awaitility.await().until(() -> !held.isHeld());
		awaitTtl();
	}

	private static void awaitTtl() {
		long begin = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - begin > TTL.toNanos());
	}

	/**
	 * The connection of one process to the store. A process that never reaches the store
	 * again is as good as crashed.
	 */
	private static final class Way {

		private volatile boolean down;

		private volatile long slownessNanos;

		LeaseStore store(LeaseStore store) {
			return new InterceptedLeaseStore(store, (method, what, timeout) -> {
				if (this.down) {
					throw new LeaseStoreException("no answer, as the test wants", null);
				}
				LockSupport.parkNanos(this.slownessNanos);
			});
		}

	}

}
