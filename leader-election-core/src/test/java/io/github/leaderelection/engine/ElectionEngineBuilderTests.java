package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.engine.EngineStatus.ElectionStatus;
import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ElectionEngineBuilder}.
 */
class ElectionEngineBuilderTests {

	private final LeaseStore store = LeaseStore.forElections(new InMemoryRecordStores(), "");

	@Test
	void buildsWithNothingButAStore() {
		RecordingCandidate candidate = new RecordingCandidate("jobs");
		CompletableFuture<String> thread = new CompletableFuture<>();
		try (ElectionEngine engine = ElectionEngine.builder(this.store).build()) {
			engine.register(candidate);
			engine.start();
			await().until(() -> candidate.events().equals(List.of("elected 1")));
			assertThat(engine.candidateId()).startsWith("application@");
			engine.leadership("jobs")
				.orElseThrow()
				.onLost((reason) -> thread.complete(Thread.currentThread().getName()));
			assertThat(engine.status().elections()).extracting(ElectionStatus::ttl)
				.containsExactly(ElectionSettings.DEFAULT_TTL);
		}
		assertThat(candidate.events()).containsExactly("elected 1", "defeated 1 SHUTDOWN");
		assertThat(thread).succeedsWithin(Duration.ofSeconds(30)).asString().contains("callback");
	}

	@Test
	void rejectsSettingsForAnInvalidElectionName() {
		ElectionEngineBuilder builder = ElectionEngine.builder(this.store);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> builder.settings(" ", ElectionSettings.of(Duration.ofSeconds(5))));
	}

	@Test
	void appliesAllConfiguration() {
		List<String> threads = new CopyOnWriteArrayList<>();
		ElectionListener listener = new ElectionListener() {

			@Override
			public void onElected(Leadership leadership) {
				threads.add(leadership.election() + " on " + Thread.currentThread().getName());
			}

		};
		CandidateRegistry registry = new CandidateRegistry(new InMemoryRecordStores(), "");
		ElectionEngineBuilder builder = ElectionEngine.builder(this.store)
			.registry(registry)
			.application("shop")
			.version("1.4.2")
			.address("http://web-1:8080")
			.settings(ElectionSettings.of(Duration.ofSeconds(5)))
			.settings("reports", ElectionSettings.of(Duration.ofSeconds(60)))
			.callbackExecutor((task) -> new Thread(task, "own").start())
			.listener(listener);
		try (ElectionEngine engine = builder.build()) {
			engine.stand("jobs");
			engine.stand("reports");
			engine.start();
			await().until(() -> threads.size() == 2 && !registry.findAll(Duration.ofSeconds(1)).isEmpty());
			assertThat(threads).containsExactlyInAnyOrder("jobs on own", "reports on own");
			assertThat(engine.status().elections()).extracting(ElectionStatus::ttl)
				.containsExactly(Duration.ofSeconds(5), Duration.ofSeconds(60));
			CandidateRecord listed = registry.findAll(Duration.ofSeconds(1)).get(0);
			assertThat(listed.id()).isEqualTo(engine.candidateId()).startsWith("shop@");
			assertThat(listed.version()).isEqualTo("1.4.2");
			assertThat(listed.address()).isEqualTo("http://web-1:8080");
			assertThat(builder.build().candidateId()).as("a new candidate each time")
				.startsWith("shop@")
				.isNotEqualTo(engine.candidateId());
		}
	}

}
