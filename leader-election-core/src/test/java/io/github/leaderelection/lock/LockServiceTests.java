package io.github.leaderelection.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineLog;
import io.github.leaderelection.engine.TestTerm;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockServiceTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Executor THREADS = ElectionEngineBuilder.daemonThreads("locks-");

	private final LeaseStore store = LeaseStore.forLocks(new InMemoryRecordStores(), "");

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

	private final InMemoryRecordStores datedStores = new InMemoryRecordStores(this.now::get);

	private final LeaseStore dated = LeaseStore.forLocks(this.datedStores, "");

	private final List<LockService> services = new ArrayList<>();

	private final LockService locks = service();

	private LockService service() {
		return service(Duration.ZERO);
	}

	private LockService service(Duration drainTimeout) {
		LockService service = new LockService(this.store, settings(Duration.ofSeconds(5), drainTimeout),
				LockService.DEFAULT_UNUSED_FOR, null, THREADS);
		this.services.add(service);
		return service;
	}

	static ElectionSettings settings(Duration ttl, Duration drainTimeout) {
		return LockService.settings(ttl).toBuilder().drainTimeout(drainTimeout).build();
	}

	@AfterEach
	void close() {
		this.services.forEach(LockService::close);
	}

	@Test
	void acquiresAndReleases() {
		HeldLock lock = this.locks.tryAcquire("a").orElseThrow();
		CompletableFuture<LossReason> told = new CompletableFuture<>();
		lock.onLost(told::complete);
		assertThat(lock.name()).isEqualTo("a");
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.term()).isPositive();
		assertThat(lock.remaining()).isPositive();
		assertThat(lock.lossReason()).isEmpty();
		lock.close();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThat(lock.lossReason()).contains(LossReason.RESIGNED);
		assertThat(told.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(LossReason.RESIGNED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::requireHeld).withMessageContaining("'a'");
		for (int i = 0; i < 50; i++) {
			this.locks.tryAcquire("a").orElseThrow().close();
		}
		assertThat(this.locks.held()).isZero();
	}

	@Test
	void waitersAreServedInOrder() throws Exception {
		HeldLock first = this.locks.tryAcquire("a").orElseThrow();
		List<Integer> order = new ArrayList<>();
		List<CompletableFuture<Void>> all = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			int number = i;
			all.add(this.locks.acquireAsync("a", LONG).thenAccept((lock) -> {
				order.add(number);
				lock.close();
			}));
		}
		assertThat(this.locks.waiting()).isEqualTo(5);
		first.close();
		CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
		assertThat(order).containsExactly(0, 1, 2, 3, 4);
	}

	@Test
	void continuationOfALockIsNeitherInterruptedNorAwaited() {
		HeldLock first = this.locks.tryAcquire("a").orElseThrow();
		CompletableFuture<Void> go = new CompletableFuture<>();
		CompletableFuture<Boolean> followed = this.locks.acquireAsync("a", LONG).thenApply((lock) -> {
			lock.close();
			go.join();
			return !Thread.interrupted();
		});
		// Not earlier: if the lock were free, this thread would run the continuation.
		first.close();
		this.locks.acquireAsync("a", LONG).orTimeout(60, TimeUnit.SECONDS).join().close();
		go.complete(null);
		assertThat(followed.join()).isTrue();
	}

	@Test
	void continuationOfATimeoutDelaysNoOtherWaiter() throws Exception {
		HeldLock lock = service().tryAcquire("a").orElseThrow();
		CountDownLatch refused = new CountDownLatch(1);
		CompletableFuture<Void> go = new CompletableFuture<>();
		CompletableFuture<Boolean> followed = this.locks.acquireAsync("a", Duration.ofSeconds(1))
			.handle((none, failure) -> {
				refused.countDown();
				go.join();
				return !Thread.interrupted();
			});
		CompletableFuture<HeldLock> next = this.locks.acquireAsync("a", LONG);
		assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
		lock.close();
		assertThat(next.get(30, TimeUnit.SECONDS).isHeld()).isTrue();
		go.complete(null);
		assertThat(followed.get(60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void zeroWaitTimeAcquiresAFreeLock() throws InterruptedException {
		HeldLock lock = this.locks.acquire("a", Duration.ZERO);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.locks.acquire("a", Duration.ZERO));
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> service().acquire("a", Duration.ZERO));
		assertThat(this.locks.acquireAsync("a", Duration.ZERO)).isCompletedExceptionally();
		lock.close();
		assertThat(this.locks.acquireAsync("a", Duration.ZERO).orTimeout(60, TimeUnit.SECONDS).join().isHeld())
			.isTrue();
	}

	@Test
	void acquisitionTimesOut() {
		HeldLock lock = this.locks.tryAcquire("a").orElseThrow();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.locks.acquire("a", Duration.ofMillis(20)))
			.withMessageContaining("'a'")
			.withMessageContaining("20 ms")
			.withMessageContaining(lock.candidateId());
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> service().acquire("a", Duration.ofMillis(20)))
			.withMessageContaining("it is held by " + lock.candidateId());
		CompletableFuture<HeldLock> late = this.locks.acquireAsync("a", Duration.ofMillis(20));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> late.get(60, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockUnavailableException.class);
		Awaitility.await().until(() -> this.locks.waiting() == 0);
		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void interruptedWaiterLeavesTheLine() throws InterruptedException {
		HeldLock lock = this.locks.tryAcquire("a").orElseThrow();
		FutureTask<HeldLock> acquiring = new FutureTask<>(() -> this.locks.acquire("a", LONG));
		Thread waiting = new Thread(acquiring);
		waiting.start();
		Awaitility.await().until(() -> this.locks.waiting() == 1);
		waiting.interrupt();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> acquiring.get(60, TimeUnit.SECONDS))
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(this.locks.waiting()).isZero();
		assertThat(lock.isHeld()).isTrue();
	}

	@Test
	void closingTwiceDoesNotReleaseTheNextHolder() throws InterruptedException {
		HeldLock lock = this.locks.tryAcquire("a").orElseThrow();
		CompletableFuture.runAsync(lock::close).join();
		HeldLock next = this.locks.acquire("a", LONG);
		lock.close();
		assertThat(next.isHeld()).isTrue();
		assertThat(this.locks.tryAcquire("a")).isEmpty();
	}

	@Test
	void lockNeverHasTwoHoldersOrRepeatsATerm() throws Exception {
		List<LockService> processes = List.of(this.locks, service(), service());
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		ConcurrentLinkedQueue<Long> terms = new ConcurrentLinkedQueue<>();
		List<FutureTask<Void>> workers = IntStream.range(0, 12).mapToObj((i) -> new FutureTask<Void>(() -> {
			for (int round = 0; round < 20; round++) {
				try (HeldLock lock = processes.get(i % 3).acquire("a", LONG)) {
					most.accumulateAndGet(inside.incrementAndGet(), Math::max);
					terms.add(lock.term());
					inside.decrementAndGet();
				}
			}
			return null;
		})).toList();
		workers.forEach((worker) -> new Thread(worker).start());
		for (FutureTask<Void> worker : workers) {
			worker.get(120, TimeUnit.SECONDS);
		}
		assertThat(most).hasValue(1);
		assertThat(new ArrayList<>(terms)).hasSize(240).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void closeWaitsForWorkUnderALock() throws InterruptedException {
		LockService patient = service(LONG);
		HeldLock lock = patient.tryAcquire("a").orElseThrow();
		CompletableFuture<HeldLock> next = this.locks.acquireAsync("a", LONG);
		CompletableFuture<HeldLock> never = patient.acquireAsync("a", LONG);
		CompletableFuture<Boolean> closed = CompletableFuture.supplyAsync(() -> {
			// Work that closes its application may be interrupted.
			Thread.currentThread().interrupt();
			patient.close();
			return Thread.interrupted();
		});
		Awaitility.await().until(never::isDone);
		assertThat(never).isCompletedExceptionally();
		assertThat(lock.isHeld()).isTrue();
		assertThat(next).isNotDone();
		lock.close();
		assertThat(next.orTimeout(60, TimeUnit.SECONDS).join().isHeld()).isTrue();
		assertThat(closed.join()).isTrue();
	}

	@Test
	void closedServiceAcquiresNoLock() {
		HeldLock held = this.locks.tryAcquire("a").orElseThrow();
		CompletableFuture<HeldLock> waiting = this.locks.acquireAsync("a", LONG);
		CompletableFuture<Thread> followed = waiting.handle((none, failure) -> Thread.currentThread());
		this.locks.close();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(waiting::join)
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(followed.orTimeout(60, TimeUnit.SECONDS).join()).isNotSameAs(Thread.currentThread());
		assertThat(held.isHeld()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.locks.tryAcquire("a"));
		assertThat(service().tryAcquire("a")).isPresent();
	}

	// Leases that nobody uses

	@Test
	void releaseRemovesLongUnusedLeases() {
		LockService sweeping = new LockService(this.dated, settings(Duration.ofSeconds(5), Duration.ZERO),
				Duration.ofMillis(1), null, THREADS);
		this.services.add(sweeping);
		sweeping.tryAcquire("a").orElseThrow().close();
		Awaitility.await().until(() -> lease("a").isVacant());
		this.now.getAndUpdate((time) -> time.plus(LONG));
		Awaitility.await().until(() -> {
			sweeping.tryAcquire("b").ifPresent(HeldLock::close);
			return lease("a") == null;
		});
		// This also works for many, next to the record that keeps terms rising.
		List<String> many = IntStream.range(0, 1500).mapToObj(String::valueOf).toList();
		this.dated.create(many.stream().map((name) -> Lease.vacant(name, 0, 0, LONG)).toList(), LONG);
		this.now.getAndUpdate((time) -> time.plus(LONG));
		sweeping.tryAcquire("c").orElseThrow().close();
		Awaitility.await().until(() -> this.dated.read(many, List.of(), LONG).leases().isEmpty());
	}

	/**
	 * Otherwise the lease could be removed, and waiters would wait for a whole TTL.
	 */
	@Test
	void lockHeldForLongIsNotUnusedOnRelease() {
		LockService service = new LockService(this.dated);
		this.services.add(service);
		HeldLock lock = service.tryAcquire("a").orElseThrow();
		this.now.getAndUpdate((time) -> time.plus(LockService.DEFAULT_UNUSED_FOR.multipliedBy(2)));
		lock.close();
		Awaitility.await().until(() -> lease("a").isVacant());
		// As any process may do at this moment.
		assertThat(this.dated.removeUnused(LockService.DEFAULT_UNUSED_FOR, 10, LONG)).isZero();
		this.now.getAndUpdate((time) -> time.plus(LockService.DEFAULT_UNUSED_FOR.multipliedBy(2)));
		assertThat(this.dated.removeUnused(LockService.DEFAULT_UNUSED_FOR, 10, LONG)).isOne();
	}

	private Lease lease(String name) {
		return this.dated.read(Set.of(name), List.of(), LONG).leases().get(name);
	}

	@Test
	void termEndedBeforeItsCallbackServesNoWaiter() {
		TestTerm term = new TestTerm("a", 7);
		Waiter waiter = new Waiter(LONG, Duration.ZERO, Runnable::run);
		LockLine line = line(term, waiter);
		term.lose();
		line.onElected(term.leadership());
		line.onDefeated(term.leadership());
		assertThat(waiter).isNotDone();
		assertThat(line.waiting()).isOne();
	}

	@Test
	void waiterCompletedFromOutsideHoldsNoLock() {
		TestTerm term = new TestTerm("a", 7);
		Queue<Runnable> later = new ArrayDeque<>();
		Waiter waiter = new Waiter(LONG, Duration.ZERO, later::add);
		LockLine line = line(term, waiter);
		line.onElected(term.leadership());
		waiter.complete(null);
		later.forEach(Runnable::run);
		assertThat(line.held()).isNull();
	}

	/** Otherwise a lock that nobody has would be held until the service closes. */
	@Test
	void termWithoutWaitersIsGivenUp() {
		TestTerm term = new TestTerm("a", 7);
		Waiter waiter = new Waiter(LONG, Duration.ZERO, Runnable::run);
		List<Leadership> givenUp = new ArrayList<>();
		LockLine line = line(term, waiter, givenUp::add);
		waiter.cancel(false);
		line.onElected(term.leadership());
		assertThat(givenUp).containsExactly(term.leadership());
		assertThat(term.inFlight()).isZero();
	}

	private static LockLine line(TestTerm term, Waiter waiter) {
		return line(term, waiter, (given) -> {
		});
	}

	private static LockLine line(TestTerm term, Waiter waiter, Consumer<Leadership> giveUp) {
		LockLine line = new LockLine("a", new ElectionAccess((candidate) -> {
		}, (candidate) -> {
		}, (election) -> term.enter(false), giveUp, (election) -> Optional.empty(), (task) -> {
		}), EngineLog.of(LockService.class));
		assertThat(line.join(waiter)).isTrue();
		return line;
	}

	@Test
	void invalidNamesAndWaitTimesAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.tryAcquire(" "))
			.withMessage("Lock name ' ' is blank. Give the lock a name");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire("a", Duration.ofMillis(-1)));
		assertThat(this.locks.waiting()).isZero();
	}

}
