package io.github.leaderelection.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.leaderelection.Leadership;
import io.github.leaderelection.LossReason;
import io.github.leaderelection.engine.ElectionEngine;
import io.github.leaderelection.engine.EngineObserver;
import io.github.leaderelection.engine.EngineObserver.StoreOperation;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of leader election. The names of all meters begin with {@code leader.election}.
 * Some are for the engine. The others are for each election it takes part in, and tagged
 * with the name of the election. Gauges and counters are registered before anything is
 * measured, timers on first use. Reading the meters uses local state only and never waits
 * for the store.
 * <p>
 * Pass the metrics to the engine as one of its listeners, and bind them to registries
 * before the engine starts.
 */
public class LeaderElectionMetrics implements MeterBinder, EngineObserver {

	private final List<EngineMeters> bound = new CopyOnWriteArrayList<>();

	private final Supplier<? extends @Nullable ElectionEngine> engine;

	/**
	 * Create metrics.
	 * @param engine supplies the engine to measure, or {@code null} if there is none;
	 * called when the metrics are bound
	 */
	public LeaderElectionMetrics(Supplier<? extends @Nullable ElectionEngine> engine) {
		this.engine = engine;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		ElectionEngine measured = this.engine.get();
		if (measured != null) {
			EngineMeters meters = new EngineMeters(measured, registry);
			// First, so that no election joined meanwhile is missed.
			this.bound.add(meters);
			measured.elections().forEach(meters::add);
		}
	}

	@Override
	public void onStand(String election) {
		this.bound.forEach((meters) -> meters.add(election));
	}

	@Override
	public void onElected(Leadership leadership) {
		of(leadership.election(), (meters) -> meters.transitions("elected").increment());
	}

	@Override
	public void onDefeated(Leadership leadership) {
		LossReason reason = leadership.lossReason().orElse(LossReason.EXPIRED);
		of(leadership.election(), (meters) -> meters.transitions(Meters.tag(reason)).increment());
	}

	@Override
	public void onStoreCall(StoreOperation operation, long nanos, boolean answered) {
		this.bound.forEach((meters) -> meters.storeCall(operation, nanos, answered));
	}

	@Override
	public void onDrain(String election, long nanos, boolean complete) {
		of(election,
				(meters) -> meters.drains(complete ? "complete" : "incomplete").record(nanos, TimeUnit.NANOSECONDS));
	}

	@Override
	public void onCallRefused(String election, boolean rejected) {
		of(election, (meters) -> meters.calls(rejected ? "rejected" : "skipped").increment());
	}

	@Override
	public void onCallEnded(String election, long nanos, boolean interrupted) {
		of(election, (meters) -> meters.calls(interrupted ? "interrupted" : "completed").increment());
	}

	private void of(String election, Consumer<ElectionMeters> event) {
		this.bound.forEach((meters) -> meters.of(election, event));
	}

}
