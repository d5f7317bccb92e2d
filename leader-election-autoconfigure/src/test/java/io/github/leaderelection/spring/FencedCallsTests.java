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

	private final FencedCalls calls = new FencedCalls("Ledger.book", () -> LeaderFence.NONE);

	@Test
	void callThatMakesNoTransactionIsWarnedOfOnce(CapturedOutput output) {
		returned(false, true, false);
		assertThat(output).containsOnlyOnce(WARNING);
	}

	@Test
	void laterCallWithNothingToWriteIsNotWarnedOf(CapturedOutput output) {
		returned(true, false, true);
		assertThat(output).doesNotContain(WARNING);
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
