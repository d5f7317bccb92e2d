package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link CandidateCallbacks}: what candidates are not told, and which are not
 * waited for. What they are told is tested by time lines and tests of the engine.
 */
class CandidateCallbacksTests {

	private static final EngineObservers NOBODY = new EngineObservers(List.of(), EngineClock.SYSTEM);

	private final ManualClock clock = new ManualClock();

	private final PumpedExecutor pumped = new PumpedExecutor();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final RecordingCandidate candidate = new RecordingCandidate("jobs");

	private final CandidateCallbacks callbacks = callbacks(this.candidate, this.pumped);

	@AfterEach
	void stopThreads() {
		this.threads.shutdownNow();
	}

	@Test
	@ExtendWith(LogCapture.class)
	void repeatedFailureLogsNoStackTraceAndFailureAfterTheTermDoesNotCount(CapturedLog log) {
		CandidateCallbacks failing = callbacks(new RecordingCandidate("jobs") {

			@Override
			protected void lead(Leadership leadership) {
				CandidateCallbacksTests.this.clock.advance((leadership.term() < 4) ? 0 : 10_000);
				throw new IllegalStateException((leadership.term() < 3) ? "expected by the test" : "another");
			}

		}, this.pumped);
		List<Term> terms = LongStream.rangeClosed(1, 4).mapToObj((number) -> elect(failing, number)).toList();
		this.pumped.pump();
		assertThat(failing.hasFailed(terms.get(3))).isFalse();
		assertThat(log.events()).extracting((event) -> event.getThrowableProxy() != null)
			.containsExactly(true, false, true, true);
	}

	@Test
	void closeDropsPendingCallbacks() {
		Term term = elect(this.callbacks, 1);
		this.pumped.pump();
		this.callbacks.defeated(term);
		elect(this.callbacks, 2);
		this.callbacks.close();
		elect(this.callbacks, 3);
		this.pumped.pump();
		assertThat(this.candidate.events()).containsExactly("elected 1");
	}

	@Test
	void closeInterruptsABlockedCandidate() throws Exception {
		RecordingCandidate.Blocking blocking = new RecordingCandidate.Blocking("jobs");
		CandidateCallbacks blocked = callbacks(blocking, this.threads);
		Term term = elect(blocked, 1);
		blocking.awaitEntered();
		term.end(LossReason.SHUTDOWN);
		blocked.close();
		await().until(() -> blocking.events().contains("interrupted"));
	}

	private static CandidateCallbacks callbacks(RecordingCandidate told, Executor executor) {
		return new CandidateCallbacks(told, new SerialExecutor(executor), NOBODY, () -> {
		});
	}

	private Term elect(CandidateCallbacks elected, long number) {
		Term term = TestTerm.term("jobs", number, Duration.ofSeconds(10), this.clock, this.pumped, () -> {
		});
		elected.elected(term);
		return term;
	}

}
