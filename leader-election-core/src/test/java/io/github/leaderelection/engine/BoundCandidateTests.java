package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus.State;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the order in which terms end for a {@link BoundCandidate}.
 */
@Timeout(60)
class BoundCandidateTests {

	private final LeaseStore leases = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final TestEngines engines = new TestEngines(this.store);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final AtomicReference<ElectionEngine> engine = new AtomicReference<>();

	private final CountDownLatch entered = new CountDownLatch(1);

	private final CountDownLatch end = new CountDownLatch(1);

	BoundCandidateTests() {
		this.store.makeWatchable();
	}

	@AfterEach
	void closeAll() {
		this.end.countDown();
		this.engines.close();
	}

	@Test
	void isStoppedWhileItsCallsAreStillLetIn() {
		this.end.countDown();
		lead(new Bound(), new Plain());
		this.engine.get().resign("jobs");
		await().until(() -> this.events.size() == 2);
		assertThat(this.events).containsExactly("bound: held, let in", "plain: not held, refused");
	}

	@Test
	void leaseIsHeldUntilItHasStopped() throws Exception {
		lead(new Bound());
		this.engine.get().resign("jobs");
		this.entered.await();
		assertThat(this.engine.get().isLeader("jobs")).isTrue();
		assertThat(holder()).isEqualTo("first");
		assertThat(this.engine.get().leadership("jobs")).hasValueSatisfying(Leadership::isEnding);
		this.end.countDown();
		await().until(() -> holder() == null);
		assertThat(this.events).containsExactly("bound: held, let in");
	}

	@Test
	void leaseIsGivenBackLaterIfItDoesNotStopInTime() throws Exception {
		lead(new Bound());
		this.engine.get().resign("jobs");
		this.entered.await();
		Duration drainTimeout = ElectionSettings.of(Duration.ofSeconds(10)).drainTimeout();
		for (long passed = 0; passed <= drainTimeout.toMillis(); passed += 1000) {
			this.engines.advance(1000);
			await().until(() -> !this.engine.get().isLeader("jobs") || !beatIsOverdue());
		}
		await().until(() -> !this.engine.get().isLeader("jobs"));
		assertThat(holder()).isEqualTo("first");
		this.end.countDown();
		await().until(() -> this.events.size() == 1);
		assertThat(this.events).containsExactly("bound: not held, refused");
		await().until(() -> holder() == null);
	}

	@Test
	void closingWaitsForIt() throws Exception {
		lead(new Bound());
		Thread closing = new Thread(() -> this.engine.get().close());
		closing.start();
		this.entered.await();
		assertThat(holder()).isEqualTo("first");
		this.end.countDown();
		closing.join();
		assertThat(this.events).containsExactly("bound: held, let in");
		assertThat(holder()).isNull();
	}

	@Test
	void isToldAtOnceWhenTheLeaseIsLost() throws Exception {
		lead(new Bound());
		this.store.failBefore();
		this.engines.advance(9_000);
		this.entered.await();
		assertThat(this.engine.get().isLeader("jobs")).isFalse();
		this.end.countDown();
		await().until(() -> this.events.size() == 1);
		assertThat(this.events).containsExactly("bound: not held, refused");
		this.store.heal();
	}

	@Test
	void isPartOfTheStatus() {
		lead(new Bound(), new Plain());
		assertThat(this.engine.get().status().elections())
			.satisfiesExactly((election) -> assertThat(election.components())
				.containsExactly(new ComponentStatus("bound", State.RUNNING, 0, null)));
	}

	private boolean beatIsOverdue() {
		return this.engine.get().status().elections().get(0).overdue();
	}

	private String holder() {
		return this.leases.read(List.of("jobs"), List.of(), Duration.ofSeconds(1)).leases().get("jobs").holder();
	}

	private void lead(Candidate... candidates) {
		this.engine.set(this.engines.start("first"));
		List.of(candidates).forEach(this.engine.get()::register);
		await().until(() -> this.engine.get().isLeader("jobs"));
		await().until(() -> List.of(candidates).stream().allMatch((each) -> ((Plain) each).elected));
	}

	private class Plain implements Candidate {

		private volatile boolean elected;

		@Override
		public String election() {
			return "jobs";
		}

		@Override
		public void onElected(Leadership leadership) {
			this.elected = true;
		}

		@Override
		public void onDefeated(Leadership leadership) {
			record("plain", leadership);
		}

		protected void record(String who, Leadership leadership) {
			boolean let = BoundCandidateTests.this.engine.get().runIfLeader("jobs", (current) -> {
			});
			BoundCandidateTests.this.events
				.add(who + (leadership.isHeld() ? ": held" : ": not held") + (let ? ", let in" : ", refused"));
		}

	}

	private final class Bound extends Plain implements BoundCandidate {

		@Override
		public void onDefeated(Leadership leadership) {
			BoundCandidateTests.this.entered.countDown();
			try {
				BoundCandidateTests.this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			record("bound", leadership);
		}

		@Override
		public ComponentStatus status() {
			return new ComponentStatus("bound", State.RUNNING, 0, null);
		}

	}

}
