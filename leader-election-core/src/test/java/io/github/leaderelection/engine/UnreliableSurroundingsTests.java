package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import io.github.leaderelection.store.RecordLeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Whatever user code, a log or the JVM throws: it costs no leadership, and silences
 * nobody.
 */
class UnreliableSurroundingsTests {

	private final FaultyLeaseStore store = new FaultyLeaseStore(
			RecordLeaseStore.forElections(new InMemoryRecordStores(), ""));

	private final TestEngines engines = new TestEngines(this.store);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	@AfterEach
	void close() {
		this.store.heal();
		this.engines.close();
	}

	// The log

	@Test
	void everybodyIsToldOfATermWhoseBeginningCannotBeLogged() {
		List<String> heard = new CopyOnWriteArrayList<>();
		try (ThrowingAppender log = ThrowingAppender.on("Elected")) {
			ElectionEngine engine = this.engines.start("first", listener(heard));
			engine.register(this.candidate);
			await().until(() -> this.candidate.events().contains("elected 1"));
			await().until(() -> heard.contains("elected 1"));
			assertThat(log.refused()).isNotEmpty();
			assertThat(engine.isLeader("jobs")).isTrue();
		}
	}

	@Test
	void candidateIsInterruptedAndToldOfALossThatCannotBeLogged() throws InterruptedException {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		ElectionEngine engine = this.engines.start("first");
		engine.register(blocking);
		blocking.awaitEntered();
		try (ThrowingAppender log = ThrowingAppender.on("Lost leadership")) {
			this.store.failBefore();
			this.engines.advance(9_000);
			await().until(() -> blocking.events().contains("defeated 1 EXPIRED"));
			assertThat(blocking.events()).startsWith("elected 1", "interrupted", "defeated 1 EXPIRED");
			await().until(() -> engine.status().elections().get(0).role() == EngineStatus.Role.FOLLOWER);
			assertThat(log.refused()).isNotEmpty();
		}
	}

	@Test
	void leaderThatCannotLogItsHandoverHandsOver() {
		ElectionEngine engine = lead(this.candidate);
		try (ThrowingAppender log = ThrowingAppender.on("Handing over")) {
			engine.resign("jobs");
			await().until(() -> this.candidate.events().contains("defeated 1 RESIGNED"));
			await().until(() -> engine.leader("jobs").isEmpty());
			assertThat(log.refused()).isNotEmpty();
		}
	}

	@Test
	void loopAndTimerAndWatchGoOnThoughTheirFailuresCannotBeLogged() {
		AtomicInteger failures = new AtomicInteger(10);
		this.store.makeWatchable();
		LeaseStore failing = FailingStores.failWith(this.store,
				() -> (failures.getAndDecrement() > 0) ? new InternalError("expected by the test") : null);
		AtomicInteger failingClock = new AtomicInteger();
		try (TestEngines others = new TestEngines(failing);
				ThrowingAppender log = ThrowingAppender.install((event) -> true)) {
			EngineClock clock = new EngineClock() {

				@Override
				public long nanos() {
					if (failingClock.getAndDecrement() > 0) {
						throw new StackOverflowError("expected by the test");
					}
					return others.clock().nanos();
				}

				@Override
				public long millis() {
					return others.clock().millis();
				}

			};
			ElectionEngine engine = others.start("first", clock);
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
			// By the timer alone.
			await().until(() -> this.candidate.events().contains("defeated 1 EXPIRED"));
			this.store.heal();
			await().until(() -> {
				others.advance(500);
				return this.candidate.events().contains("elected 2");
			});
			assertThat(log.refused()).isNotEmpty();
		}
	}

	// User code

	@Test
	void candidateWhoseFailureCannotBeToldResigns() {
		RecordingCandidate failing = new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				throw new SpeechlessException();
			}

		};
		ElectionEngine engine = this.engines.start("first");
		engine.register(failing);
		await().until(() -> failing.events().contains("defeated 1 CALLBACK_FAILED"));
	}

	@Test
	void candidateThatCannotBeNamedResignsToo() {
		RecordingCandidate failing = new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				throw new SpeechlessException();
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
	void listenersGoOnToHearThoughOneThrowsWhatCannotBeTold() {
		List<String> heard = new CopyOnWriteArrayList<>();
		ElectionListener failing = new ElectionListener() {

			@Override
			public void onElected(Leadership leadership) {
				throw new SpeechlessException();
			}

			@Override
			public void onDefeated(Leadership leadership) {
				throw new SpeechlessException();
			}

		};
		ElectionEngine engine = this.engines.start("first", failing, listener(heard));
		engine.register(this.candidate);
		await().until(() -> heard.contains("elected 1"));
		engine.resign("jobs");
		await().until(() -> heard.contains("defeated 1"));
	}

	@Test
	void termEndsForAllThoughAThreadThrowsWhenInterrupted() throws Exception {
		ElectionEngine engine = lead(this.candidate);
		CountDownLatch inside = new CountDownLatch(3);
		AtomicInteger interrupted = new AtomicInteger();
		CountDownLatch letGo = new CountDownLatch(1);
		AtomicBoolean thrown = new AtomicBoolean();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Runnable work = () -> engine.runIfLeader("jobs", (leadership) -> {
				inside.countDown();
				try {
					letGo.await();
				}
				catch (InterruptedException ex) {
					interrupted.incrementAndGet();
				}
			});
			threads.add((i != 1) ? new Thread(work) : new Thread(work) {

				@Override
				public void interrupt() {
					thrown.set(true);
					throw new IllegalStateException("not to be interrupted, as the test wants");
				}

			});
		}
		threads.forEach(Thread::start);
		inside.await();
		this.store.failBefore();
		this.engines.advance(9_000);
		await().until(() -> interrupted.get() == 2);
		await().until(() -> this.candidate.events().contains("defeated 1 EXPIRED"));
		assertThat(thrown).isTrue();
		letGo.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
		await().until(() -> engine.status().elections().get(0).role() == EngineStatus.Role.FOLLOWER);
	}

	@Test
	void candidateIsToldOfItsDefeatThoughItsThreadThrowsWhenInterrupted() throws InterruptedException {
		RecordingCandidate.Stubborn stubborn = new RecordingCandidate.Stubborn("jobs");
		List<String> heard = new CopyOnWriteArrayList<>();
		ElectionEngine engine = this.engines.startOn((task) -> new Thread(task) {

			@Override
			public void interrupt() {
				throw new IllegalStateException("not to be interrupted, as the test wants");
			}

		}.start(), "first", listener(heard));
		engine.register(stubborn);
		stubborn.awaitEntered();
		engine.resign("jobs");
		await().until(() -> heard.contains("defeated 1"));
		stubborn.letGo();
		await().until(() -> stubborn.events().contains("defeated 1 RESIGNED"));
		await().until(() -> engine.status().elections().get(0).role() == EngineStatus.Role.FOLLOWER);
	}

	// The JVM

	@Test
	void stackOverflowInNestedCallsLeavesNoneInFlight() throws Exception {
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

	/** The stack does not always end at the same call. */
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

	private static ElectionListener listener(List<String> heard) {
		return new ElectionListener() {

			@Override
			public void onElected(Leadership leadership) {
				heard.add("elected " + leadership.term());
			}

			@Override
			public void onDefeated(Leadership leadership) {
				heard.add("defeated " + leadership.term());
			}

		};
	}

}
