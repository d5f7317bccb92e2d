package io.github.leaderelection.health;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.engine.BoundCandidate;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus.State;
import io.github.leaderelection.engine.EngineStatus.Role;
import io.github.leaderelection.engine.InterceptedLeaseStore;
import io.github.leaderelection.engine.SuppliedClock;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.LeaseStoreException;
import io.github.leaderelection.store.Rival;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElectionHealthIndicator}.
 */
class LeaderElectionHealthIndicatorTests {

	private final AtomicBoolean reachable = new AtomicBoolean(true);

	private final AtomicLong aheadMillis = new AtomicLong();

	private final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final List<String> damaged = new CopyOnWriteArrayList<>();

	private final AtomicReference<CountDownLatch> hanging = new AtomicReference<>(new CountDownLatch(0));

	private final AtomicBoolean hangs = new AtomicBoolean();

	private final ElectionEngine engine = ElectionEngine.builder(unreliableStore())
		.settings(ElectionSettings.of(Duration.ofSeconds(20)))
		.clock(new SuppliedClock(() -> System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(this.aheadMillis.get()),
				() -> System.currentTimeMillis() + this.aheadMillis.get()))
		.build();

	private final LeaderElectionHealthIndicator indicator = new LeaderElectionHealthIndicator(this.engine);

	@AfterEach
	void close() {
		this.reachable.set(true);
		this.hanging.get().countDown();
		this.engine.close();
	}

	@Test
	void leaderIsUp() {
		lead();
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("candidate", this.engine.candidateId())
			.containsEntry("elections",
					Map.of("jobs", Map.of("role", "LEADER", "leader", this.engine.candidateId(), "term", 1L)));
	}

	@Test
	void damagedDocumentsAreShownAndDoNotChangeTheStatus() {
		assertThat(this.indicator.health().getDetails()).doesNotContainKey("damaged");
		this.damaged.add("'shop.leader_election_sessions', document 'a#7': 'revision' can't be decoded");
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("damaged", this.damaged);
	}

	@Test
	void leaderWhoseComponentDoesNotStartIsDown() {
		AtomicReference<ComponentStatus> component = new AtomicReference<>(
				new ComponentStatus("listener", State.FAILED, 2, "no broker"));
		this.engine.register(bound(component::get));
		// As long as this instance does not lead
		assertUp();
		this.engine.start();
		await().until(() -> this.engine.isLeader("jobs"));
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("elections",
				Map.of("jobs",
						Map.of("role", "LEADER", "leader", this.engine.candidateId(), "term", 1L, "problem",
								"component 'listener' fails to start or stop: no broker", "components",
								Map.of("listener", "FAILED"))));
		component.set(new ComponentStatus("listener", State.STARTING, 2, "no broker"));
		assertThat(this.indicator.health().getStatus()).as("while it is tried again").isEqualTo(Status.DOWN);
		component.set(new ComponentStatus("listener", State.RUNNING, 0, null));
		assertUp();
	}

	private static BoundCandidate bound(Supplier<ComponentStatus> status) {
		BoundCandidate bound = Mockito.mock(BoundCandidate.class);
		Mockito.when(bound.election()).thenReturn("jobs");
		Mockito.when(bound.status()).thenAnswer((call) -> status.get());
		return bound;
	}

	@Test
	void instanceThatCannotReachTheStoreIsDownOnceALeaseWouldHaveRunOut() {
		this.reachable.set(false);
		this.engine.stand("jobs");
		this.engine.start();
		await().until(() -> this.engine.status().outage() != null);
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("unreachableBecause", "out of reach");
		this.aheadMillis.addAndGet(30_000);
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
		this.reachable.set(true);
		await().untilAsserted(this::assertUp);
	}

