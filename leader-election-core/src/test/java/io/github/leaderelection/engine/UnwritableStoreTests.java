package io.github.leaderelection.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.InMemoryCandidateRegistry;
import io.github.leaderelection.store.InMemoryLeaseStore;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A store that can be read but not written to, as with a database user that lacks a
 * privilege.
 */
@ExtendWith(LogCapture.class)
class UnwritableStoreTests {

	private final AtomicBoolean writable = new AtomicBoolean();

	private final AtomicInteger refusals = new AtomicInteger();

	@Test
	void isOneOutageForAsLongAsItLasts(CapturedLog log) {
		CandidateRecord identity = new CandidateRecord("app@host:1-0a", "app", "host", 1, null, null, Set.of(), null,
				null);
		try (ElectionEngine engine = new ElectionEngine(identity, store(), new InMemoryCandidateRegistry(),
				(election) -> ElectionSettings.of(Duration.ofMillis(500)), (task) -> new Thread(task).start(),
				List.of(), EngineClock.SYSTEM)) {
			engine.stand("jobs");
			engine.start();
			await().until(() -> this.refusals.get() >= 4);
			assertThat(engine.status().outage()).isNotNull();
			assertThat(log).containsOnlyOnce("Leases can't be reached").doesNotContain("reached again");
			this.writable.set(true);
			await().until(() -> engine.isLeader("jobs"));
			await().until(() -> engine.status().outage() == null);
			assertThat(log).containsOnlyOnce("Leases can't be reached").containsOnlyOnce("reached again");
		}
	}

	private LeaseStore store() {
		LeaseStore store = new InMemoryLeaseStore();
		return (LeaseStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LeaseStore.class },
				(proxy, method, arguments) -> {
					if (!this.writable.get() && !Set.of("read", "watch").contains(method.getName())) {
						this.refusals.incrementAndGet();
						throw new LeaseStoreException("not authorized", null);
					}
					return method.invoke(store, arguments);
				});
	}

}
