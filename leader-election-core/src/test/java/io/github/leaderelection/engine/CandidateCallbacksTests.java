package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

	private final AtomicInteger wakes = new AtomicInteger();

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private final CandidateCallbacks callbacks = callbacks(this.candidate);

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	@Test
	void tellsTermsInOrderAndNotInTheCallersThread() {
		defeat(this.callbacks, elect(this.callbacks, 1));
		Term second = elect(this.callbacks, 2);
		assertThat(this.candidate.events()).isEmpty();
		this.pumped.pump();
		defeat(this.callbacks, second);
		assertThat(this.callbacks.isDoneWith(second)).isFalse();
		int before = this.wakes.get();
		this.pumped.pump();
		assertThat(this.callbacks.isDoneWith(second)).isTrue();
		assertThat(this.wakes).hasValueGreaterThan(before);
		assertThat(this.candidate.events()).containsExactly("elected 2", "defeated 2 RESIGNED");
	}

	@Test
	void tellsNothingOfTermThatEndedBeforeItsTurnCame() {
		Term term = elect(this.callbacks, 1);
		this.clock.advance(10_000);
		this.callbacks.defeated(term);
		this.pumped.pump();
		assertThat(this.callbacks.isDoneWith(term)).isTrue();
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void tellsNothingToWhoHasBeenLetGoBeforeItsTurnCame() {
		Term term = elect(this.callbacks, 1);
		this.callbacks.defeated(term);
		this.pumped.pump();
		assertThat(term.isHeld()).isTrue();
		assertThat(this.callbacks.isDoneWith(term)).isTrue();
		assertThat(this.candidate.events()).isEmpty();
	}

	@Test
	void candidateThatFailsWhileTheTermIsHeldHasFailedAndIsToldOfItsEnd() {
		RecordingCandidate failing = new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				throw new IllegalStateException("expected by the test");
			}

			@Override
			public void onDefeated(Leadership leadership) {
				super.onDefeated(leadership);
				throw new IllegalStateException("expected by the test");
			}

		};
		CandidateCallbacks told = callbacks(failing);
		Term first = elect(told, 1);
		this.pumped.pump();
		assertThat(told.hasFailed(first)).isTrue();
		assertThat(this.wakes).hasValue(1);
		defeat(told, first);
		this.pumped.pump();
		assertThat(told.isDoneWith(first)).isTrue();
		elect(told, 2);
		this.pumped.pump();
		assertThat(failing.events()).containsExactly("elected 1", "defeated 1 RESIGNED", "elected 2");
	}

	@Test
	void candidateThatFailsAfterTheTermHasEndedHasNotFailed() {
		CandidateCallbacks late = callbacks(new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				CandidateCallbacksTests.this.clock.advance(10_000);
				throw new IllegalStateException("expected by the test");
			}

		});
		Term term = elect(late, 1);
		this.pumped.pump();
		assertThat(late.hasFailed(term)).isFalse();
	}

	@Test
	void interruptsCandidateThatBlocksThoughTheTermIsHeldAndTellsItThen() throws Exception {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		CandidateCallbacks blocked = onThreads(blocking);
		Term term = elect(blocked, 1);
		blocking.awaitEntered();
		assertThat(blocked.ignoresInterrupt()).isFalse();
		blocked.defeated(term);
		await().until(() -> blocked.isDoneWith(term));
		assertThat(term.isHeld()).isTrue();
		assertThat(blocked.hasFailed(term)).isFalse();
		assertThat(blocking.events()).containsExactly("elected 1", "interrupted", "defeated 1");
	}

	@Test
	void candidateThatIgnoresItsInterruptIsReportedAndLeavesItToNobodyElse() throws Exception {
		RecordingCandidate.Stubborn stubborn = new RecordingCandidate.Stubborn("jobs");
		CandidateCallbacks stuck = onThreads(stubborn);
		Term first = elect(stuck, 1);
		stubborn.awaitEntered();
		defeat(stuck, first);
		assertThat(stuck.ignoresInterrupt()).isTrue();
		assertThat(stuck.isDoneWith(first)).isFalse();
		Term second = elect(stuck, 2);
		stubborn.letGo();
		await().until(() -> stubborn.events().contains("elected 2"));
		assertThat(stuck.ignoresInterrupt()).isFalse();
		defeat(stuck, second);
		await().until(() -> stuck.isDoneWith(second));
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
		CandidateCallbacks blocked = onThreads(blocking);
		Term term = elect(blocked, 1);
		blocking.awaitEntered();
		term.end(LossReason.SHUTDOWN);
		blocked.close();
		await().until(() -> blocking.events().contains("interrupted"));
	}

	private CandidateCallbacks callbacks(RecordingCandidate told) {
		return new CandidateCallbacks(told, new SerialExecutor(this.pumped), EngineObservers.NONE,
				this.wakes::incrementAndGet);
	}

	private CandidateCallbacks onThreads(RecordingCandidate told) {
		return new CandidateCallbacks(told, new SerialExecutor(this.threads), EngineObservers.NONE,
				this.wakes::incrementAndGet);
	}

	private Term elect(CandidateCallbacks elected, long number) {
		Term term = new Term("jobs", "jobs", "me", number,
				new Deadline(this.clock.now().plus(Duration.ofSeconds(10)), this.clock),
				this.clock.now().plus(Duration.ofSeconds(10)), this.clock, this.pumped, EngineObservers.NONE);
		elected.elected(term);
		return term;
	}

	private void defeat(CandidateCallbacks defeated, Term term) {
		term.end(LossReason.RESIGNED);
		defeated.defeated(term);
	}

}
