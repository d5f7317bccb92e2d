package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ElectionEngine} with its real threads.
 */
@Timeout(60)
class ElectionEngineTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private final LeaseStore leases = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final FaultyLeaseStore store = new FaultyLeaseStore(this.leases);

	private final TestEngines engines = new TestEngines(this.store);

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private final RecordingCandidate rival = new RecordingCandidate("jobs");

	ElectionEngineTests() {
		this.store.makeWatchable();
	}

	@AfterEach
	void closeAll() {
		this.store.heal();
		this.engines.close();
	}

	@Test
	void exactlyOneIsElected() {
		ElectionEngine first = lead("first", this.candidate);
		ElectionEngine second = this.engines.start("second");
		ElectionEngine third = this.engines.start("third");
		second.register(this.rival);
		third.register(new RecordingCandidate("jobs"));
		await().until(() -> List.of(second, third)
			.stream()
			.allMatch((engine) -> engine.leader("jobs").filter("first"::equals).isPresent()));
		assertThat(first.isLeader("jobs")).isTrue();
		assertThat(first.leadership("jobs")).map(Leadership::term).contains(1L);
		assertThat(second.isLeader("jobs")).isFalse();
		assertThat(third.leadership("jobs")).isEmpty();
		assertThat(this.rival.events()).isEmpty();
		assertThat(first.runIfLeader("jobs", (leadership) -> assertThat(leadership.term()).isEqualTo(1))).isTrue();
		assertThat(second.runIfLeader("jobs", (leadership) -> assertThat(leadership).isNull())).isFalse();
		assertThatIllegalStateException().isThrownBy(first::currentLeadership)
			.withMessageContaining("is not inside a call that requires leadership");
	}

	@Test
	void candidateIgnoringItsInterruptBlocksOnlyItsOwnElection() throws InterruptedException {
		RecordingCandidate.Stubborn stubborn = new RecordingCandidate.Stubborn("stuck");
		ElectionEngine first = lead("first", this.candidate);
		first.register(stubborn);
		stubborn.awaitEntered();
		this.store.failBefore();
		this.engines.advance(9_000);
		await().until(() -> this.candidate.events().contains("defeated 1 EXPIRED"));
		await().until(() -> {
			this.engines.advance(500);
			return first.status().elections().get(1).ignoresInterrupt();
		});
		this.store.heal();
		awaitWhileTimePasses(() -> this.candidate.events().contains("elected 2"));
		assertThat(first.isLeader("stuck")).isFalse();
		stubborn.letGo();
		await().until(() -> stubborn.events().contains("elected 2"));
		assertThat(stubborn.events()).containsExactly("elected 1", "defeated 1 EXPIRED", "elected 2");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void hangingStoreCallIsAborted(CapturedLog log) {
		ElectionEngine first = lead("first", this.candidate);
		this.store.takeCalls();
		this.store.hang();
		this.engines.advance(2_500);
		await().until(() -> this.store.takeCalls().contains("renew"));
		// As if the driver had lost an answer for good: only this call hangs.
		this.store.hangNoMore();
		this.engines.advance(9_000);
		await().until(() -> this.candidate.events().contains("defeated 1 EXPIRED"));
		awaitWhileTimePasses(() -> this.candidate.events().contains("elected 2"));
		assertThat(first.isLeader("jobs")).isTrue();
		assertThat(log).contains("A store call has not returned long after its time limit");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void hangingWatchIsAborted(CapturedLog log) {
		ElectionEngine first = lead("first", this.candidate);
		await().until(() -> first.status().pushed());
		this.store.hang();
		await().until(this.store::isWatchHanging);
		this.store.hangNoMore();
		this.engines.advance(10_000);
		assertThat(first.status().pushed()).as("a watch may wait for changes for some time").isTrue();
		this.engines.advance(40_000);
		awaitWhileTimePasses(() -> !first.status().pushed());
		await().until(() -> first.status().pushed());
		assertThat(log).contains("A store call has not returned long after its time limit");
	}

	@Test
	void closeWaitsForSlowListeners() throws InterruptedException {
		List<String> heard = new CopyOnWriteArrayList<>();
		CompletableFuture<Void> released = new CompletableFuture<>();
		ElectionEngine first = this.engines.start("first", new ElectionListener() {

			@Override
			public void onElected(Leadership leadership) {
				released.join();
			}

			@Override
			public void onDefeated(Leadership leadership) {
				heard.add("defeated " + leadership.term());
			}

		});
		first.register(this.candidate);
		await().until(() -> this.candidate.events().contains("elected 1"));
		Thread closer = new Thread(first::close);
		closer.start();
		await().until(() -> read().isVacant());
		released.complete(null);
		closer.join();
		assertThat(heard).containsExactly("defeated 1");
	}

	/** Let time pass while waiting: a call that failed before is retried only later. */
	private void awaitWhileTimePasses(Callable<Boolean> condition) {
		await().pollInterval(Duration.ofMillis(20)).until(() -> {
			this.engines.advance(20);
			return condition.call();
		});
	}

	@Test
	void usesThreeThreadsForAnyNumberOfElectionsUntilClosed() {
		await().until(() -> countThreads() == 0);
		ElectionEngine first = lead("first", this.candidate);
		long threads = countThreads();
		for (int i = 0; i < 99; i++) {
			first.stand("election-" + i);
		}
		await().until(() -> first.elections().stream().allMatch(first::isLeader));
		assertThat(first.elections()).hasSize(100);
		assertThat(countThreads()).isEqualTo(threads).isEqualTo(3);
		first.close();
		await().until(() -> countThreads() == 0);
	}

	@Test
	void loopDoesNotSpinWhileAStoreCallHangs() {
		AtomicInteger readings = new AtomicInteger();
		this.engines.clock().beforeLook(readings::incrementAndGet);
		ElectionEngine first = this.engines.start("first");
		first.register(this.candidate);
		await().until(() -> this.candidate.events().contains("elected 1"));
		this.store.takeCalls();
		this.store.hang();
		this.engines.advance(2_500);
		await().until(() -> this.store.takeCalls().contains("renew"));
		readings.set(0);
		await().during(Duration.ofMillis(500)).until(() -> readings.get() < 200);
		// If closed before the failure is noticed, it would wait for a retry, for which
		// time would have to pass.
		this.store.heal();
		await().until(() -> first.status().outage() != null);
	}

	@Test
	void noCallbackRunsAfterClose() throws InterruptedException {
		RecordingCandidate.Stubborn stubborn = new RecordingCandidate.Stubborn("jobs");
		CountDownLatch listening = new CountDownLatch(1);
		CountDownLatch letGo = new CountDownLatch(1);
		AtomicReference<String> heard = new AtomicReference<>("nothing");
		ElectionSettings impatient = ElectionSettings.of(Duration.ofSeconds(4))
			.toBuilder()
			.drainTimeout(Duration.ZERO)
			.build();
		ElectionEngine first = this.engines.create("first", impatient, new ElectionListener() {

			@Override
			public void onElected(Leadership leadership) {
				// Later events wait behind this one.
				listening.countDown();
				await().until(() -> letGo.getCount() == 0);
				heard.set("elected");
			}

			@Override
			public void onDefeated(Leadership leadership) {
				heard.set("defeated");
			}

		});
		first.start();
		first.register(stubborn);
		stubborn.awaitEntered();
		listening.await();
		first.close();
		stubborn.letGo();
		letGo.countDown();
		first.close();
		ElectionEngine second = this.engines.start("second");
		second.stand("jobs");
		await().until(() -> !heard.get().equals("nothing"));
		assertThat(stubborn.events()).containsExactly("elected 1");
		assertThat(first.isLeader("jobs")).isFalse();
		assertThat(heard).hasValue("elected");
	}

	@Test
	void closeContinuesWhenInterrupted() throws InterruptedException {
		ElectionEngine first = lead("first", this.candidate);
		GatedCall call = first.enter("jobs", false);
		AtomicBoolean interrupted = new AtomicBoolean();
		Thread closer = new Thread(() -> {
			first.close();
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		closer.start();
		await().until(() -> !first.runIfLeader("jobs", (leadership) -> {
		}));
		closer.interrupt();
		// The closer has seen the interrupt, and waits again.
		await().until(() -> !closer.isInterrupted());
		assertThat(first.isLeader("jobs")).isTrue();
		call.close();
		closer.join();
		assertThat(interrupted).isTrue();
		assertThat(read().isVacant()).isTrue();
	}

	@Test
	@ExtendWith(LogCapture.class)
	void closeWithoutElectionsLogsNoWarnings(CapturedLog log) {
		this.engines.start("first").close();
		this.engines.create("second").close();
		assertThat(log).doesNotContain("WARN").doesNotContain("ERROR");
	}

	@Test
	void enginesInOneProcessDoNotDisturbEachOther() {
		ElectionEngine first = lead("first", this.candidate);
		ElectionEngine second = this.engines.start("second");
		second.stand("others");
		await().until(() -> second.isLeader("others"));
		assertThat(first.runIfLeader("jobs", (outer) -> {
			assertThat(first.currentLeadership()).isSameAs(outer);
			assertThat(second.runIfLeader("others", (inner) -> {
				assertThat(second.currentLeadership()).isSameAs(inner);
			})).isTrue();
			assertThat(first.currentLeadership()).isSameAs(outer);
		})).isTrue();
		first.close();
		assertThat(second.isLeader("others")).isTrue();
	}

	/** A thread has a single interrupt flag, for its callback and for gated calls. */
	@Test
	void candidateReceivesItsInterruptAfterAGatedCall() throws InterruptedException {
		ElectionEngine first = this.engines.start("first");
		CountDownLatch inGatedCall = new CountDownLatch(1);
		RecordingCandidate working = new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) throws InterruptedException {
				first.runIfLeader("jobs", (held) -> {
					inGatedCall.countDown();
					while (held.isHeld()) {
						Thread.onSpinWait();
					}
					// Both interrupts have been sent by the time the call ends.
					await().until(() -> {
						ElectionEngineTests.this.engines.advance(500);
						return first.status().elections().get(0).ignoresInterrupt();
					});
				});
				new CountDownLatch(1).await();
			}

		};
		first.register(working);
		inGatedCall.await();
		this.store.failBefore();
		this.engines.advance(9_000);
		await().until(() -> working.events().contains("defeated 1 EXPIRED"));
	}

	@Test
	void onLostReportsShutdownBeforeAndAfterClose() {
		ElectionEngine first = lead("first", this.candidate);
		Leadership leadership = first.leadership("jobs").orElseThrow();
		CompletableFuture<LossReason> before = new CompletableFuture<>();
		leadership.onLost(before::complete);
		first.close();
		assertThat(before).succeedsWithin(SOON).isEqualTo(LossReason.SHUTDOWN);
		CompletableFuture<LossReason> after = new CompletableFuture<>();
		leadership.onLost(after::complete);
		assertThat(after).succeedsWithin(SOON).isEqualTo(LossReason.SHUTDOWN);
	}

	@Test
	void blockingCallbackDelaysNoOther() {
		CompletableFuture<String> released = new CompletableFuture<>();
		CompletableFuture<LossReason> end = new CompletableFuture<>();
		ElectionEngine first = lead("first", this.candidate);
		Leadership leadership = first.leadership("jobs").orElseThrow();
		leadership.onLost((reason) -> released.join());
		leadership.onLost(end::complete);
		first.resign("jobs");
		assertThat(end).succeedsWithin(SOON).isEqualTo(LossReason.RESIGNED);
		awaitWhileTimePasses(() -> first.isLeader("jobs"));
		released.complete("now");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void startLogsElectionsAndWhereLeasesAreKept(CapturedLog log) {
		ElectionEngine engine = this.engines.create("first");
		engine.stand("b");
		engine.stand("a");
		engine.start();
		assertThat(messages(log, "Standing"))
			.containsExactly("Standing in elections 'a' and 'b' as first; leases are kept in memory");
		engine.stand("a");
		engine.stand("late");
		assertThat(messages(log, "Standing")).hasSize(2).last().isEqualTo("Standing in election 'late' as well");
	}

	@Test
	@ExtendWith(LogCapture.class)
	void shutdownLogsTheCallsItWaitsFor(CapturedLog log) {
		ElectionEngine engine = lead("first", this.candidate);
		GatedCall named = engine.enter("jobs", false);
		named.describe("Jobs.run");
		named.detach(null);
		this.engines.advance(2_000);
		GatedCall unnamed = engine.enter("jobs", false);
		unnamed.detach(null);
		engine.prepareClose();
		engine.prepareClose();
		named.close();
		unnamed.close();
		engine.close();
		assertThat(messages(log, "Shutting down")).containsExactly(
				"Shutting down: waiting for 2 calls in flight: Jobs.run for 2 s, a call under 'jobs' for 0 s");
	}

	@Test
	void logLinesSummarizeCallsAndElections() {
		assertThat(LogLines.callsInFlight(1)).isEqualTo("1 call in flight");
		assertThat(LogLines.elections(List.of())).isEqualTo("no election so far");
		assertThat(LogLines.elections(List.of("b", "c", "a"))).isEqualTo("elections 'a', 'b' and 'c'");
		assertThat(LogLines.elections(IntStream.range(0, 10_000).mapToObj(Integer::toString).toList()))
			.endsWith(" and 9980 more")
			.hasSizeLessThan(200);
	}

	@Test
	void startsOnce() {
		ElectionEngine first = this.engines.start("first");
		assertThatIllegalStateException().isThrownBy(first::start);
		first.close();
		assertThatIllegalStateException().isThrownBy(first::start);
		assertThatIllegalStateException().isThrownBy(() -> first.stand("jobs"));
	}

	private ElectionEngine lead(String id, RecordingCandidate leading) {
		ElectionEngine engine = this.engines.start(id);
		engine.register(leading);
		await().until(() -> leading.events().contains("elected 1"));
		return engine;
	}

	private Lease read() {
		return this.leases.read(List.of("jobs"), List.of(), Duration.ofSeconds(1)).leases().get("jobs");
	}

	private static List<String> messages(CapturedLog log, String start) {
		return log.events()
			.stream()
			.map(ILoggingEvent::getFormattedMessage)
			.filter((line) -> line.startsWith(start))
			.toList();
	}

	private static long countThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leader-election-"))
			.count();
	}

}
