package io.github.leaderelection.metrics;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineStatus.StoreOutage;
import io.github.leaderelection.engine.StoreOperation;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of an engine and all its elections in one registry.
 */
final class EngineMeters {

	private final Map<String, ElectionMeters> elections = new ConcurrentHashMap<>();

	private final ElectionEngine engine;

	private final MeterRegistry registry;

	private final StatusSnapshot status;

	EngineMeters(ElectionEngine engine, MeterRegistry registry) {
		this.engine = engine;
		this.registry = registry;
		this.status = new StatusSnapshot(engine::status);
		Gauge.builder("leader.election.watch.connected", () -> this.status.engine().pushed() ? 1 : 0)
			.description("Whether changes of leases are pushed")
			.register(registry);
		TimeGauge.builder("leader.election.store.outage", this::outage, TimeUnit.SECONDS)
			.description("For how long the store has not answered")
			.register(registry);
	}

	private double outage() {
		StoreOutage outage = this.status.engine().outage();
		return (outage != null) ? outage.duration().toNanos() / 1e9 : 0;
	}

	/**
	 * Register the meters of an election, and remove those of elections that this process
	 * has left: there are never many more than the elections it takes part in.
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

	/** Registered with the first: most of what can happen never does. */
	void storeCall(StoreOperation operation, long nanos, boolean answered) {
		Timer.builder("leader.election.store.calls")
			.description("Calls of the store")
			.tag("operation", ElectionMeters.tag(operation))
			.tag("outcome", answered ? "answered" : "failed")
			.register(this.registry)
			.record(nanos, TimeUnit.NANOSECONDS);
	}

	void of(String election, Consumer<ElectionMeters> event) {
		ElectionMeters meters = this.elections.get(election);
		if (meters == null && this.engine.elections().contains(election)) {
			// Its first events can be faster than the news of it.
			add(election);
			meters = this.elections.get(election);
		}
		if (meters != null) {
			event.accept(meters);
		}
	}

}
