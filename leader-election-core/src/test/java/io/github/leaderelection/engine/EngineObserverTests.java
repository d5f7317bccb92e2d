package io.github.leaderelection.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what a running engine tells an {@link EngineObserver}. Time lines test what it
 * tells about terms.
 */
@Timeout(60)
class EngineObserverTests {

	private final FaultyLeaseStore store = new FaultyLeaseStore();

	private final TestEngines engines = new TestEngines(this.store);

	private final Recorder recorder = new Recorder();

	@AfterEach
	void closeAll() {
		this.store.heal();
		this.engines.close();
	}

	@Test
	void observesStandingFirstAndThenStoreCalls() {
		ElectionEngine engine = lead();
		assertThat(this.recorder.events.get(0)).isEqualTo("stands in jobs");
		await().until(() -> this.recorder.events.containsAll(
				List.of("RENEW answered", "READ answered", "CREATE answered", "TAKE answered", "ANNOUNCE answered")));
		this.store.failBefore();
		this.engines.advance(2_600);
		await().until(() -> this.recorder.events.contains("RENEW failed"));
		this.store.heal();
		this.engines.advance(1_000);
		await().until(() -> engine.status().outage() == null);
		engine.close();
		assertThat(this.recorder.events).contains("RELEASE answered", "CLOSE answered", "WITHDRAW answered")
			.doesNotContain("RELEASE failed");
	}

	@Test
	void interruptedCallbackIsNotAFailure() throws InterruptedException {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		ElectionEngine engine = this.engines.start("me", this.recorder);
		engine.register(blocking);
		blocking.awaitEntered();
		engine.resign("jobs");
		await().until(() -> this.recorder.events.contains("callback of jobs ELECTED completed after 0 ms"));
	}

	@Test
	void observesRefusedCalls() {
		ElectionEngine engine = this.engines.create("me", this.recorder);
		engine.stand("jobs");
		assertThat(engine.runIfLeader("jobs", (leadership) -> {
		})).isFalse();
		engine.refuse("jobs", true);
		assertThat(this.recorder.events).contains("call of jobs skipped", "call of jobs rejected");
	}

	@Test
	void observesInterruptedCalls() throws InterruptedException {
		ElectionEngine engine = lead();
		CountDownLatch entered = new CountDownLatch(1);
		Thread worker = new Thread(() -> engine.runIfLeader("jobs", (leadership) -> {
			entered.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}));
		worker.start();
		entered.await();
		CountDownLatch told = new CountDownLatch(1);
		GatedCall detached = engine.enter("jobs", true);
		detached.detach(told::countDown);
		GatedCall untold = engine.enter("jobs", false);
		this.store.failBefore();
		this.engines.advance(9_000);
		told.await();
		worker.join();
		detached.close();
		untold.close();
		assertThat(this.recorder.events).filteredOn((event) -> event.startsWith("call of"))
			.containsExactlyInAnyOrder("call of jobs interrupted after 9000 ms",
					"call of jobs interrupted after 9000 ms", "call of jobs completed after 9000 ms");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void failingObserverIsLoggedOnceAndHasNoEffect(CapturedLog log) {
		RecordingCandidate candidate = new RecordingCandidate("jobs");
		ElectionEngine engine = this.engines.start("me", failing(), this.recorder);
		engine.register(candidate);
		await().until(() -> engine.isLeader("jobs"));
		assertThat(engine.runIfLeader("jobs", (leadership) -> {
		})).isTrue();
		engine.close();
		assertThat(candidate.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(this.recorder.events).contains("TAKE answered", "call of jobs completed after 0 ms",
				"drain of jobs complete after 0 ms", "RELEASE answered");
		assertThat(log).containsOnlyOnce("of leader election failed; further failures of it are not logged");
	}

	private ElectionEngine lead() {
		ElectionEngine engine = this.engines.create("me", this.recorder);
		engine.stand("jobs");
		engine.start();
		await().until(() -> engine.isLeader("jobs"));
		return engine;
	}

	private static final class Recorder implements EngineObserver {

		private final List<String> events = new CopyOnWriteArrayList<>();

		@Override
		public void onStand(String election) {
			this.events.add("stands in " + election);
		}

		@Override
		public void onStoreCall(StoreOperation operation, long nanos, boolean answered) {
			this.events.add(operation + (answered ? " answered" : " failed"));
		}

		@Override
		public void onDrain(String election, long nanos, boolean complete) {
			this.events.add("drain of " + election + (complete ? " complete" : " incomplete") + after(nanos));
		}

		@Override
		public void onCallback(String election, Callback callback, long nanos, boolean failed) {
			this.events
				.add("callback of " + election + " " + callback + (failed ? " failed" : " completed") + after(nanos));
		}

		@Override
		public void onCallRefused(String election, boolean rejected) {
			this.events.add("call of " + election + (rejected ? " rejected" : " skipped"));
		}

		@Override
		public void onCallEnded(String election, long nanos, boolean interrupted) {
			this.events.add("call of " + election + (interrupted ? " interrupted" : " completed") + after(nanos));
		}

		private static String after(long nanos) {
			return " after " + Duration.ofNanos(nanos).toMillis() + " ms";
		}

	}

	/** Return an observer that throws on each call. */
	private static EngineObserver failing() {
		return (EngineObserver) Proxy.newProxyInstance(EngineObserverTests.class.getClassLoader(),
				new Class<?>[] { EngineObserver.class }, (proxy, method, arguments) -> {
					throw new IllegalStateException("expected by the test");
				});
	}

}