	@Test
	void instanceWhoseCandidateIgnoresItsInterruptIsDown() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		AtomicBoolean interrupted = new AtomicBoolean();
		Candidate candidate = Mockito.mock(Candidate.class);
		Mockito.when(candidate.election()).thenReturn("jobs");
		Mockito.doAnswer((call) -> {
			awaitUninterruptibly(end, interrupted);
			return null;
		}).when(candidate).onElected(Mockito.any());
		this.engine.register(candidate);
		this.engine.start();
		await().until(() -> this.engine.isLeader("jobs"));
		this.engine.resign("jobs");
		await().untilTrue(interrupted);
		// The callback has some time to return.
		assertUp();
		this.aheadMillis.addAndGet(2_000);
		assertDown("a candidate has not returned from onElected although its leadership has ended");
		end.countDown();
		await().untilAsserted(this::assertUp);
	}

	@Test
	void instanceWhoseWorkGoesOnAfterItsLeadershipIsDown() throws Exception {
		lead();
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		new Thread(() -> this.engine.runIfLeader("jobs", (leadership) -> {
			entered.countDown();
			awaitUninterruptibly(end, new AtomicBoolean());
		})).start();
		entered.await();
		this.reachable.set(false);
		this.aheadMillis.addAndGet(30_000);
		await().until(() -> !this.engine.isLeader("jobs"));
		this.reachable.set(true);
		await().untilAsserted(this::assertUp);
		this.aheadMillis.addAndGet(15_000);
		assertUp();
		this.aheadMillis.addAndGet(15_000);
		await().untilAsserted(() -> assertDown("work still runs 3"));
		end.countDown();
		await().untilAsserted(this::assertUp);
	}

	@Test
	void leaderWhoseHeartbeatIsOverdueIsDownUntilItSeesItsLeaseAgain() {
		lead();
		this.reachable.set(false);
		this.aheadMillis.addAndGet(10_500);
		assertThat(this.engine.isLeader("jobs")).isTrue();
		assertDown("the heartbeat is overdue");
		this.aheadMillis.addAndGet(8_000);
		await().until(() -> this.engine.status().elections().get(0).role() == Role.FOLLOWER);
		assertDown("the heartbeat is overdue");
		this.reachable.set(true);
		await().untilAsserted(this::assertUp);
	}

	@Test
	void followerWhoseLoopIsStuckIsDown() {
		followOther(Duration.ofSeconds(20));
		this.hanging.set(new CountDownLatch(1));
		this.aheadMillis.addAndGet(10_000);
		await().until(this.hangs::get);
		assertUp();
		this.aheadMillis.addAndGet(11_000);
		assertDown("the lease has not been seen for 2");
		this.hanging.get().countDown();
		await().untilAsserted(this::assertUp);
	}

	@Test
	void instanceThatHasNeverSeenALeaseIsDownInTheEnd() {
		this.hanging.set(new CountDownLatch(1));
		this.engine.stand("jobs");
		assertUp();
		this.aheadMillis.addAndGet(30_000);
		assertThat(this.indicator.health().getStatus()).as("before it was started").isEqualTo(Status.UP);
		this.engine.start();
		assertThat(this.indicator.health().getStatus()).as("just started").isEqualTo(Status.UP);
		await().until(this.hangs::get);
		this.aheadMillis.addAndGet(19_000);
		assertUp();
		this.aheadMillis.addAndGet(2_000);
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
		this.hanging.get().countDown();
		await().untilAsserted(this::assertUp);
	}

	@Test
	void followerOfARarelyRenewingLeaderIsUp() {
		// The leader renews its session every five minutes.
		followOther(Duration.ofMinutes(20));
		await().until(() -> this.engine.status().pushed());
		for (int i = 0; i < 5; i++) {
			this.aheadMillis.addAndGet(15_000);
			assertUp();
			await().until(() -> this.engine.status().elections().get(0).unobserved().toSeconds() < 2);
		}
		assertThat(this.engine.leader("jobs")).contains("other");
	}

	private void lead() {
		this.engine.stand("jobs");
		this.engine.start();
		await().until(() -> this.engine.isLeader("jobs"));
	}

	private void followOther(Duration ttl) {
		new Rival(this.store, "other", ttl).take("jobs");
		this.engine.stand("jobs");
		this.engine.start();
		await().until(() -> this.engine.leader("jobs").filter("other"::equals).isPresent());
	}

	@Test
	void pausedInstanceIsUpDuringAnOutage() {
		lead();
		this.reachable.set(false);
		this.aheadMillis.addAndGet(30_000);
		await().until(() -> this.engine.status().outage() != null);
		this.aheadMillis.addAndGet(30_000);
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);
		this.engine.pause("jobs");
		await().untilAsserted(this::assertUp);
	}

	private void assertUp() {
		assertThat(this.indicator.health().getStatus()).isEqualTo(Status.UP);
	}

	private void assertDown(String problem) {
		Health health = this.indicator.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("elections")).asString().contains(problem);
	}

	private static void awaitUninterruptibly(CountDownLatch end, AtomicBoolean interrupted) {
		while (end.getCount() > 0) {
			try {
				end.await();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
		}
	}

	private LeaseStore unreliableStore() {
		return new InterceptedLeaseStore(this.store, (method, what, timeout) -> {
			if (!this.reachable.get()) {
				throw new LeaseStoreException("out of reach", null);
			}
			CountDownLatch latch = this.hanging.get();
			this.hangs.set(latch.getCount() > 0);
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				throw new LeaseStoreException("broken off", ex);
			}
		}) {

			@Override
			public List<String> damaged() {
				return List.copyOf(LeaderElectionHealthIndicatorTests.this.damaged);
			}

			@Override
			public String place() {
				return "a store of the test";
			}

		};
	}

}
