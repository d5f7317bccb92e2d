package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CandidateCallbacks}.
 */
class CandidateCallbacksTests {

	private final ManualClock clock = new ManualClock();

	private final PumpedExecutor pumped = new PumpedExecutor();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final AtomicInteger failures = new AtomicInteger();

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private final CandidateCallbacks callbacks = new CandidateCallbacks(this.candidate, this.pumped,
			EngineObservers.NONE);

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	@Test
	void tellsTermsInOrder() {
		Term first = elect(this.callbacks, 1);
		defeat(this.callbacks, first);
		Term second = elect(this.callbacks, 2);
		this.pumped.pump();
		CompletableFuture<Void> told = defeat(this.callbacks, second);
		assertThat(told).isNotDone();
		this.pumped.pump();
		assertThat(told).isDone();
		assertThat(this.candidate.events()).containsExactly("elected 2", "defeated 2 RESIGNED");
	}

	@Test
	void tellsNothingInTheCallersThread() {
		elect(this.callbacks, 1);
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void doesNotTellOfTermThatEndedBeforeItsTurnCame() {
		Term term = elect(this.callbacks, 1);
		this.clock.advance(10_000);
		CompletableFuture<Void> told = this.callbacks.defeated(term);
		this.pumped.pump();
		assertThat(told).isDone();
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void doesNotTellOfDefeatWhoWasNotToldOfElection() {
		CompletableFuture<Void> told = defeat(this.callbacks, term(1));
		this.pumped.pump();
		assertThat(told).isDone();
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void doesNotTellOfElectionWhoHasBeenLetGoBeforeItsTurnCame() {
		Term term = elect(this.callbacks, 1);
		CompletableFuture<Void> told = this.callbacks.defeated(term);
		this.pumped.pump();
		assertThat(term.isHeld()).isTrue();
		assertThat(told).isDone();
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void reportsFailureWhileTheTermIsHeld() {
		CandidateCallbacks failing = failing();
		Term term = elect(failing, 1);
		this.pumped.pump();
		assertThat(this.failures).hasValue(1);
		CompletableFuture<Void> told = defeat(failing, term);
		this.pumped.pump();
		assertThat(told).isDone();
		assertThat(events(failing)).containsExactly("elected 1", "defeated 1 RESIGNED");
	}

	@Test
	void doesNotReportFailureAfterTheTermHasEnded() {
		CandidateCallbacks failing = new CandidateCallbacks(new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				CandidateCallbacksTests.this.clock.advance(10_000);
				throw new IllegalStateException("expected by the test");
			}

		}, this.pumped, EngineObservers.NONE);
		elect(failing, 1);
		this.pumped.pump();
		assertThat(this.failures).hasValue(0);
	}

	@Test
	void survivesCandidateThatFailsWhenDefeated() {
		CandidateCallbacks failing = new CandidateCallbacks(new RecordingCandidate("jobs") {

			@Override
			public void onDefeated(Leadership leadership) {
				super.onDefeated(leadership);
				throw new IllegalStateException("expected by the test");
			}

		}, this.pumped, EngineObservers.NONE);
		Term first = elect(failing, 1);
		this.pumped.pump();
		CompletableFuture<Void> told = defeat(failing, first);
		this.pumped.pump();
		assertThat(told).isDone();
		elect(failing, 2);
		this.pumped.pump();
		assertThat(events(failing)).containsExactly("elected 1", "defeated 1 RESIGNED", "elected 2");
	}

	@Test
	void interruptsCandidateThatBlocksAndTellsItThen() throws Exception {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		CandidateCallbacks blocked = new CandidateCallbacks(blocking, this.threads, EngineObservers.NONE);
		Term term = elect(blocked, 1);
		blocking.awaitEntered();
		assertThat(blocked.ignoresInterrupt()).isFalse();
		defeat(blocked, term).get(10, TimeUnit.SECONDS);
		assertThat(blocking.events()).containsExactly("elected 1", "interrupted", "defeated 1 RESIGNED");
		assertThat(this.failures).hasValue(0);
	}

	@Test
	void interruptedCandidateThatIsLetGoHasNotFailed() throws Exception {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		CandidateCallbacks blocked = new CandidateCallbacks(blocking, this.threads, EngineObservers.NONE);
		Term term = elect(blocked, 1);
		blocking.awaitEntered();
		blocked.defeated(term).get(10, TimeUnit.SECONDS);
		assertThat(term.isHeld()).isTrue();
		assertThat(this.failures).hasValue(0);
		assertThat(blocking.events()).containsExactly("elected 1", "interrupted", "defeated 1");
	}

	@Test
	void reportsCandidateThatIgnoresItsInterruptUntilItReturns() throws Exception {
		RecordingCandidate.Stubborn stubborn = new RecordingCandidate.Stubborn("jobs");
		CandidateCallbacks stuck = new CandidateCallbacks(stubborn, this.threads, EngineObservers.NONE);
		Term term = elect(stuck, 1);
		stubborn.awaitEntered();
		CompletableFuture<Void> told = defeat(stuck, term);
		assertThat(stuck.ignoresInterrupt()).isTrue();
		assertThat(told).isNotDone();
		stubborn.letGo();
		told.get(10, TimeUnit.SECONDS);
		assertThat(stuck.ignoresInterrupt()).isFalse();
		assertThat(stubborn.events()).containsExactly("elected 1", "defeated 1 RESIGNED");
	}

	@Test
	void interruptDoesNotLeakIntoTheNextCallOnTheThread() throws Exception {
		RecordingCandidate.Stubborn stubborn = new RecordingCandidate.Stubborn("jobs");
		CandidateCallbacks stuck = new CandidateCallbacks(stubborn, this.threads, EngineObservers.NONE);
		Term first = elect(stuck, 1);
		stubborn.awaitEntered();
		defeat(stuck, first);
		Term second = elect(stuck, 2);
		stubborn.letGo();
		await().until(() -> stubborn.events().contains("elected 2"));
		defeat(stuck, second).get(10, TimeUnit.SECONDS);
		assertThat(stubborn.events()).containsExactly("elected 1", "defeated 1 RESIGNED", "elected 2",
				"defeated 2 RESIGNED");
	}

	@Test
	void tellsNothingMoreWhenClosed() {
		Term term = elect(this.callbacks, 1);
		this.pumped.pump();
		defeat(this.callbacks, term);
		elect(this.callbacks, 2);
		this.callbacks.close();
		elect(this.callbacks, 3);
		this.pumped.pump();
		assertThat(this.candidate.events()).containsExactly("elected 1");
	}

	@Test
	void interruptsCandidateThatStillBlocksWhenClosed() throws Exception {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		CandidateCallbacks blocked = new CandidateCallbacks(blocking, this.threads, EngineObservers.NONE);
		Term term = elect(blocked, 1);
		blocking.awaitEntered();
		term.end(LossReason.SHUTDOWN);
		blocked.close();
		await().until(() -> blocking.events().contains("interrupted"));
	}

	private CandidateCallbacks failing() {
		return new CandidateCallbacks(new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				throw new IllegalStateException("expected by the test");
			}

		}, this.pumped, EngineObservers.NONE);
	}

	private static Iterable<String> events(CandidateCallbacks callbacks) {
		return ((RecordingCandidate) callbacks.candidate()).events();
	}

	private Term elect(CandidateCallbacks elected, long number) {
		Term term = term(number);
		elected.elected(term, this.failures::incrementAndGet);
		return term;
	}

	private CompletableFuture<Void> defeat(CandidateCallbacks defeated, Term term) {
		term.end(LossReason.RESIGNED);
		return defeated.defeated(term);
	}

	private Term term(long number) {
		return new Term("jobs", "jobs", "me", number,
				new Belief(1, this.clock.now().plus(Duration.ofSeconds(10)), this.clock), this.clock, this.pumped,
				EngineObservers.NONE);
	}

}
