package io.github.leaderelection.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.leaderelection.store.CandidateRecord;
import io.github.leaderelection.store.CandidateRegistry;
import io.github.leaderelection.store.InMemoryRecordStores;
import io.github.leaderelection.store.LeaseStore;

/**
 * Engines with their real threads, which share a store and a clock. Time passes only when
 * the test says so: nothing expires by itself, even on a slow machine.
 */
final class TestEngines implements AutoCloseable {

	private final List<ElectionEngine> engines = new ArrayList<>();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final CandidateRegistry registry = new CandidateRegistry(new InMemoryRecordStores(), "");

	private final ManualClock clock = new ManualClock();

	private final LeaseStore store;

	TestEngines(LeaseStore store) {
		this.store = store;
	}

	ElectionEngine start(String id, ElectionListener... listeners) {
		ElectionEngine engine = create(id, listeners);
		engine.start();
		return engine;
	}

	ElectionEngine create(String id, ElectionListener... listeners) {
		return create(id, ElectionSettings.of(Duration.ofSeconds(10)), listeners);
	}

	ElectionEngine create(String id, ElectionSettings settings, ElectionListener... listeners) {
		CandidateRecord identity = new CandidateRecord(id, "test", "localhost", null, null, Set.of(), null, Set.of());
		ElectionEngine engine = new ElectionEngine(identity, this.store, this.registry, (election) -> settings,
				this.threads, List.of(listeners), this.clock);
		this.engines.add(engine);
		return engine;
	}

	/** Let time pass for all engines. */
	void advance(long millis) {
		this.clock.advance(millis);
		// Their threads wait in real time: wake them, so that they read the clock.
		this.engines.forEach((engine) -> engine.elections().forEach(engine::stand));
	}

	ManualClock clock() {
		return this.clock;
	}

	@Override
	public void close() {
		this.engines.forEach(ElectionEngine::close);
		this.threads.shutdownNow();
	}

}
