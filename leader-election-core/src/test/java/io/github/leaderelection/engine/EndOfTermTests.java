package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that a running engine tells of the end of its terms.
 */
class EndOfTermTests {

	@Test
	void endByTheEndOfTheEngineIsToldToo() throws Exception {
		Leadership leadership;
		CompletableFuture<LossReason> before = new CompletableFuture<>();
		try (ElectionEngine engine = lead()) {
			leadership = engine.leadership("jobs").orElseThrow();
			leadership.onLost(before::complete);
		}
		assertThat(before.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.SHUTDOWN);
		CompletableFuture<LossReason> after = new CompletableFuture<>();
		leadership.onLost(after::complete);
		assertThat(after.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.SHUTDOWN);
	}

	@Test
	void callbackThatBlocksHoldsUpNoOther() throws Exception {
		CompletableFuture<String> released = new CompletableFuture<>();
		try (ElectionEngine engine = lead()) {
			Leadership leadership = engine.leadership("jobs").orElseThrow();
			leadership.onLost((reason) -> released.join());
			CompletableFuture<LossReason> end = new CompletableFuture<>();
			CompletableFuture<Thread> thread = new CompletableFuture<>();
			leadership.onLost((reason) -> {
				thread.complete(Thread.currentThread());
				end.complete(reason);
			});
			engine.resign("jobs");
			assertThat(end.get(30, TimeUnit.SECONDS)).isEqualTo(LossReason.RESIGNED);
			assertThat(thread.join().getName()).contains("callback");
			await().until(() -> engine.isLeader("jobs"));
			released.complete("now");
		}
	}

	/** Start an engine that leads, and leads again as soon as it has resigned. */
	private static ElectionEngine lead() {
		ElectionSettings usual = ElectionSettings.of(Duration.ofSeconds(20));
		ElectionEngine engine = ElectionEngine.builder(LeaseStore.forElections(new InMemoryRecordStores(), ""))
			.settings(new ElectionSettings(usual.ttl(), usual.renewInterval(), usual.safetyMargin(),
					usual.operationTimeout(), usual.pollInterval(), usual.drainTimeout(), Duration.ZERO))
			.build();
		engine.stand("jobs");
		engine.start();
		await().until(() -> engine.isLeader("jobs"));
		return engine;
	}

}
