package io.github.leaderelection.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that close an {@link ElectionEngine} from work that it waits for, or by the exit
 * of the process that such work requests. The close ends, and nobody else leads
 * meanwhile.
 */
@ExtendWith(LogCapture.class)
class ClosedFromInsideTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	private final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final ElectionEngine engine = ElectionEngine.builder(this.store).settings(settings()).build();

	private final CompletableFuture<Closed> closed = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.engine.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void closeInsideAGatedCallReturnsAfterTheDrainTimeout(boolean interruptible, CapturedLog log) {
		this.engine.stand("x");
		this.engine.start();
		await().atMost(SOON).until(() -> this.engine.isLeader("x"));
		Thread thread = new Thread(() -> {
			try (GatedCall call = this.engine.enter("x", interruptible)) {
				closeInside(call.leadership());
			}
		});
		thread.setDaemon(true);
		thread.start();
		assertClosedInVain(interruptible);
		assertThat(log).contains("Shutting down: waiting for 1 call in flight")
			.contains("Leader election did not stop within 3 s");
	}

	@Test
	void closeInsideOnElectedReturnsAfterTheDrainTimeout() {
		this.engine.register(new RecordingCandidate("x") {

			@Override
			protected void lead(Leadership leadership) {
				closeInside(leadership);
			}

		});
		this.engine.start();
		assertClosedInVain(true);
	}

	@Test
	void systemExitInsideAGatedCallEndsTheProcess(@TempDir Path directory) throws Exception {
		Path output = directory.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), ExitingProcess.class.getName())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).isEqualTo(ExitingProcess.EXIT);
		assertThat(output).content().contains("Closed; holder: application@");
	}

	private void closeInside(Leadership leadership) {
		this.engine.close();
		this.closed.complete(new Closed(leadership, Thread.currentThread().isInterrupted()));
	}

	private void assertClosedInVain(boolean interrupted) {
		assertThat(this.closed).succeedsWithin(SOON).satisfies((end) -> {
			assertThat(end.leadership.isHeld()).isFalse();
			assertThat(end.leadership.lossReason()).contains(LossReason.SHUTDOWN);
			assertThat(end.interrupted).isEqualTo(interrupted);
		});
		assertThat(this.store.read(List.of("x"), List.of(), SOON).leases().get("x").holder()).as("the work may go on")
			.isEqualTo(this.engine.candidateId());
	}

	/** Return settings with a time to live that outlasts any test, however slow. */
	static ElectionSettings settings() {
		return ElectionSettings.of(Duration.ofHours(1))
			.toBuilder()
			.operationTimeout(Duration.ofSeconds(1))
			.drainTimeout(Duration.ofSeconds(1))
			.build();
	}

	/**
	 * How a close ended, as seen by the work that called it.
	 *
	 * @param leadership the leadership of the work
	 * @param interrupted whether the work was interrupted
	 */
	private record Closed(Leadership leadership, boolean interrupted) {

	}

}
