package io.github.leaderelection.integration;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.engine.ElectionEngineBuilder;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.FreshDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import org.bson.Document;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.Timeout;

import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DistributedLockRegistry} on a real MongoDB, with two processes.
 */
@Timeout(120)
class DistributedLockRegistryTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final LockService locks = locks();

	private final LockService otherLocks = locks();

	private final DistributedLockRegistry registry = new DistributedLockRegistry(this.locks);

	private final DistributedLockRegistry otherProcess = new DistributedLockRegistry(this.otherLocks);

	private final DistributedLock lock = this.registry.obtain("a");

	private final ExecutorService anotherThread = Executors.newSingleThreadExecutor();

	/** Locks that a test leaves behind are not waited for. */
	private LockService locks() {
		ElectionSettings usual = LockService.settings(ElectionSettings.DEFAULT_TTL);
		return new LockService(MongoStores.locks(this.database), usual.toBuilder().drainTimeout(Duration.ZERO).build(),
				LockService.DEFAULT_UNUSED_FOR, null, ElectionEngineBuilder.daemonThreads("locks-"));
	}

	@AfterEach
	void close() {
		this.anotherThread.shutdownNow();
		try {
			while (!this.registry.isIdle()) {
				this.lock.unlock();
			}
		}
		catch (IllegalMonitorStateException | ConcurrentModificationException ex) {
			// Some tests leave it unlocked or lost.
		}
		this.locks.close();
		this.otherLocks.close();
	}

	@Test
	void everyWayOfLockingExcludesOtherProcesses() throws InterruptedException {
		List<Callable<Boolean>> ways = List.of(() -> {
			this.lock.lock();
			return true;
		}, () -> {
			this.lock.lockInterruptibly();
			return true;
		}, this.lock::tryLock, () -> this.lock.tryLock(60, TimeUnit.SECONDS), () -> {
			this.lock.lock(LONG);
			return true;
		}, () -> this.lock.tryLock(LONG, LONG));
		for (Callable<Boolean> way : ways) {
			// An unlocked lock is released a moment later.
			while (!call(way)) {
				Thread.onSpinWait();
			}
			assertThat(this.otherProcess.obtain("a").tryLock()).isFalse();
			assertThat(this.otherProcess.obtain("a").tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
			assertThat(this.otherProcess.obtain("b").tryLock(60, TimeUnit.SECONDS)).isTrue();
			this.otherProcess.obtain("b").unlock();
			this.lock.unlock();
			assertThat(this.otherProcess.obtain("a").tryLock(60, TimeUnit.SECONDS)).isTrue();
			this.otherProcess.obtain("a").unlock();
		}
		assertThat(this.registry.isIdle() && this.otherProcess.isIdle()).isTrue();
	}

	@Test
	void isReentrant() throws Exception {
		this.lock.lock();
		this.registry.obtain("a").lockInterruptibly();
		assertThat(this.registry.obtain("a").tryLock()).isTrue();
		assertThat(this.registry.obtain("a").tryLock(1, TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 3; i++) {
			this.lock.unlock();
			assertThat(onAnotherThread(() -> this.lock.tryLock())).isFalse();
		}
		this.lock.unlock();
		assertThat(onAnotherThread(() -> this.lock.tryLock(60, TimeUnit.SECONDS))).isTrue();
	}

	@Test
	void locksOfOneKeyAreEqual() {
		assertThat(this.registry.obtain("a")).isEqualTo(this.lock).isNotEqualTo(this.registry.obtain("b"));
		assertThat(this.otherProcess.obtain("a")).isNotEqualTo(this.lock);
	}

	@Test
	void onlyTheLockingThreadCanUnlock() throws Exception {
		this.lock.lock();
		onAnotherThread(
				() -> assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
					.withMessageContaining("'a'"));
		this.lock.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void waitingThreadCanBeInterrupted() throws Exception {
		this.otherProcess.obtain("a").lock();
		Future<?> waiting = this.anotherThread.submit(() -> {
			this.lock.lockInterruptibly();
			return null;
		});
		await().atMost(LONG).until(() -> this.locks.waiting() == 1);
		this.anotherThread.shutdownNow();
		assertThat(waiting).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(InterruptedException.class);
		this.otherProcess.obtain("a").unlock();
	}

	@Test
	void interruptDoesNotPreventLocking() {
		Thread.currentThread().interrupt();
		this.lock.lock();
		assertThat(Thread.interrupted()).isTrue();
		this.lock.unlock();
		Thread.currentThread().interrupt();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void interruptedThreadTriesOnce() {
		AtomicInteger attempts = new AtomicInteger();
		DistributedLocks counted = (DistributedLocks) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DistributedLocks.class }, (proxy, method, arguments) -> {
					attempts.incrementAndGet();
					return method.invoke(this.locks, arguments);
				});
		Thread.currentThread().interrupt();
		assertThat(new DistributedLockRegistry(counted).obtain("b").tryLock()).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(attempts).hasValue(1);
	}

	@Test
	void interruptibleMethodsHeedAnInterrupt() {
		for (ThrowingCallable way : List.<ThrowingCallable>of(this.lock::lockInterruptibly,
				() -> this.lock.tryLock(1, TimeUnit.SECONDS), () -> this.lock.tryLock(0, TimeUnit.SECONDS))) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(way);
		}
	}

	@Test
	void lostLockIsReportedOnUnlock() {
		this.lock.lock();
		takeOver();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("'a'");
		assertThat(this.registry.isIdle()).isTrue();
	}

	@Test
	void lostLockIsReportedWhenLockedAgain() throws InterruptedException {
		this.lock.lock();
		takeOver();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::lock);
		free();
		assertThat(this.lock.tryLock(60, TimeUnit.SECONDS)).isTrue();
		this.lock.unlock();
		// The first lock, which was lost.
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
		assertThat(this.registry.isIdle()).isTrue();
	}

	@Test
	void lockIsReleasedWhenItsTimeToLiveHasPassed() throws InterruptedException {
		this.lock.lock(Duration.ofMillis(200));
		assertThat(this.otherProcess.obtain("a").tryLock(60, TimeUnit.SECONDS)).isTrue();
		assertThatIllegalStateException().isThrownBy(() -> this.registry.renewLock("a"));
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
		this.otherProcess.obtain("a").unlock();
	}

	@Test
	void renewedLockStaysHeld() throws InterruptedException {
		this.lock.lock(LONG);
		this.registry.renewLock("a", Duration.ofMillis(200));
		this.registry.renewLock("a");
		assertThat(this.otherProcess.obtain("a").tryLock(2, TimeUnit.SECONDS)).isFalse();
		this.registry.renewLock("a", LONG);
		this.lock.unlock();
	}

	@Test
	void onlyTheHolderRenewsTheLock() throws Exception {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> this.registry.renewLock("a"));
		this.lock.lock();
		onAnotherThread(() -> assertThatExceptionOfType(IllegalMonitorStateException.class)
			.isThrownBy(() -> this.registry.renewLock("a", LONG)));
		this.registry.renewLock("a");
	}

	@Test
	void timesToLiveMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.lock(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.tryLock(LONG, Duration.ofSeconds(-1)));
	}

	@Test
	void keysThatAreNotValidNamesAreHashed() throws InterruptedException {
		for (String key : List.of("", " ", "two\nlines", "x".repeat(1000))) {
			DistributedLock odd = this.registry.obtain(key);
			assertThat(odd.tryLock(60, TimeUnit.SECONDS)).isTrue();
			assertThat(this.otherProcess.obtain(key).tryLock()).isFalse();
			assertThat(this.otherProcess.obtain(key + "x").tryLock()).isTrue();
			this.otherProcess.obtain(key + "x").unlock();
			odd.unlock();
		}
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.obtain(1));
	}

	@Test
	void unusedLocksAreForgotten() {
		for (int i = 0; i < 20; i++) {
			DistributedLock each = this.registry.obtain("key " + i);
			each.lock();
			each.unlock();
		}
		this.lock.lock();
		this.registry.expireUnusedOlderThan(0);
		assertThat(this.locks.held()).isOne();
		this.lock.unlock();
		assertThat(this.registry.isIdle()).isTrue();
	}

	@Test
	void executeLockedRunsItsTask() throws Exception {
		assertThat(this.registry.<Integer, RuntimeException>executeLocked("a", () -> this.locks.held())).isOne();
		assertThat(this.locks.held()).isZero();
		this.otherProcess.obtain("a").lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.registry.<RuntimeException>executeLocked("a", Duration.ofMillis(50), () -> {
			}));
		this.otherProcess.obtain("a").unlock();
	}

	@Test
	void leaderInitiatorLeadsAgainAfterItHasLostTheLock() {
		Role role = new Role();
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(this.registry, role);
		initiator.setHeartBeatMillis(50);
		initiator.setBusyWaitMillis(20);
		initiator.start();
		try {
			await().atMost(LONG).until(() -> role.granted.get() == 1);
			String key = Objects
				.requireNonNull(this.database.getCollection(MongoStores.LOCKS)
					.find(new Document("holder", new Document("$type", "string")))
					.first())
				.getString("_id");
			takeOver(key);
			await().atMost(LONG).until(() -> role.revoked.get() == 1);
			free(key);
			await().atMost(LONG).until(() -> role.granted.get() == 2);
		}
		finally {
			initiator.stop();
		}
		await().atMost(LONG).until(() -> role.revoked.get() == 2 && this.locks.held() == 0);
	}

	/**
	 * Write another holder into the lease, as if it had replaced a silent one.
	 */
	private void takeOver() {
		takeOver("lock:a");
		await().atMost(LONG).until(() -> this.locks.held() == 0);
	}

	private void takeOver(String id) {
		this.database.getCollection(MongoStores.LOCKS).updateOne(new Document("_id", id), Document.parse("""
				{ $set: { holder: "somebody-else#1" },
				$inc: { term: { $numberLong: "1" }, revision: { $numberLong: "1" } } }"""));
	}

	private void free() {
		free("lock:a");
	}

	private void free(String id) {
		this.database.getCollection(MongoStores.LOCKS).updateOne(new Document("_id", id), Document.parse("""
				{ $set: { holder: null }, $inc: { revision: { $numberLong: "1" } } }"""));
	}

	private <T> T onAnotherThread(Callable<T> task) throws Exception {
		return this.anotherThread.submit(task).get(60, TimeUnit.SECONDS);
	}

	private static <T> T call(Callable<T> task) {
		try {
			return task.call();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Counts how often leadership was granted and revoked. */
	private static final class Role extends DefaultCandidate {

		private final AtomicInteger granted = new AtomicInteger();

		private final AtomicInteger revoked = new AtomicInteger();

		@Override
		public void onGranted(Context context) {
			this.granted.incrementAndGet();
		}

		@Override
		public void onRevoked(Context context) {
			this.revoked.incrementAndGet();
		}

	}

}
