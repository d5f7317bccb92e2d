package io.github.leaderelection.spring.bound;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus;
import io.github.leaderelection.engine.EngineStatus.ComponentStatus.State;
import io.github.leaderelection.engine.TestTerm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.Lifecycle;
import org.springframework.util.backoff.BackOffExecution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link BoundComponent}.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class BoundComponentTests {

	private static final CountDownLatch STARTABLE = new CountDownLatch(0);

	private final Recorded listener = new Recorded();

	private final TestTerm term = new TestTerm("orders", 1);

	private final Leadership leadership = this.term.leadership();

	private final AtomicInteger pauses = new AtomicInteger();

	@Test
	void failedStartIsRetriedUntilItSucceeds(CapturedOutput output) throws Exception {
		this.listener.failingStarts.set(5);
		BoundComponent component = component(this.listener, false);
		component.onElected(this.leadership);
		assertThat(this.pauses).hasValue(5);
		assertThat(component.status()).isEqualTo(new ComponentStatus("listener", State.RUNNING, 0, null));
		assertThat(output).containsOnlyOnce("Component 'listener' failed to start")
			.containsOnlyOnce("Component 'listener' has started, after 5 failures");
	}

	@Test
	void pausesDoubleUpToOneMinute() {
		BackOffExecution pauses = BoundComponents.doubling().start();
		assertThat(Stream.generate(pauses::nextBackOff).limit(8)).containsExactly(1000L, 2000L, 4000L, 8000L, 16_000L,
				32_000L, 60_000L, 60_000L);
	}

	@Test
	void startFailureIsReportedInOneLineWithoutCredentials() {
		this.listener.failingStarts.set(BoundComponent.ATTEMPTS);
		BoundComponent component = component(this.listener, true);
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> component.onElected(this.leadership))
			.withMessage("Component 'listener' has not started in 3 attempts: java.lang.IllegalStateException: "
					+ "no broker at tcp://******@broker?password=******?INFO forged");
		assertThat(component.status()).isEqualTo(new ComponentStatus("listener", State.FAILED, 3,
				"java.lang.IllegalStateException: no broker at tcp://******@broker?password=******?INFO forged"));
		assertThat(this.listener.events()).filteredOn("start"::equals).hasSize(3);
	}

	@Test
	void startFailureIsReportedInEachTerm(CapturedOutput output) {
		this.listener.failingStarts.set(2 * BoundComponent.ATTEMPTS);
		BoundComponent component = component(this.listener, true);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> component.onElected(this.leadership));
			component.onDefeated(this.leadership);
		}
		assertThat(output.getOut().split("Component 'listener' failed to start")).hasSize(3);
	}

	@Test
	void doesNotStartWhenItsTermIsEnding() throws Exception {
		this.term.lose();
		component(this.listener, false).onElected(this.leadership);
		assertThat(this.listener.events()).isEmpty();
	}

	@Test
	void failedStartIsNotRetriedWhenItsTermIsEnding() throws Exception {
		this.listener.failingStarts.set(10);
		BoundComponent component = new BoundComponent(binding(this.listener), false, () -> () -> {
			this.term.lose();
			return 0;
		}, STARTABLE);
		component.onElected(this.leadership);
		assertThat(this.listener.events()).containsExactly("start", "stop");
	}

	/** Most say that they run when all is done. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void partlyStartedComponentIsStoppedBeforeTheRetry(boolean running) throws Exception {
		Recorded halfway = new Recorded() {

			@Override
			public void start() {
				super.start();
				if (events().size() == 1) {
					throw new AssertionError("halfway");
				}
			}

			@Override
			public boolean isRunning() {
				return running && super.isRunning();
			}

		};
		component(halfway, false).onElected(this.leadership);
		assertThat(halfway.events()).containsExactly("start", "stop", "start");
	}

	@Test
	void unansweredStopIsNotAwaitedBeyondTheTerm() {
		Recorded.Smart silent = new Recorded.Smart() {

			@Override
			public void start() {
				super.start();
				throw new IllegalStateException("halfway");
			}

			@Override
			public void stop(Runnable callback) {
				BoundComponentTests.this.term.lose();
			}

		};
		BoundComponent component = component(silent, false);
		CompletableFuture<Void> returned = CompletableFuture.runAsync(() -> {
			try {
				component.onElected(this.leadership);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		assertThat(returned).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void componentIsStoppedEvenIfItIsNotRunningYet() throws Exception {
		Recorded connecting = new Connecting();
		BoundComponent component = component(connecting, false);
		for (int i = 0; i < 2; i++) {
			component.onElected(this.leadership);
			component.onDefeated(this.leadership);
		}
		assertThat(connecting.events()).containsExactly("start", "stop", "start", "stop");
	}

	@Test
	void abandonedComponentIsStoppedWithoutRetry() throws Exception {
		BoundComponent component = component(this.listener, false);
		component.onElected(this.leadership);
		component.abandon();
		this.listener.failingStops.set(2);
		component.onDefeated(this.leadership);
		assertThat(this.listener.events()).as("tried once").containsExactly("start", "stop");
	}

	/** The engine may be closed by then, and tells nobody of the end any more. */
	@Test
	void componentAbandonedWhileStartingIsStopped() throws Exception {
		AtomicReference<BoundComponent> abandoned = new AtomicReference<>();
		Recorded slow = new Recorded() {

			@Override
			public void start() {
				BoundComponentTests.this.term.lose();
				abandoned.get().abandon();
				super.start();
			}

		};
		abandoned.set(component(slow, false));
		abandoned.get().onElected(this.leadership);
		assertThat(slow.events()).containsExactly("start", "stop");
	}

	/** Its work in progress ends before the lease is released. */
	@Test
	void stopAfterAnInterruptedStartIsAwaited() throws Exception {
		CompletableFuture<Runnable> stopping = new CompletableFuture<>();
		Recorded.Smart halfway = new Recorded.Smart() {

			@Override
			public void start() {
				super.start();
				BoundComponentTests.this.term.lose();
				throw new IllegalStateException("interrupted");
			}

			@Override
			public void stop(Runnable callback) {
				super.stop();
				stopping.complete(callback);
			}

		};
		BoundComponent component = component(halfway, false);
		component.onElected(this.leadership);
		CompletableFuture<Void> defeated = CompletableFuture.runAsync(() -> component.onDefeated(this.leadership));
		await().until(() -> component.status().state() == State.STOPPING);
		Runnable callback = stopping.get(30, TimeUnit.SECONDS);
		assertThat(defeated).isNotDone();
		callback.run();
		defeated.get(30, TimeUnit.SECONDS);
	}

	@Test
	void stopIsAwaitedDespiteAnInterrupt() throws Exception {
		AtomicBoolean stopped = new AtomicBoolean();
		Recorded.Smart careless = new Recorded.Smart() {

			@Override
			public void stop(Runnable callback) {
				Thread.currentThread().interrupt();
				CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS).execute(() -> {
					super.stop();
					stopped.set(true);
					callback.run();
				});
			}

		};
		BoundComponent component = component(careless, false);
		component.onElected(this.leadership);
		component.onDefeated(this.leadership);
		assertThat(stopped).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void failedStopIsRetried(CapturedOutput output) throws Exception {
		this.listener.failingStops.set(3);
		BoundComponent component = component(this.listener, false);
		component.onElected(this.leadership);
		component.onDefeated(this.leadership);
		assertThat(this.listener.isRunning()).isFalse();
		assertThat(this.pauses).hasValue(3);
		assertThat(output).containsOnlyOnce("Component 'listener' failed to stop");
		assertThat(component.status().state()).isEqualTo(State.STOPPED);
		assertThat(component.status().failures()).as("of the next term").isZero();
	}

	@Test
	void retriesOfAStopEndWhenTheComponentIsAbandoned() throws Exception {
		this.listener.failingStops.set(Integer.MAX_VALUE);
		BoundComponent component = component(this.listener, false);
		component.onElected(this.leadership);
		CompletableFuture<Void> defeated = CompletableFuture.runAsync(() -> component.onDefeated(this.leadership));
		await().until(() -> component.status().failures() > 1);
		component.abandon();
		defeated.get(30, TimeUnit.SECONDS);
	}

	@Test
	void waitsUntilASmartLifecycleHasStopped() throws Exception {
		CompletableFuture<Runnable> stopping = new CompletableFuture<>();
		Recorded.Smart smart = new Recorded.Smart() {

			@Override
			public void stop(Runnable callback) {
				stopping.complete(callback);
			}

		};
		BoundComponent component = component(smart, false);
		component.onElected(this.leadership);
		CompletableFuture<Void> defeated = CompletableFuture.runAsync(() -> component.onDefeated(this.leadership));
		Runnable callback = stopping.get(30, TimeUnit.SECONDS);
		assertThat(component.status().state()).isEqualTo(State.STOPPING);
		assertThat(defeated).isNotDone();
		callback.run();
		defeated.get(30, TimeUnit.SECONDS);
		assertThat(component.status().state()).isEqualTo(State.STOPPED);
	}

	@Test
	void componentThatRunsOnAFollowerIsStopped() throws Exception {
		BoundComponent component = component(this.listener, false);
		assertThat(component.reconcile()).isFalse();
		this.listener.start();
		assertThat(component.reconcile()).isTrue();
		assertThat(this.listener.isRunning()).isFalse();
	}

	@Test
	void componentStoppedOnTheLeaderIsStartedAgain() throws Exception {
		BoundComponent component = component(this.listener, false);
		component.onElected(this.leadership);
		this.listener.stop();
		assertThat(component.status().state()).isEqualTo(State.STOPPED);
		assertThat(component.reconcile()).isFalse();
		assertThat(this.listener.isRunning()).isTrue();
		this.listener.stop();
		this.term.lose();
		assertThat(component.reconcile()).isFalse();
		assertThat(this.listener.isRunning()).isFalse();
	}

	/** A context that is started, or restarted, starts what may be coming up. */
	@Test
	void startingComponentIsStoppedByFollowersAndRestartedByTheLeader() throws Exception {
		Recorded connecting = new Connecting();
		BoundComponent component = component(connecting, false);
		assertThat(component.reconcile()).isFalse();
		assertThat(connecting.events()).containsExactly("stop");
		component.onElected(this.leadership);
		assertThat(component.reconcile()).isFalse();
		assertThat(connecting.events()).containsExactly("stop", "start", "stop", "start");
	}

	private BoundComponent component(Lifecycle component, boolean resigning) {
		return new BoundComponent(binding(component), resigning, () -> () -> {
			this.pauses.incrementAndGet();
			return 0;
		}, STARTABLE);
	}

	private static ComponentBinding binding(Lifecycle component) {
		return new ComponentBinding("Bean 'listener'", "listener", "orders", component);
	}

	/** Still comes up. */
	private static final class Connecting extends Recorded {

		@Override
		public boolean isRunning() {
			return false;
		}

	}

}
