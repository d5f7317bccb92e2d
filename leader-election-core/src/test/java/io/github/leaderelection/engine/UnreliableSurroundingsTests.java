package io.github.leaderelection.engine;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whatever user code, a log or the JVM throws: no leadership is lost by it, and no
 * notification.
 */
class UnreliableSurroundingsTests {

	private final FaultyLeaseStore store = new FaultyLeaseStore(
			LeaseStore.forElections(new InMemoryRecordStores(), ""));

	private final TestEngines engines = new TestEngines(this.store);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	@AfterEach
	void close() {
		this.store.heal();
		this.engines.close();
	}

	@Test
	void loopTimerAndWatchSurviveFailuresThatCannotBeLogged() {
		AtomicInteger failures = new AtomicInteger(10);
		this.store.makeWatchable();
		LeaseStore failing = new InterceptedLeaseStore(this.store, (method, what, timeout) -> {
			if (failures.getAndDecrement() > 0) {
				throw new InternalError("expected by the test");
			}
		});
		AtomicInteger failingClock = new AtomicInteger();
		try (TestEngines others = new TestEngines(failing);
				ThrowingAppender log = ThrowingAppender.install((event) -> true)) {
			others.clock().beforeLook(() -> {
				if (failingClock.getAndDecrement() > 0) {
					throw new StackOverflowError("expected by the test");
				}
			});
			ElectionEngine engine = others.start("first");
			engine.register(this.candidate);
			await().until(() -> {
				others.advance(500);
				return this.candidate.events().contains("elected 1");
			});
			await().until(() -> engine.status().pushed());
			failingClock.set(20);
			await().until(() -> failingClock.get() <= 0);
			this.store.hang();
			others.advance(20_000);
			// Only the timer can find this.
			await().until(() -> this.candidate.events().contains("defeated 1 EXPIRED"));
			this.store.heal();
			await().until(() -> {
				others.advance(500);
				return this.candidate.events().contains("elected 2");
			});
			assertThat(log.refused()).isNotEmpty();
		}
	}

	@Test
	void failedCandidateWithoutAPrintableNameResigns() {
		RecordingCandidate failing = new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				throw new IllegalStateException() {

					@Override
					public String getMessage() {
						throw new IllegalStateException("no message, as the test wants");
					}

				};
			}

			@Override
			public String toString() {
				throw new StackOverflowError("no name, as the test wants");
			}

		};
		ElectionEngine engine = this.engines.start("first");
		engine.register(failing);
		await().until(() -> failing.events().contains("defeated 1 CALLBACK_FAILED"));
	}

	@Test
	void stackOverflowInNestedCallsLeavesNoCallInFlight() throws Exception {
		ElectionEngine engine = lead(this.candidate);
		AtomicInteger dives = new AtomicInteger();
		AtomicInteger leftBehind = new AtomicInteger();
		Thread diver = new Thread(null, () -> {
			while (dives.incrementAndGet() < 60 && leftBehind.get() == 0) {
				assertThatExceptionOfType(StackOverflowError.class)
					.isThrownBy(() -> descend(dives.get() % 40, () -> dive(engine)));
				leftBehind.set(engine.status().elections().get(0).callsInFlight());
			}
		}, "diver", 256 * 1024);
		diver.setDaemon(true);
		diver.start();
		diver.join(60_000);
		assertThat(diver.isAlive()).isFalse();
		assertThat(leftBehind).as("calls in flight after dive %d", dives.get()).hasValue(0);
		engine.resign("jobs");
		await().until(() -> this.candidate.events().contains("defeated 1 RESIGNED"));
	}

	/** Recurse first, so that the stack does not always end at the same call. */
	private static void descend(int steps, Runnable then) {
		if (steps == 0) {
			then.run();
		}
		else {
			descend(steps - 1, then);
		}
	}

	private static void dive(ElectionEngine engine) {
		engine.runIfLeader("jobs", (leadership) -> dive(engine));
	}

	private ElectionEngine lead(RecordingCandidate leading) {
		ElectionEngine engine = this.engines.start("first");
		engine.register(leading);
		await().until(() -> leading.events().contains("elected 1"));
		return engine;
	}

}
