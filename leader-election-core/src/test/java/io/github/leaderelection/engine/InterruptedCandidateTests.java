package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.leaderelection.Candidate;
import io.github.leaderelection.Leadership;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.RecordLeaseStore;
import io.github.leaderelection.store.Rival;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A thread has one flag for all interrupts that are meant for it.
 */
class InterruptedCandidateTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private final RecordLeaseStore store = RecordLeaseStore.forElections(new InMemoryRecordStores(), "");

	@Test
	void candidateThatMakesGatedCallsStillHearsOfItsOwnInterrupt() {
		CandidateRecord identity = new CandidateRecord("app@host:1-0a", "app", "host", 1, null, null, Set.of(), null,
				null);
		try (ElectionEngine engine = new ElectionEngine(identity, this.store,
				new CandidateRegistry(new InMemoryRecordStores(), ""),
				(election) -> ElectionSettings.of(Duration.ofSeconds(20)), (task) -> new Thread(task).start(),
				List.of(), EngineClock.SYSTEM)) {
			GatedWorker worker = new GatedWorker(engine);
			engine.register(worker);
			engine.start();
			await().until(() -> worker.inGatedCall.getCount() == 0);
			takeOver();
			await().untilAsserted(() -> assertThat(worker.defeated.get()).isNotNull());
		}
	}

	private void takeOver() {
		assertThat(new Rival(this.store, "other", TIMEOUT).take("jobs")).isNotNull();
	}

	private static final class GatedWorker implements Candidate {

		private final CountDownLatch inGatedCall = new CountDownLatch(1);

		private final AtomicReference<Leadership> defeated = new AtomicReference<>();

		private final ElectionEngine engine;

		GatedWorker(ElectionEngine engine) {
			this.engine = engine;
		}

		@Override
		public String election() {
			return "jobs";
		}

		@Override
		public void onElected(Leadership leadership) throws InterruptedException {
			this.engine.runIfLeader("jobs", (held) -> {
				this.inGatedCall.countDown();
				while (held.isHeld()) {
					Thread.onSpinWait();
				}
				// Both interrupts have been sent by the time the call ends.
				await().until(() -> this.engine.status()
					.elections()
					.stream()
					.anyMatch(EngineStatus.ElectionStatus::ignoresInterrupt));
			});
			new CountDownLatch(1).await();
		}

		@Override
		public void onDefeated(Leadership leadership) {
			this.defeated.set(leadership);
		}

	}

}
