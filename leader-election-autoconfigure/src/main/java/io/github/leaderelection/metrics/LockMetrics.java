package io.github.leaderelection.metrics;

import java.util.function.Supplier;

import io.github.leaderelection.lock.LockService;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * Measures locks: how many there are, without their names, of which there may be any
 * number. To read the meters reads local state only.
 */
public class LockMetrics implements MeterBinder {

	private final Supplier<? extends @Nullable LockService> locks;

	/**
	 * Create metrics.
	 * @param locks supplier of the locks that are measured, asked when the metrics are
	 * bound; of {@code null} if there are none
	 */
	public LockMetrics(Supplier<? extends @Nullable LockService> locks) {
		this.locks = locks;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		LockService measured = this.locks.get();
		if (measured != null) {
			Gauge.builder("leader.election.locks.held", measured, LockService::held)
				.description("Locks that this process holds")
				.register(registry);
			Gauge.builder("leader.election.locks.waiting", measured, LockService::waiting)
				.description("How many wait for locks in this process")
				.register(registry);
		}
	}

}
