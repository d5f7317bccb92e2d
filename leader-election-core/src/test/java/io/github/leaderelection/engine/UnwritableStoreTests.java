package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.protocol.Moment;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A store that does some things but not others: that can be read but not written to, as
 * with a database user that lacks a privilege.
 */
@ExtendWith(LogCapture.class)
class UnwritableStoreTests {

	private static final Duration TTL = Duration.ofMillis(500);

	private static final Set<String> WRITES = Set.of("create", "take", "release", "ask", "pause", "renew", "expire",
			"close");

	private final LeaseStore reliable = LeaseStore.forElections(new InMemoryRecordStores(), "");

	/** What fails now, by the method. */
	private final Map<String, LeaseStoreException> failures = new ConcurrentHashMap<>();

	private final AtomicInteger refusals = new AtomicInteger();

	@Test
	void isOneOutageForAsLongAsItLasts(CapturedLog log) {
		WRITES.forEach((method) -> fail(method, "not authorized", "unauthorized"));
		isOneOutageThatEnds(log);
	}

	@ParameterizedTest
	@ValueSource(strings = { "read", "renew" })
	void operationThatFailsIsOneOutageWhateverElseSucceeds(String method, CapturedLog log) {
		fail(method, "not authorized", "unauthorized");
		isOneOutageThatEnds(log);
	}

	private void isOneOutageThatEnds(CapturedLog log) {
		try (ElectionEngine engine = start()) {
			await().until(() -> this.refusals.get() >= 6);
			await().until(() -> engine.status().outage(),
					(outage) -> outage != null && outage.duration().compareTo(TTL.multipliedBy(2)) > 0);
			assertThat(log).containsOnlyOnce("Leases can't be reached")
				.doesNotContain("reached again")
				.doesNotContain("another reason");
			this.failures.clear();
			await().until(() -> engine.isLeader("jobs"));
			await().until(() -> engine.status().outage() == null);
			assertThat(log).containsOnlyOnce("Leases can't be reached").containsOnlyOnce("reached again");
		}
	}

	@Test
	void reasonOfAnotherKindIsToldOnce(CapturedLog log) {
		fail("read", "could not read leases: no answer", "unreachable");
		fail("sessions", "could not read sessions: no answer", "unreachable");
		try (ElectionEngine engine = start()) {
			await().until(() -> this.refusals.get() >= 6);
			assertThat(log).containsOnlyOnce("no answer");
			fail("read", "not authorized. Let the user find there", "unauthorized");
			await().until(() -> log.toString().contains("Let the user find there"));
			int refusals = this.refusals.get();
			await().until(() -> this.refusals.get() >= refusals + 6);
			assertThat(log)
				.containsOnlyOnce(
						"WARN io.github.leaderelection.engine.StoreAvailability - Leases still can't be reached, "
								+ "now for another reason: not authorized. Let the user find there")
				.containsOnlyOnce("no answer")
				.doesNotContain("reached again");
		}
	}

	@Test
	void endOfAnOutageIsToldBeforeWhatFollowsFromIt(CapturedLog log) {
		try (ElectionEngine engine = start()) {
			await().until(() -> engine.isLeader("jobs"));
			fail("read", "no answer", "unreachable");
			WRITES.forEach((method) -> fail(method, "no answer", "unreachable"));
			await().until(() -> !engine.isLeader("jobs") && engine.status().outage() != null);
			this.failures.clear();
			await().until(() -> engine.isLeader("jobs") && log.toString().contains("in term 2"));
			assertThat(log.toString()).containsSubsequence("Leases can't be reached", "Leases can be reached again",
					"Elected: this instance leads 'jobs' in term 2");
		}
	}

	@Test
	void outageEndsThoughNobodyReadsAnElectionAnyMore() {
		StoreAvailability outage = new StoreAvailability(
				new EngineContext("a", store(), EngineClock.SYSTEM, Runnable::run, List.of(), () -> {
				}));
		Moment now = new Moment(0, 0);
		outage.failed(StoreOperation.READ, Set.of("jobs", "other"), new LeaseStoreException("no answer", null), now);
		outage.answered(StoreOperation.READ, Set.of("other"), Set.of("other"), Set.of("jobs", "other"),
				Set.of("jobs", "other"), now);
		assertThat(outage.status(now)).isNotNull();
		outage.answered(StoreOperation.WATCH, Set.of("jobs", "other"), Set.of(), Set.of("jobs", "other"),
				Set.of("other"), now);
		assertThat(outage.status(now)).isNull();
	}

	private ElectionEngine start() {
		ElectionEngine engine = ElectionEngine.builder(store()).settings(ElectionSettings.of(TTL)).build();
		engine.stand("jobs");
		engine.start();
		return engine;
	}

	private void fail(String method, String message, String kind) {
		this.failures.put(method, new LeaseStoreException(message, kind, null));
	}

	private LeaseStore store() {
		return new InterceptedLeaseStore(this.reliable, (method, what, timeout) -> {
			LeaseStoreException failure = this.failures.get(method);
			if (failure != null) {
				this.refusals.incrementAndGet();
				throw failure;
			}
		});
	}

}
