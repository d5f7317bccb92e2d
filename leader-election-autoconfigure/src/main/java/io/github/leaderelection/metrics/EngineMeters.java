package io.github.leaderelection.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.github.leaderelection.engine.EngineStatus;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * The meters of an engine and all its elections in one registry.
 */
final class EngineMeters {

	private final Map<String, ElectionMeters> elections = new ConcurrentHashMap<>();

	private final ElectionEngine engine;

	private final MeterRegistry registry;

	private final StatusSnapshot status;

	private final Meters<EngineStatus> meters;

	EngineMeters(ElectionEngine engine, MeterRegistry registry) {
		this.engine = engine;
		this.registry = registry;
		this.status = new StatusSnapshot(engine::status);
		this.meters = new Meters<>(registry, this.status::engine);
		this.meters.gauge("leader.election.watch.connected", "Whether changes of leases are pushed",
				(is) -> is.pushed() ? 1 : 0);
		this.meters.timeGauge("leader.election.store.outage", "How long the store has not answered",
				(is) -> (is.outage() != null) ? is.outage().duration() : Duration.ZERO);
	}

	/**
	 * Register the meters of an election, and remove those of elections that this process
	 * has left, so that their number stays bounded.
	 */
	synchronized void add(String election) {
		Set<String> known = this.engine.elections();
		this.elections.entrySet().removeIf((each) -> {
			boolean left = !known.contains(each.getKey());
			if (left) {
				each.getValue().remove();
			}
			return left;
		});
		this.elections.computeIfAbsent(election, (name) -> new ElectionMeters(name, this.status, this.registry));
	}

	/** Registered on first use: most combinations never occur. */
	void storeCall(StoreOperation operation, long nanos, boolean answered) {
		this.meters
			.timer("leader.election.store.calls", "Calls to the store", "operation", Meters.tag(operation), "outcome",
					answered ? "answered" : "failed")
			.record(nanos, TimeUnit.NANOSECONDS);
	}

	void of(String election, Consumer<ElectionMeters> event) {
		ElectionMeters meters = this.elections.get(election);
		if (meters == null && this.engine.elections().contains(election)) {
			// The first events of an election can arrive before onStand().
			add(election);
			meters = this.elections.get(election);
		}
		if (meters != null) {
			event.accept(meters);
		}
	}

}
