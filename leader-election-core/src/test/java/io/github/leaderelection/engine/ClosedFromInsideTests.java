package io.github.leaderelection.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ExitingProcess.Way;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.Lease;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an {@link ElectionEngine} that is closed by work that it would wait for, or by
 * the exit of the process that this work asks for: for a day, by its settings.
 */
@ExtendWith(LogCapture.class)
class ClosedFromInsideTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	private static final String MESSAGE = "Leader election is closed from inside work under '%s', term 1: it does not "
			+ "wait for that work, and the lease is left to expire";

	private final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

	private final ElectionEngine engine = engine(this.store);

	private final CompletableFuture<Void> release = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.release.complete(null);
		this.engine.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void gatedCallThatClosesIsNotWaitedFor(boolean interruptible, CapturedLog log) {
		lead("x");
		CompletableFuture<Leadership> closed = inside(interruptible, "x", this.engine::close);
		assertThat(closed).succeedsWithin(SOON).satisfies((leadership) -> {
			assertThat(leadership.isHeld()).isFalse();
			assertThat(leadership.lossReason()).contains(LossReason.SHUTDOWN);
		});
		assertThat(read("x").holder()).as("the work may go on").isEqualTo(this.engine.candidateId());
		assertThat(log).containsOnlyOnce(MESSAGE.formatted("x")).doesNotContain("did not end within");
	}

	@Test
	void gatedCallsOfAllElectionsThatItIsInsideAreNotWaitedFor() {
		lead("x");
		lead("y");
		lead("z");
		CompletableFuture<Leadership> closed = inside(true, "x",
				() -> this.engine.runIfLeader("y", (leadership) -> this.engine.close()));
		assertThat(closed).succeedsWithin(SOON);
		assertThat(read("x").holder()).isEqualTo(this.engine.candidateId());
		assertThat(read("y").holder()).isEqualTo(this.engine.candidateId());
		assertThat(read("z").holder()).as("nothing ran under it").isNull();
	}

	@Test
	void callsOfOthersAreWaitedFor() throws InterruptedException {
		lead("x");
		CountDownLatch entered = new CountDownLatch(1);
		CompletableFuture<Leadership> other = inside(true, "x", () -> {
			entered.countDown();
			this.release.join();
		});
		entered.await();
		CompletableFuture<Leadership> closed = inside(true, "x", this.engine::close);
		await().until(() -> this.engine.enter("x", false) == null);
		assertThat(closed).isNotDone();
		assertThat(this.engine.isLeader("x")).isTrue();
		this.release.complete(null);
		assertThat(other).succeedsWithin(SOON);
		assertThat(closed).succeedsWithin(SOON);
		assertThat(read("x").holder()).isEqualTo(this.engine.candidateId());
	}

	@Test
	void gatedCallThatClosesWhileItIsDrainedIsNotWaitedForEither() {
		lead("x");
		CompletableFuture<Leadership> closed = inside(true, "x", () -> {
			this.engine.resign("x");
			await().until(() -> this.engine.enter("x", false) == null);
			this.engine.close();
		});
		assertThat(closed).succeedsWithin(SOON);
		assertThat(read("x").holder()).isEqualTo(this.engine.candidateId());
	}

	@Test
	void callThatResignsIsWaitedForAndThenReleased() {
		lead("x");
		assertThat(inside(true, "x", () -> this.engine.resign("x"))).succeedsWithin(SOON);
		await().atMost(SOON).until(() -> read("x").isVacant());
	}

	@Test
	void candidateThatClosesWhenElectedIsNotWaitedFor(CapturedLog log) {
		CompletableFuture<Leadership> closed = new CompletableFuture<>();
		this.engine.register(new Callback("x", (leadership) -> {
			this.engine.close();
			closed.complete(Thread.currentThread().isInterrupted() ? null : leadership);
		}, (leadership) -> {
		}));
		assertThat(closed).succeedsWithin(SOON).satisfies((leadership) -> assertThat(leadership.isHeld()).isFalse());
		assertThat(read("x").holder()).isEqualTo(this.engine.candidateId());
		assertThat(log).containsOnlyOnce(MESSAGE.formatted("x"));
	}

	@Test
	void candidateThatClosesWhenDefeatedIsNotWaitedFor() {
		CompletableFuture<Leadership> closed = new CompletableFuture<>();
		this.engine.register(new Callback("x", (leadership) -> {
		}, (leadership) -> {
			this.engine.close();
			closed.complete(leadership);
		}));
		await().atMost(SOON).until(() -> this.engine.isLeader("x"));
		this.engine.resign("x");
		assertThat(closed).succeedsWithin(SOON);
		assertThat(read("x").holder()).isEqualTo(this.engine.candidateId());
	}

	@Test
	void engineThatIsClosedInsideTheWorkOfAnotherReleasesItsLeases() {
		lead("x");
		ElectionEngine another = engine(LeaseStore.forElections(new InMemoryRecordStores(), ""));
		another.stand("x");
		await().atMost(SOON).until(() -> another.isLeader("x"));
		assertThat(inside(true, "x", another::close)).succeedsWithin(SOON);
		assertThat(this.engine.isLeader("x")).isTrue();
		this.engine.close();
		assertThat(read("x").isVacant()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void processEndsWithoutWaitingForTheWorkThatExits(Way way, @TempDir Path directory) throws Exception {
		Path output = directory.resolve("output");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), ExitingProcess.class.getName(), way.name())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			// Otherwise a day: the drain timeout.
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		assertThat(process.exitValue()).isEqualTo(ExitingProcess.EXIT);
		assertThat(output).content()
			.contains("Closed; holder: application@")
			.containsOnlyOnce("Leader election is closed from inside work under 'x', term 1");
	}

	private void lead(String election) {
		this.engine.stand(election);
		await().atMost(SOON).until(() -> this.engine.isLeader(election));
	}

	/** Do something inside a gated call; what is returned is failed if interrupted. */
	private CompletableFuture<Leadership> inside(boolean interruptible, String election, Runnable action) {
		CompletableFuture<Leadership> done = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try (GatedCall call = this.engine.enter(election, interruptible)) {
				Leadership leadership = call.leadership();
				action.run();
				if (Thread.interrupted()) {
					done.completeExceptionally(new InterruptedException());
				}
				done.complete(leadership);
			}
			catch (Throwable ex) {
				done.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		return done;
	}

	private Lease read(String election) {
		return this.store.read(List.of(election), SOON).leases().get(election);
	}

	private static ElectionEngine engine(LeaseStore store) {
		ElectionEngine created = ElectionEngine.builder(store).settings(settings()).build();
		created.start();
		return created;
	}

	private static ElectionSettings settings() {
		return ElectionSettings.of(Duration.ofHours(1)).toBuilder().drainTimeout(Duration.ofDays(1)).build();
	}

	private record Callback(String election, Consumer<Leadership> elected,
			Consumer<Leadership> defeated) implements Candidate {

		@Override
		public void onElected(Leadership leadership) {
			this.elected.accept(leadership);
		}

		@Override
		public void onDefeated(Leadership leadership) {
			this.defeated.accept(leadership);
		}

	}

}
