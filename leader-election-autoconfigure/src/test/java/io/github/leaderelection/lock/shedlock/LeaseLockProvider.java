package io.github.leaderelection.lock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.lock.DistributedLocks;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

import org.springframework.stereotype.Component;

@Component
class LeaseLockProvider implements LockProvider {

	private final DistributedLocks locks;

	LeaseLockProvider(DistributedLocks locks) {
		this.locks = locks;
	}

	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		return this.locks.tryAcquire(configuration.getName()).map((lock) -> {
			Future<?> atMost = CompletableFuture.runAsync(lock::close, at(configuration.getLockAtMostUntil()));
			return () -> {
				atMost.cancel(false);
				at(configuration.getLockAtLeastUntil()).execute(lock::close);
			};
		});
	}

	private static Executor at(Instant time) {
		long millis = Duration.between(Instant.now(), time).toMillis();
		return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
	}

}
