package io.github.leaderelection.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SerialExecutor}.
 */
class SerialExecutorTests {

	private final PumpedExecutor threads = new PumpedExecutor();

	private final SerialExecutor executor = new SerialExecutor(this.threads);

	private final List<String> ran = new ArrayList<>();

	@Test
	void runsTasksInOrderOnOneBorrowedThread() {
		this.executor.execute(() -> {
			this.ran.add("a");
			this.executor.execute(() -> this.ran.add("c"));
			throw new AssertionError("expected by the test");
		});
		this.executor.execute(() -> this.ran.add("b"));
		assertThat(this.ran).as("in the caller's thread").isEmpty();
		assertThat(this.threads.waiting()).isEqualTo(1);
		this.threads.pump();
		assertThat(this.threads.isIdle()).isTrue();
		this.executor.execute(() -> this.ran.add("d"));
		this.threads.pump();
		assertThat(this.ran).containsExactly("a", "b", "c", "d");
	}

	@Test
	void closeDropsTasksThatHaveNotStarted() {
		this.executor.execute(() -> this.ran.add("a"));
		this.executor.close();
		this.executor.execute(() -> this.ran.add("b"));
		this.threads.pump();
		assertThat(this.ran).isEmpty();
		assertThat(this.executor.isWaiting()).isFalse();
	}

	@Test
	void resumesAfterThreadsWereExhausted() {
		AtomicBoolean exhausted = new AtomicBoolean(true);
		SerialExecutor limited = new SerialExecutor((task) -> {
			// A thread runs the task, though it was refused.
			this.threads.execute(task);
			if (exhausted.get()) {
				throw new RejectedExecutionException("No thread, as expected by the test");
			}
		});
		limited.execute(() -> {
			this.ran.add("a");
			// The other thread finds this one busy.
			this.threads.pump();
			this.ran.add("end of a");
		});
		assertThat(limited.isWaiting()).isTrue();
		exhausted.set(false);
		limited.retry();
		limited.retry();
		limited.execute(() -> this.ran.add("b"));
		assertThat(this.threads.waiting()).isEqualTo(2);
		this.threads.pump();
		assertThat(limited.isWaiting()).isFalse();
		assertThat(this.ran).containsExactly("a", "end of a", "b");
	}

	@Test
	void neverRunsTwoTasksAtOnce() throws InterruptedException {
		int tasks = 20_000;
		ExecutorService pool = Executors.newFixedThreadPool(4);
		try {
			SerialExecutor serial = new SerialExecutor(pool);
			// Neither is thread-safe, on purpose.
			int[] running = { 0 };
			List<Integer> seen = new ArrayList<>();
			CountDownLatch done = new CountDownLatch(tasks);
			IntStream.range(0, tasks).forEach((number) -> serial.execute(() -> {
				int together = ++running[0];
				Thread.yield();
				seen.add(together);
				running[0]--;
				done.countDown();
			}));
			assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(seen).hasSize(tasks).containsOnly(1);
		}
		finally {
			pool.shutdownNow();
		}
	}

}
