package io.github.leaderelection.integration;

import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import com.mongodb.client.MongoDatabase;
import io.github.leaderelection.mongodb.MongoStores;
import io.github.leaderelection.lock.DistributedLocks;
import io.github.leaderelection.lock.LockService;
import io.github.leaderelection.mongodb.FreshDatabase;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DistributedLockProvider}: what ShedLock expects of a provider, on a
 * real MongoDB, with two processes.
 */
@Timeout(120)
class DistributedLockProviderTests {

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration SHORT = Duration.ofMillis(500);

	@RegisterExtension
	final FreshDatabase mongo = new FreshDatabase();

	private final MongoDatabase database = this.mongo.database();

	private final LockService locks = new LockService(MongoStores.locks(this.database));

	private final LockService otherLocks = new LockService(MongoStores.locks(this.database));

	private final DistributedLockProvider provider = new DistributedLockProvider(this.locks);

	private final DistributedLockProvider otherProcess = new DistributedLockProvider(this.otherLocks);

	@AfterEach
	void close() {
		this.locks.close();
		this.otherLocks.close();
	}

	@Test
	void lockIsHeldUntilItIsUnlocked() {
		SimpleLock lock = lock(this.provider, LONG, Duration.ZERO).orElseThrow();
		assertThat(lock(this.provider, LONG, Duration.ZERO)).isEmpty();
		assertThat(lock(this.otherProcess, LONG, Duration.ZERO)).isEmpty();
		lock.unlock();
		await().atMost(LONG).until(() -> lock(this.otherProcess, LONG, Duration.ZERO).map((other) -> {
			other.unlock();
			return true;
		}).orElse(false));
		await().atMost(LONG).until(() -> this.otherLocks.held() == 0);
	}

	@Test
	void lockIsHeldNoLongerThanLockAtMostFor() {
		SimpleLock lock = lock(this.provider, SHORT, Duration.ZERO).orElseThrow();
		await().atMost(LONG).until(() -> this.locks.held() == 0);
		SimpleLock next = lock(this.provider, LONG, Duration.ZERO).orElseThrow();
		lock.unlock();
		assertThat(lock(this.provider, LONG, Duration.ZERO)).isEmpty();
		next.unlock();
	}

	@Test
	void lockIsHeldForLockAtLeastFor() {
		Instant begin = Instant.now();
		lock(this.provider, LONG, Duration.ofSeconds(2)).orElseThrow().unlock();
		assertThat(lock(this.provider, LONG, Duration.ZERO)).isEmpty();
		await().atMost(LONG).until(() -> this.locks.held() == 0);
		assertThat(Duration.between(begin, Instant.now())).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
	}

	@Test
	void lockCanBeExtended() {
		SimpleLock lock = lock(this.provider, SHORT, Duration.ZERO).orElseThrow();
		SimpleLock extended = lock.extend(LONG, Duration.ZERO).orElseThrow();
		assertThat(lock("invoices", SHORT)).isPresent();
		await().atMost(LONG).until(() -> lock("invoices", SHORT).isPresent());
		assertThat(lock(this.provider, LONG, Duration.ZERO)).isEmpty();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(LONG, Duration.ZERO));
		extended.unlock();
		assertThatIllegalStateException().isThrownBy(() -> extended.extend(LONG, Duration.ZERO));
		lock(this.provider, LONG, Duration.ZERO).orElseThrow().unlock();
	}

	@Test
	void lockCanBeExtendedWithLockAtLeastFor() {
		lock(this.provider, LONG, Duration.ZERO).orElseThrow().extend(SHORT, SHORT).orElseThrow().unlock();
		assertThat(lock(this.provider, LONG, Duration.ZERO)).isEmpty();
		await().atMost(LONG).until(() -> this.locks.held() == 0);
	}

	@Test
	void expiredLockCannotBeExtended() {
		SimpleLock lock = lock(this.provider, Duration.ofNanos(1), Duration.ZERO).orElseThrow();
		assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
		await().atMost(LONG).until(() -> this.locks.held() == 0);
	}

	@Test
	void activeLockCanBeExtended() {
		new DefaultLockingTaskExecutor(this.provider).executeWithLock((Runnable) () -> {
			LockExtender.extendActiveLock(LONG, Duration.ZERO);
			assertThat(this.locks.held()).isOne();
		}, configuration("report", LONG, Duration.ZERO));
		assertThat(this.locks.held()).isZero();
	}

	@Test
	void unlockedLockIsNotRetained() {
		AtomicReference<WeakReference<Object>> last = new AtomicReference<>();
		DistributedLocks seen = (DistributedLocks) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DistributedLocks.class }, (proxy, method, arguments) -> {
					Object acquired = method.invoke(this.locks, arguments);
					last.set(new WeakReference<>(((Optional<?>) acquired).orElseThrow()));
					return acquired;
				});
		lock(new DistributedLockProvider(seen), Duration.ofHours(24), Duration.ZERO).orElseThrow().unlock();
		await().atMost(LONG).until(() -> {
			System.gc();
			return last.get().refersTo(null);
		});
	}

	private Optional<SimpleLock> lock(String name, Duration atMost) {
		return this.provider.lock(configuration(name, atMost, Duration.ZERO));
	}

	private static Optional<SimpleLock> lock(DistributedLockProvider provider, Duration atMost, Duration atLeast) {
		return provider.lock(configuration("report", atMost, atLeast));
	}

	private static LockConfiguration configuration(String name, Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.now(), name, atMost, atLeast);
	}

}
