package io.github.leaderelection.lock.example;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.leaderelection.lock.DistributedLocks;

import org.springframework.stereotype.Component;

/**
 * From the page about locks.
 */
@Component
class Exports {

	private final DistributedLocks locks;

	Exports(DistributedLocks locks) {
		this.locks = locks;
	}

	CompletableFuture<Long> export(String tenant) {
		return this.locks.acquireAsync("export/" + tenant, Duration.ofSeconds(30))
			.thenCompose((lock) -> write(tenant, lock.term()).whenComplete((rows, failure) -> lock.close()))
			.copy(); // cancelling the copy does not prevent the close
	}

	CompletableFuture<Long> write(String tenant, long term) {
		return CompletableFuture.completedFuture(term);
	}

}
