package io.github.leaderelection.store;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.JobRun.Outcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link InMemoryRunStore}.
 */
class InMemoryRunStoreTests extends RunStoreContractTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(THIRD);

	private final InMemoryRunStore store = new InMemoryRunStore(this.now::get);

	@Override
	protected RunStore store() {
		return this.store;
	}

	@Test
	void datesComeFromTheClockInMilliseconds() {
		open(1);
		this.now.set(FIRST.plusNanos(1_500_000));
		assertThat(start(first("one", 1), null).last().startedAt()).isEqualTo(FIRST.plusMillis(1));
		this.now.set(SECOND);
		this.store.finish(end("one", Outcome.FAILED), TIMEOUT);
		assertThat(find().last().startedAt()).isEqualTo(FIRST.plusMillis(1));
		assertThat(find().last().finishedAt()).isEqualTo(SECOND);
	}

	@Test
	void recordIsDescribedInOneLine() {
		RunRecord record = new RunRecord(JOB, 1, FIRST, "x\nERROR forged", 0, 0, run("\u001b[2J", FIRST, 1, 1));
		assertThat(record.toString()).contains("x?ERROR forged", "?[2J").doesNotContain("\n", "\u001b");
	}

}
