package io.github.leaderelection.spring;

import io.github.leaderelection.fence.LeaderFence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FencedCalls}.
 */
@ExtendWith(OutputCaptureExtension.class)
class FencedCallsTests {

	private static final String WARNING = "Ledger.book: fenced = true had no effect";

	private static final String ALL_CLEAR = "A call of Ledger.book has made a transaction, which was fenced";

	private final FencedCalls calls = new FencedCalls("Ledger.book", () -> LeaderFence.NONE);

	@Test
	void methodThatNeverMakesATransactionIsWarnedOfOnce(CapturedOutput output) {
		returned(false, false, false);
		assertThat(output).containsOnlyOnce(WARNING).doesNotContain(ALL_CLEAR);
	}

	@Test
	void firstCallWithNothingToWriteIsPutRightOnce(CapturedOutput output) {
		returned(false, true, false, true);
		assertThat(output.getOut()).containsOnlyOnce(WARNING)
			.containsOnlyOnce(ALL_CLEAR)
			.containsSubsequence(WARNING, ALL_CLEAR);
	}

	@Test
	void laterCallWithNothingToWriteIsNotWarnedOf(CapturedOutput output) {
		returned(true, false, true);
		assertThat(output).doesNotContain(WARNING, ALL_CLEAR);
	}

	private void returned(boolean... guarded) {
		for (boolean each : guarded) {
			this.calls.returned(new LeaderFence.Scope() {

				@Override
				public boolean hasGuarded() {
					return each;
				}

				@Override
				public void close() {
				}

			});
		}
	}

}
