package io.github.leaderelection.spring;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.ElectionSettings;
import io.github.leaderelection.engine.RecordingCandidate;
import io.github.leaderelection.engine.SuppliedClock;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElectionLifecycle}.
 */
class LeaderElectionLifecycleTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final ElectionEngine engine = ElectionEngine.builder(this.store)
		.settings(ElectionSettings.of(Duration.ofSeconds(10)).toBuilder().drainTimeout(Duration.ofDays(1)).build())
		.build();

	private final StaticListableBeanFactory beans = new StaticListableBeanFactory();

	private final LeaderElectionLifecycle lifecycle = new LeaderElectionLifecycle(this.engine,
			this.beans.getBeanProvider(Candidate.class), List.of("x"), GateMode.ENFORCED, null);

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void stopDoesNotBlockItsCallerWhileWorkIsInFlight() throws Exception {
		CountDownLatch inFlight = new CountDownLatch(1);
		CountDownLatch work = new CountDownLatch(1);
		this.lifecycle.start();
		await().atMost(LONG).until(() -> this.engine.isLeader("x"));
		Thread worker = new Thread(() -> this.engine.runIfLeader("x", (leadership) -> {
			inFlight.countDown();
			await().atMost(LONG).until(() -> work.getCount() == 0);
		}));
		worker.start();
		inFlight.await();
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.lifecycle.stop(() -> stopped.complete(null));
		assertThat(stopped).isNotDone();
		assertThat(this.lifecycle.isRunning()).isTrue();
		work.countDown();
		assertThat(stopped).succeedsWithin(LONG);
		assertThat(this.lifecycle.isRunning()).isFalse();
	}

	@Test
	void everyStopCallbackIsCalled() {
		this.lifecycle.start();
		CompletableFuture<Void> first = new CompletableFuture<>();
		CompletableFuture<Void> second = new CompletableFuture<>();
		this.lifecycle.stop(() -> first.complete(null));
		this.lifecycle.stop(() -> second.complete(null));
		assertThat(first).succeedsWithin(LONG);
		assertThat(second).succeedsWithin(LONG);
	}

	@Test
	void stopCallbackIsCalledEvenIfStoppingFails() {
		AtomicBoolean broken = new AtomicBoolean();
		ElectionEngine failing = ElectionEngine.builder(this.store)
			.settings(ElectionSettings.of(Duration.ofSeconds(1)))
			.clock(new SuppliedClock(() -> {
				if (broken.get()) {
					throw new InternalError("no time, as the test wants");
				}
				return System.nanoTime();
			}, System::currentTimeMillis))
			.build();
		LeaderElectionLifecycle stopping = new LeaderElectionLifecycle(failing,
				this.beans.getBeanProvider(Candidate.class), List.of("x"), GateMode.ENFORCED, null);
		stopping.start();
		await().atMost(LONG).until(() -> failing.isLeader("x"));
		broken.set(true);
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		stopping.stop(() -> stopped.complete(null));
		assertThat(stopped).succeedsWithin(LONG);
		assertThat(stopping.isRunning()).isFalse();
		broken.set(false);
	}

	@Test
	void startAfterAStopIsRefused() {
		this.lifecycle.start();
		this.lifecycle.stop();
		assertThatIllegalStateException().isThrownBy(this.lifecycle::start)
			.withMessageContaining("Close the application context and create a new one");
	}

	@Test
	void checkpointIsRefused() {
		SpringProperties.setProperty("spring.context.checkpoint", "onRefresh");
		try {
			assertThatIllegalStateException().isThrownBy(this.lifecycle::start)
				.withMessageContaining("Remove spring.context.checkpoint");
			assertThat(this.lifecycle.isRunning()).isFalse();
		}
		finally {
			SpringProperties.setProperty("spring.context.checkpoint", null);
		}
	}

	@Test
	void stopsAfterSchedulersHaveDrained() {
		assertThat(this.lifecycle.getPhase()).isLessThan(Integer.MAX_VALUE / 2)
			.isLessThan(new ThreadPoolTaskScheduler().getPhase());
		List<String> stopped = new CopyOnWriteArrayList<>();
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean("scheduler", SmartLifecycle.class,
					() -> new Recorder("scheduler", Integer.MAX_VALUE / 2, stopped));
			context.registerBean("client", SmartLifecycle.class, () -> new Recorder("client", 0, stopped));
			context.registerBean(LeaderElectionLifecycle.class, () -> this.lifecycle);
			this.beans.addBean("candidate", new RecordingCandidate("y") {

				@Override
				protected void lead(Leadership leadership) {
					stopped.add("elected");
				}

				@Override
				public void onDefeated(Leadership leadership) {
					stopped.add("defeated");
				}

			});
			context.refresh();
			await().atMost(LONG).until(() -> stopped.contains("elected"));
		}
		assertThat(stopped).containsExactly("elected", "scheduler", "defeated", "client");
	}

	@Test
	void contextClosedByInterruptedWorkWaitsForTheEngine() {
		ElectionSettings settings = ElectionSettings.of(Duration.ofHours(1))
			.toBuilder()
			.operationTimeout(Duration.ofSeconds(1))
			.drainTimeout(Duration.ofMillis(100))
			.build();
		List<String> events = new CopyOnWriteArrayList<>();
		try (ElectionEngine impatient = ElectionEngine.builder(this.store).settings(settings).build();
				GenericApplicationContext context = new GenericApplicationContext()) {
			LeaderElectionLifecycle own = new LeaderElectionLifecycle(impatient,
					this.beans.getBeanProvider(Candidate.class), List.of("x"), GateMode.ENFORCED, null);
			context.registerBean(LeaderElectionLifecycle.class, () -> own);
			context.registerBean("client", SmartLifecycle.class, () -> new Recorder("client", 0, events) {

				@Override
				public void stop() {
					events.add("engine running: " + own.isRunning());
					super.stop();
				}

			});
			context.refresh();
			await().atMost(LONG).until(() -> impatient.isLeader("x"));
			CompletableFuture<Boolean> closed = new CompletableFuture<>();
			new Thread(() -> impatient.runIfLeader("x", (leadership) -> {
				context.close();
				events.add("interrupted: " + Thread.currentThread().isInterrupted());
				closed.complete(leadership.isHeld());
			})).start();
			assertThat(closed).succeedsWithin(LONG).isEqualTo(false);
			assertThat(events).containsExactly("engine running: false", "client", "interrupted: false");
			assertThat(this.store.read(List.of("x"), List.of(), LONG).leases().get("x").isVacant()).isFalse();
		}
	}

	@Test
	void leadershipIsEndingOnceItsOwnContextBeginsToClose() {
		List<String> told = new CopyOnWriteArrayList<>();
		try (GenericApplicationContext context = new GenericApplicationContext();
				GenericApplicationContext child = new GenericApplicationContext(context)) {
			context.registerBean(LeaderElectionLifecycle.class, () -> this.lifecycle);
			context.addApplicationListener((event) -> {
				if (event instanceof ContextClosedEvent closed && closed.getApplicationContext() == context) {
					told.add("listener " + this.engine.leadership("x").orElseThrow().isEnding());
				}
			});
			context.registerBean("scheduler", SmartLifecycle.class,
					() -> new Recorder("scheduler", Integer.MAX_VALUE / 2, told));
			context.refresh();
			child.refresh();
			await().atMost(LONG).until(() -> this.engine.isLeader("x"));
			child.close();
			assertThat(this.engine.leadership("x").orElseThrow().isEnding()).isFalse();
			assertThat(told).isEmpty();
			context.close();
			assertThat(told).containsExactly("listener true", "scheduler");
		}
	}

	@Test
	void keepsLeadingWhileTheContextIsPaused() {
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(LeaderElectionLifecycle.class, () -> this.lifecycle);
			context.refresh();
			await().atMost(LONG).until(() -> this.engine.isLeader("x"));
			((ConfigurableApplicationContext) context).pause();
			assertThat(this.engine.isLeader("x")).isTrue();
			context.restart();
			assertThat(this.engine.isLeader("x")).isTrue();
			assertThat(this.lifecycle.isRunning()).isTrue();
		}
		assertThat(this.lifecycle.isRunning()).isFalse();
		assertThat(this.store.read(List.of("x"), List.of(), LONG).leases().get("x").isVacant()).isTrue();
	}

	private static class Recorder implements SmartLifecycle {

		private final String name;

		private final int phase;

		private final List<String> stopped;

		private volatile boolean running;

		Recorder(String name, int phase, List<String> stopped) {
			this.name = name;
			this.phase = phase;
			this.stopped = stopped;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.stopped.add(this.name);
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return this.phase;
		}

	}

}
